import torch

x = torch.arange(24)
y = x.view(2, 3, 4)
print(
    y.permute(2, 0, 1).shape,
    y.transpose(0, 1).reshape(-1)[:5],
    y.movedim(0, -1).shape,
    torch.swapaxes(y, 0, 2).shape,
)
print(
    y.flatten(1).shape,
    y.unflatten(2, (2, 2)).shape,
    y.unsqueeze(1).expand(-1, 5, -1, -1).shape,
    y[:, None].repeat(1, 2, 1, 1).shape,
)
print(torch.chunk(x, 5), [t.tolist() for t in x.split([4, 20])][0], torch.tensor_split(x[:7], 3))
print(
    x.unfold(0, 4, 10),
    y.diagonal(dim1=1, dim2=2),
    torch.diag_embed(torch.tensor([1, 2])),
    torch.tril(y[0]),
    y[0].triu(1),
)
print(
    torch.stack([x[:3], x[3:6]], dim=1),
    torch.hstack((x[:2], x[2:3])),
    torch.vstack([x[:2], x[2:4]]),
    torch.dstack([x[:2], x[2:4]]),
)
print(
    torch.rot90(y[0]),
    y[0].flip(0, 1),
    torch.roll(x[:5], 2),
    torch.fliplr(y[0]),
    y.roll(1, dims=-1)[0, 0],
    torch.flipud(y[0])[0],
)
print(
    torch.meshgrid(torch.arange(2), torch.arange(3), indexing="ij"),
    torch.cartesian_prod(torch.tensor([1, 2]), torch.tensor([3, 4])),
    torch.combinations(torch.arange(3)),
)
print(
    torch.atleast_2d(torch.tensor(1.0)),
    torch.block_diag(torch.ones(1, 2), torch.ones(1, 1)),
    torch.kron(torch.eye(2), torch.ones(1, 2)),
    torch.outer(torch.arange(2), torch.arange(3)),
)
print(
    torch.as_strided(x, (3, 2), (1, 2)),
    x[::5],
    x[-3:],
    x.view(4, 6)[1:3, ::2],
    torch.broadcast_to(x[:3], (2, 3)),
    torch.tile(x[:2], (2, 2)),
    x[:2].repeat_interleave(2),
)
print(
    torch.nn.functional.pad(y[0], (1, 1), value=9),
    torch.nn.functional.unfold(y[:1].float().unsqueeze(0), 2).shape,
    y.squeeze().T.shape if y.ndim == 2 else y.mT.shape,
)
t = torch.zeros(1, 2, 1)
t.squeeze_()
t.unsqueeze_(0)
print(t.shape, t.t_().shape, y.contiguous().is_contiguous(), y.mT.is_contiguous(), torch.numel(y))
