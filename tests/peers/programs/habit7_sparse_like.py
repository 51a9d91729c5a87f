import torch


def noise(*shape):
    n = 1
    for s in shape:
        n *= s
    return (
        (torch.sin(torch.arange(n, dtype=torch.float32) * 12.9898) * 43758.5453 / 1e4)
        .sin()
        .mul(1.5)
        .view(*shape)
    )


rows = torch.tensor([0, 1, 1, 2, 3])
cols = torch.tensor([1, 0, 2, 3, 0])
values = torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0])
dense = torch.zeros(4, 4)
dense[rows, cols] = values
print(dense, dense.nonzero(), dense.nonzero(as_tuple=True), torch.argwhere(dense > 2))
x = torch.arange(8.0).view(4, 2)
product = torch.zeros(4, 2).index_add(0, rows, values.unsqueeze(1) * x[cols])
print(product, torch.equal(product, dense @ x))
indptr = torch.cat([torch.zeros(1, dtype=torch.long), torch.bincount(rows, minlength=4).cumsum(0)])
print(indptr, [values[a:b].tolist() for a, b in zip(indptr[:-1], indptr[1:])])
degree = torch.zeros(4).scatter_add_(0, rows, torch.ones(5))
print(degree, degree.pow(-0.5), torch.where(degree > 0, 1 / degree, torch.zeros(())))
print(
    torch.zeros(4).scatter_reduce(0, rows, values, reduce="amax", include_self=False),
    torch.ones(4).scatter_reduce(0, rows, values, "mean"),
    torch.zeros(4).scatter_reduce_(0, rows, values, "sum"),
)
print(
    torch.zeros(4, dtype=torch.long).index_put_((rows,), torch.tensor(1), accumulate=True),
    torch.zeros(3).put_(torch.tensor([1]), torch.tensor([9.0])),
)
keys = rows * 4 + cols
order = keys.argsort()
print(
    keys[order],
    rows[order],
    torch.div(keys, 4, rounding_mode="trunc"),
    keys.remainder(4),
    torch.isin(keys, torch.tensor([4, 12])),
)
unique, inverse, counts = torch.unique(
    torch.tensor([3, 1, 3, 2]), return_inverse=True, return_counts=True
)
print(unique, inverse, counts, torch.unique(torch.tensor([[1, 2], [1, 2], [0, 1]]), dim=0))
segment = torch.tensor([0, 0, 1, 1, 1])
mx = torch.full((2,), -float("inf")).scatter_reduce(0, segment, values, "amax")
e = (values - mx[segment]).exp()
print(e / torch.zeros(2).index_add_(0, segment, e)[segment])
logits = noise(2, 6)
mask = torch.zeros_like(logits).scatter(1, logits.topk(2, dim=1).indices, 1.0).bool()
print(mask.sum(1), logits.masked_fill(~mask, 0).count_nonzero(), torch.where(mask)[0])
print(
    torch.nn.functional.embedding_bag(
        torch.tensor([0, 1, 2, 0]), x, torch.tensor([0, 2]), mode="sum"
    ),
    torch.nn.functional.embedding(torch.tensor([[1, 3]]), x),
)
prob = torch.eye(4).index_select(0, torch.tensor([2, 0]))
print(
    prob,
    torch.eye(3)[torch.tensor([0, 2])],
    torch.eye(2, 3),
    torch.diag(torch.tensor([1.0, 2.0]), 1),
    torch.tril_indices(3, 3),
)
adj = (dense > 0).float()
adj = adj + adj.T.multiply(adj.T > adj) - adj.multiply(adj.T > adj)
norm = adj + torch.eye(4)
d = norm.sum(1)
print(
    norm,
    torch.diag(d.pow(-0.5)) @ norm @ torch.diag(d.rsqrt()),
    adj.matrix_power(2),
    torch.linalg.matrix_power(adj, 3).diagonal().sum() / 6,
)
lap = torch.diag(adj.sum(1)) - adj
print(torch.linalg.eigvalsh(lap).round(decimals=4).abs(), torch.linalg.eigvalsh(lap).min() > -1e-5)
w = noise(4, 4)
threshold = w.abs().flatten().kthvalue(8).values
pruned = torch.where(w.abs() <= threshold, 0.0, w)
print((pruned == 0).float().mean(), (pruned == 0).sum().item() / pruned.numel())
print(dense.to_sparse().to_dense().equal(dense) if hasattr(dense, "to_sparse") else True)
hist = torch.zeros(3, 3, dtype=torch.int64)
for t, p in zip(torch.tensor([0, 1, 2, 2]), torch.tensor([0, 2, 2, 1])):
    hist[t.long(), p.long()] += 1
print(
    hist,
    hist.diag().float() / hist.sum(1),
    hist.sum(0),
    torch.bincount(torch.tensor([0, 1]), weights=torch.tensor([0.5, 1.5])),
)
