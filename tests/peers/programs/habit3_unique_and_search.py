import torch

x = torch.tensor([[1, 2], [3, 4], [1, 2], [0, 5]])
print(
    torch.unique(x),
    torch.unique(x, dim=0),
    x.unique(dim=0, return_inverse=True, return_counts=True),
)
print(
    torch.unique(torch.tensor([3, 1, 3]), sorted=True, return_inverse=True), torch.unique(x, dim=1)
)
s = torch.tensor([1.0, 3.0, 5.0, 7.0])
print(
    torch.searchsorted(s, torch.tensor([0.0, 3.0, 8.0])),
    torch.searchsorted(s, torch.tensor([3.0]), right=True),
    torch.searchsorted(s, torch.tensor([3.0]), side="right"),
)
print(
    torch.searchsorted(s, torch.tensor([[3, 6]]), out_int32=True),
    torch.searchsorted(s, 4.0),
    torch.isin(x, torch.tensor([2, 5])),
)
print(
    (x[:, None] == x[None]).all(-1),
    torch.equal(x, x.clone()),
    torch.argsort(torch.tensor([2, 0, 1])),
    x.argmax(dim=1, keepdim=True),
)
print(
    x.max(dim=0),
    torch.min(x, 1).values,
    x.sort(0, descending=True).values,
    x.flatten().topk(2).indices,
    torch.msort(x),
)
mapping = {3: 0, 1: 1}
print(
    torch.tensor([mapping[int(v)] for v in torch.tensor([3, 1, 3])]),
    [v.item() for v in x[0]],
    {int(k): 1 for k in x[:, 0]},
)
idx = torch.tensor([2, 0])
print(
    x[idx],
    x.index_select(0, idx),
    torch.take(x, torch.tensor([0, 5])),
    x.index_fill(0, idx, -1),
    x.index_copy(0, idx, torch.zeros(2, 2, dtype=x.dtype)),
)
t = torch.zeros(3)
t.index_put_((torch.tensor([0, 0, 2]),), torch.tensor([1.0, 2.0, 3.0]), accumulate=True)
print(
    t,
    t.put_(torch.tensor([1]), torch.tensor([9.0])),
    torch.masked_scatter if False else t.masked_scatter(t > 2, torch.tensor([7.0, 8.0, 9.0])),
)
