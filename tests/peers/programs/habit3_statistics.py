import torch

x = torch.tensor([[1.0, 2.0, 3.0, 4.0], [4.0, 0.0, -2.0, 8.0]])
print(
    x.mean(), x.std(), x.var(unbiased=False), x.median(), x.max(), x.min(), x.sum(dim=1), x.prod(1)
)
print(x.mean(dim=0), x.std(dim=1, keepdim=True), torch.var_mean(x, dim=1), torch.std_mean(x))
print(
    torch.quantile(x, 0.25),
    torch.quantile(x, torch.tensor([0.25, 0.75]), dim=1),
    x.quantile(0.5, dim=0, keepdim=True),
)
print(
    torch.nanmean(torch.tensor([1.0, float("nan"), 3.0])),
    torch.nansum(torch.tensor([1.0, float("nan")])),
    torch.nanmedian(torch.tensor([1.0, float("nan"), 3.0])),
)
print((x - x.mean(1, keepdim=True)) / (x.std(1, keepdim=True) + 1e-8))
print(
    (x - x.min()) / (x.max() - x.min()),
    torch.aminmax(x),
    x.amax((0, 1)),
    x.argmax(),
    x.argmin(dim=1),
)
print(
    torch.logsumexp(x, 1),
    x.norm(),
    x.norm(p=1, dim=1),
    torch.linalg.norm(x),
    x.cumsum(1),
    x.cumprod(0),
    x.cummax(1).values,
)
print(
    torch.sort(x, dim=1, descending=True),
    x.flatten().sort().indices,
    torch.unique(torch.tensor([3, 1, 3, 2]), return_counts=True),
)
print(
    torch.histogram(x, bins=4, range=(-2.0, 8.0)).hist,
    torch.clamp(x, 0, 3),
    x.sign(),
    x.round(),
    torch.lerp(x[0], x[1], 0.5),
)
z = torch.tensor([0.5, 1.5, 2.5, -0.5])
print(
    z.round(),
    z.floor(),
    z.ceil(),
    z.trunc(),
    z.frac(),
    torch.fmod(z, 1),
    torch.remainder(z, 1),
    z // 1,
    torch.round(z * 1.234, decimals=1),
)
