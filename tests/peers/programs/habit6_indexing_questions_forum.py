import torch

x = torch.arange(24).view(2, 3, 4)
print(
    x[0],
    x[:, 1],
    x[..., -1],
    x[:, :, ::2].shape,
    x[1, 2, 3],
    x[-1, -1, -1].item(),
    x[None].shape,
    x[:, None, 0].shape,
)
idx = torch.tensor([0, 2])
print(
    x[:, idx].shape,
    x[0, idx, idx],
    x[torch.tensor([True, False])].shape,
    x[x > 20],
    x[0][x[0] % 2 == 0],
)
print(
    x[[0, 1], [2, 0]],
    x[:, [0, 2]][..., [1]].flatten(),
    x[0, :, torch.tensor([0, 1])].shape,
    x[torch.tensor([0, 1]), :, torch.tensor([0, 1])].shape,
)
scores = torch.tensor([[0.1, 0.7, 0.2], [0.3, 0.3, 0.4]])
labels = torch.tensor([1, 2])
print(
    scores[torch.arange(2), labels],
    scores.gather(1, labels.unsqueeze(1)).squeeze(1),
    torch.take_along_dim(scores, labels[:, None], 1).flatten(),
)
onehot = torch.zeros(2, 3).scatter_(1, labels[:, None], 1)
print(
    onehot,
    onehot.argmax(1),
    torch.zeros(2, 3).scatter_add_(1, torch.tensor([[0, 0, 1], [2, 2, 2]]), scores),
)
print(
    torch.zeros(4).index_add_(0, torch.tensor([0, 0, 3]), torch.ones(3)),
    torch.zeros(3).index_fill_(0, idx, 5),
    torch.zeros(3).index_copy_(0, idx, torch.tensor([1.0, 2.0])),
)
print(
    torch.zeros(4).index_put_((torch.tensor([1, 1]),), torch.tensor([1.0, 2.0]), accumulate=True),
    torch.index_select(x, 2, idx)[0, 0],
    torch.masked_select(x, x < 3),
)
print(
    torch.zeros(3).scatter_reduce_(
        0, torch.tensor([0, 0, 1]), torch.tensor([1.0, 5.0, 2.0]), reduce="amax"
    ),
    torch.take(x, torch.tensor([0, 23])),
    torch.where(scores > 0.3, scores, torch.zeros(())),
)
print(
    torch.nonzero(scores > 0.3),
    torch.nonzero(scores > 0.3, as_tuple=True),
    torch.where(scores > 0.3),
    torch.argwhere(scores > 0.3).shape,
)
y = torch.zeros(3, 3)
y[1] = torch.tensor([1.0, 2.0, 3.0])
y[:, 0] = 9
y[y == 9] = -1
y[[0, 2], [1, 1]] = torch.tensor([4.0, 5.0])
y[..., 2] += 1
print(y)
z = torch.arange(5)
z[1:4] = z[0:3].clone()
z[torch.tensor([True, False, False, False, True])] *= 10
print(
    z,
    z[z.tolist().index(0)],
    0 in z,
    list(z),
    z[2:3].item(),
    len(x),
    x.numel(),
    x.ndim,
    x.dim(),
    x.nelement(),
)
print(
    x.sum(dim=(0, 2)),
    x.float().mean(-1, keepdim=True).shape,
    x.amax((0, 1)),
    x.max(dim=2).indices,
    x.flatten(1).shape,
    x.view(-1, 4)[3],
)
for row, lab in zip(scores, labels):
    print(row[lab].item(), end="; ")
print()
a, b, c = torch.unbind(scores.t())
print(
    a,
    torch.chunk(z, 2),
    torch.split(z, [1, 4]),
    torch.tensor_split(z, 3),
    torch.stack([a, b], dim=1),
    torch.cat([a, b]),
    torch.hstack([a, b]),
    torch.vstack([a, b]),
)
print(
    x.transpose(0, 2).shape,
    x.permute(2, 0, 1).shape,
    x.reshape(4, -1).shape,
    x.unsqueeze(-1).shape,
    x[0:1].squeeze(0).shape,
    x.expand(2, 3, 4).shape,
    x[:, :1].repeat(1, 2, 1).shape,
    torch.tile(z, (2,)),
    z.repeat_interleave(2),
    torch.repeat_interleave(z[:2], torch.tensor([1, 2])),
)
try:
    x[5]
except IndexError as e:
    print("IndexError")
try:
    x.view(5, 5)
except RuntimeError:
    print("view size")
try:
    torch.cat([torch.ones(2, 2), torch.ones(3, 3)])
except RuntimeError:
    print("sizes of tensors must match")
try:
    scores + torch.ones(4)
except RuntimeError:
    print("broadcast")
print(
    torch.ones(2, 3).equal(torch.ones(2, 3)),
    torch.all(z >= 0),
    torch.any(z > 100),
    torch.allclose(a, a + 1e-9),
    (a == b).sum(),
    bool((a != b).any()),
)
print(
    x.apply_(lambda v: v + 1)[0, 0] if hasattr(x, "apply_") else None,
    z.map_(z, lambda p, q: p + q) if hasattr(z, "map_") else None,
)
