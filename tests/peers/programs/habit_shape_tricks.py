import torch

x = torch.arange(12.0)
print(x.view(3, 4).permute(1, 0).contiguous().view(-1))
print(x.view(2, 2, 3).transpose(0, 2).shape, x.reshape(3, -1).T, x.view(3, 4).mT.shape)
print(
    x.unsqueeze(0).expand(2, -1).shape,
    x.repeat(2, 1).shape,
    x[:3].repeat_interleave(2),
    torch.tile(x[:2], (2, 2)),
)
print(torch.chunk(x, 5), torch.split(x, [5, 7])[1], x.view(3, 4).unfold(1, 2, 1).shape)
print(
    torch.stack((x[:2], x[2:4]), dim=1),
    torch.hstack((x[:1], x[1:3])),
    torch.vstack((x[:2], x[2:4])),
)
print(torch.roll(x, 2), x.flip(0)[:3], torch.rot90(x.view(3, 4)), torch.fliplr(x.view(3, 4))[0])
print(torch.meshgrid(torch.arange(2), torch.arange(3), indexing="ij"))
print(
    torch.cartesian_prod(torch.tensor([1, 2]), torch.tensor([3, 4])),
    torch.combinations(torch.tensor([1, 2, 3])),
)
print(
    x.view(3, 4).swapaxes(0, 1).shape,
    torch.movedim(torch.zeros(1, 2, 3), 0, -1).shape,
    torch.squeeze(torch.zeros(1, 2, 1)).shape,
)
print(
    torch.broadcast_tensors(torch.zeros(2, 1), torch.zeros(3))[0].shape,
    torch.broadcast_shapes((2, 1), (3,)),
)
print(x.view(3, 4).as_strided((2, 2), (1, 2)), torch.block_diag(torch.ones(1, 2), torch.ones(1, 1)))
print(
    torch.nn.functional.pad(x.view(3, 4), (1, 0, 0, 1), value=-1),
    x.unflatten(0, (3, 4)).flatten(0, 1).shape,
)
print(
    torch.atleast_2d(x).shape,
    torch.ravel(x.view(3, 4)).shape,
    torch.dstack((x, x)).shape,
    torch.tensor_split(x, 3)[0],
)
