import torch
import torch.nn.functional as F

lengths = torch.tensor([3, 1, 2])
mask = torch.arange(lengths.max())[None, :] < lengths[:, None]
print(mask, mask.sum(1), (~mask).float().masked_fill(~mask, float("-inf")))
x = torch.arange(18.0).view(3, 3, 2).requires_grad_()
mean = (x * mask.unsqueeze(-1)).sum(1) / lengths.unsqueeze(-1)
mx = x.masked_fill(~mask[..., None], -1e9).max(1).values
last = x[torch.arange(3), lengths - 1]
print(
    mean,
    mx,
    last,
    x.gather(1, (lengths - 1).view(-1, 1, 1).expand(-1, 1, 2)).squeeze(1).equal(last),
)
(mean + mx + last).sum().backward()
print(x.grad)
flat = x[mask]
print(flat.shape, flat.split(lengths.tolist())[2])
att = torch.zeros(2, 4, 4)
causal = torch.triu(torch.ones(4, 4, dtype=torch.bool), diagonal=1)
att.masked_fill_(causal, float("-inf"))
print(att[0].softmax(-1), causal, torch.full((3, 3), float("-inf")).triu(1))
block = torch.block_diag(*[torch.ones(n, n) for n in (1, 2)]).bool()
print(
    block,
    block.logical_not(),
    block.logical_and(causal[:3, :3]),
    torch.logical_xor(block, block.T).any(),
)
pad = torch.full((2, 5), -1)
for i, s in enumerate([[1, 2], [3, 4, 5]]):
    pad[i, : len(s)] = torch.tensor(s)
print(
    pad,
    (pad != -1).sum(1),
    F.pad(torch.tensor([[1, 2]]), (0, 3), value=0),
    F.pad(torch.ones(2, 2), (1, 0, 0, 1)),
)
y = torch.zeros(2, 3)
y[torch.tensor([[True, False, True], [False, True, False]])] = torch.tensor([1.0, 2.0, 3.0])
print(
    y,
    y.masked_scatter(y == 0, torch.arange(3.0) + 7),
    torch.where(y > 1, y, -y),
    y.clamp_min(1.5),
    torch.nonzero(y).tolist(),
)
a = torch.tensor([1.0, float("nan"), 3.0])
print(
    torch.where(a.isnan(), torch.zeros_like(a), a).mean(),
    a[~a.isnan()].mean(),
    a.nan_to_num(0).sum(),
    torch.isnan(a).any().item(),
    (a == a).all().item(),
)
w = torch.tensor([0.0, 1.0], requires_grad=True)
safe = torch.where(w > 0, w, torch.ones_like(w)).sqrt()
torch.where(w > 0, safe, torch.zeros_like(w)).sum().backward()
print(w.grad)
drop = torch.tensor([1.0, 0.0, 1.0]).bernoulli_(1.0)
print(
    drop,
    (torch.ones(3) * drop / 0.5)[0],
    torch.triu(torch.ones(2, 3)),
    torch.eye(3)[torch.tensor([2, 0])],
    torch.diag_embed(torch.tensor([1.0, 2.0])),
)
rows = torch.arange(3).view(3, 1)
print(
    (rows == rows.T).int(),
    (rows - rows.T).abs(),
    rows.expand(3, 2).reshape(-1),
    torch.arange(3).repeat(2),
    torch.arange(3).repeat_interleave(2),
    torch.broadcast_to(torch.arange(2), (2, 2)),
)
s = torch.tensor([[2.0, 1.0, 3.0]])
v, i = s.topk(2)
print(
    torch.full_like(s, float("-inf")).scatter(1, i, v),
    (s < v[:, [-1]]),
    s.masked_fill(s < v[:, [-1]], 0).softmax(-1),
    s.sort(1).indices.argsort(1),
)
shift = torch.cat([torch.zeros(1, 1), s[:, :-1]], 1)
print(
    shift,
    F.one_hot(torch.tensor([0, 2]), 4),
    F.one_hot(torch.tensor([[1]])).shape,
    torch.cummax(s, 1).values,
    (s.cumsum(1) / torch.arange(1, 4)),
)
