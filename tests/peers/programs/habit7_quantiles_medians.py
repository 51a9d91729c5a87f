import torch

x = torch.tensor([[3.0, 1.0, 4.0, 1.0, 5.0], [9.0, 2.0, 6.0, 5.0, 3.0]])
print(x.median(), x.median(dim=1), x.median(0).values)
print(
    torch.quantile(x, 0.5),
    torch.quantile(x, torch.tensor([0.25, 0.75]), dim=1),
    x.quantile(0.9, dim=0, keepdim=True),
)
for kind in ("linear", "lower", "higher", "nearest", "midpoint"):
    print(kind, torch.quantile(x[0], 0.4, interpolation=kind))
print(x.mode(), torch.mode(torch.tensor([1, 2, 2, 3, 3])))
print(x.kthvalue(2, dim=1), x.std(), x.std(unbiased=False), x.var(dim=1, correction=0))
print(torch.std_mean(x, dim=1), x.mean(dim=(0, 1)), x.aminmax(), x.aminmax(dim=0))
print(torch.histc(x, bins=4, min=0, max=10), torch.bincount(x.long().flatten(), minlength=10))
print(
    torch.histogram(x, bins=3).hist,
    torch.bucketize(x, torch.tensor([2.0, 4.0])),
    torch.searchsorted(torch.tensor([1.0, 3.0, 5.0]), x[0], right=True),
)
print(x.cummax(dim=1), x.cummin(1).indices, x.cumprod(1), x.diff(dim=1), x.logcumsumexp(1))
with_nan = torch.tensor([1.0, float("nan"), 3.0])
print(
    with_nan.mean(),
    with_nan.nanmean(),
    with_nan.nansum(),
    with_nan.nanmedian(),
    with_nan.nanquantile(0.5),
    with_nan.max(),
    with_nan.sort(),
)
iqr = x.quantile(0.75) - x.quantile(0.25)
print(iqr, (x > x.quantile(0.75) + 1.5 * iqr).any(), ((x - x.mean()) / x.std()).abs().max())
mad = (x - x.median()).abs().median()
print(mad, x.sort(dim=1, descending=True), x.argsort(dim=1), x.t().msort())
print(
    x.topk(2, dim=1, largest=False, sorted=True),
    x.unique(),
    x.unique(return_counts=True),
    x.unique(sorted=True, return_inverse=True)[1],
)
print(torch.unique_consecutive(torch.tensor([1, 1, 2, 2, 1]), return_counts=True))
skew = ((x - x.mean()) ** 3).mean() / x.std(unbiased=False) ** 3
kurt = ((x - x.mean()) ** 4).mean() / x.var(unbiased=False) ** 2 - 3
print(
    f"{skew:.4f} {kurt:.4f}",
    torch.count_nonzero(x > 2, dim=1),
    (x > 2).sum(),
    (x > 2).float().mean(),
)
print(
    x.count_nonzero(),
    x.prod(dim=1),
    x.norm(p=1, dim=1),
    x.renorm(2, 0, 5),
    x.argmax(),
    x.argmin(dim=1, keepdim=True),
)
weights = torch.tensor([1.0, 2.0, 1.0, 0.0, 1.0])
print((x * weights).sum(1) / weights.sum(), torch.cov(x, aweights=weights + 1), torch.corrcoef(x))
ewma = [x[0, 0]]
for v in x[0, 1:]:
    ewma.append(0.5 * v + 0.5 * ewma[-1])
print(
    torch.stack(ewma),
    x.unfold(1, 3, 1).mean(-1),
    torch.combinations(torch.arange(4)).shape,
    torch.cartesian_prod(torch.tensor([1, 2]), torch.tensor([3, 4])),
)
i = torch.tensor([[3, 1], [4, 1]])
print(
    i.median(),
    i.float().mean(),
    i.max(1),
    i.sum(dtype=torch.float64),
    i.prod(),
    i.amax(0),
    torch.all(i > 0),
    torch.any(i > 3, dim=1),
)
try:
    i.mean()
except RuntimeError as e:
    print("mean of integers")
try:
    torch.quantile(i, 0.5)
except RuntimeError:
    print("quantile of integers")
try:
    torch.tensor([]).max()
except (RuntimeError, IndexError):
    print("empty max")
print(
    torch.tensor([]).sum(),
    torch.tensor([]).mean(),
    torch.tensor([]).prod(),
    torch.empty(0, 3).sum(0),
)
