import torch
import torch.nn as nn
import torch.nn.functional as F

x = torch.arange(2 * 3 * 4 * 4, dtype=torch.float32).reshape(2, 3, 4, 4)
print(
    x.permute(0, 2, 3, 1).shape,
    x.movedim(1, -1).shape,
    torch.moveaxis(x, 1, 3).stride(),
    x.transpose(-1, -2)[0, 0],
)
patches = x.unfold(2, 2, 2).unfold(3, 2, 2)
print(patches.shape, patches.contiguous().view(2, 3, 4, 2, 2)[0, 0, 1])
p = x.reshape(2, 3, 2, 2, 2, 2).permute(0, 2, 4, 1, 3, 5).reshape(2, 4, 12)
print(p[0, 0], torch.equal(p, F.unfold(x, 2, stride=2).transpose(1, 2)))
back = p.reshape(2, 2, 2, 3, 2, 2).permute(0, 3, 1, 4, 2, 5).reshape(2, 3, 4, 4)
print(torch.equal(back, x), torch.equal(F.fold(p.transpose(1, 2), (4, 4), 2, stride=2), x))
print(
    F.pixel_shuffle(torch.arange(16.0).view(1, 4, 2, 2), 2),
    F.pixel_unshuffle(x, 2).shape,
    F.channel_shuffle(torch.arange(4.0).view(1, 4, 1, 1), 2).flatten(),
)
heads = torch.arange(12).view(1, 2, 6).unflatten(-1, (2, 3)).transpose(1, 2)
print(heads, heads.flatten(2), heads.flatten(0, 1).shape, heads.swapaxes(0, 1).shape)
print(
    torch.arange(4).repeat_interleave(2),
    torch.arange(2).repeat(3),
    torch.arange(2).repeat(2, 2),
    torch.tile(torch.arange(2), (2, 1)),
    torch.repeat_interleave(torch.tensor([1, 2]), torch.tensor([3, 1])),
)
print(
    torch.rot90(torch.arange(4).view(2, 2)),
    torch.fliplr(torch.eye(2)),
    torch.flipud(torch.arange(2)),
    x[0, 0].flip([0, 1])[0],
    torch.roll(torch.arange(4), 1),
    torch.roll(torch.arange(4).view(2, 2), (1, 1), (0, 1)),
)
a, b = torch.arange(3), torch.arange(2)
gx, gy = torch.meshgrid(a, b, indexing="ij")
print(gx, gy, torch.stack([gx, gy], -1).view(-1, 2), torch.meshgrid(a, b, indexing="xy")[0].shape)
print(
    torch.hstack([a, b]),
    torch.vstack([a, a]),
    torch.dstack([a, a]).shape,
    torch.column_stack([a, a]),
    torch.concat([a, b]),
    torch.block_diag(torch.ones(1, 2), torch.eye(2)),
)
print(
    torch.tensor_split(torch.arange(7), 3),
    torch.arange(7).tensor_split([2, 5]),
    torch.hsplit(torch.arange(4), 2),
    torch.arange(5).chunk(2),
    torch.arange(5).split(2),
    torch.arange(3).unbind(),
)
print(
    torch.atleast_2d(torch.tensor(1)),
    torch.atleast_3d(a).shape,
    torch.broadcast_to(a, (2, 3)),
    [t.shape for t in torch.broadcast_tensors(a.view(3, 1), b)],
    torch.broadcast_shapes((2, 1), (3,)),
)
print(
    x[..., 0].shape,
    x[:, None].shape,
    x[0, ..., -1].shape,
    x[:, [0, 2]].shape,
    x[[0, 1], [0, 1]].shape,
    x[:, :, ::2, 1::2].shape,
    x[x > 90],
    x[0, 0, torch.tensor([[0], [1]]), torch.tensor([0, 2])],
)
print(
    torch.diag_embed(torch.tensor([1.0, 2.0])),
    x[0, 0].diagonal(),
    torch.diagonal(x, dim1=2, dim2=3).shape,
    torch.triu_indices(3, 3, 1),
    torch.tril(torch.ones(2, 2)),
    torch.trace(x[0, 0]),
)
print(
    torch.take(x[0, 0], torch.tensor([0, 5])),
    torch.take_along_dim(x[0, 0], x[0, 0].argsort(1), 1)[0],
    x[0, 0].index_select(1, torch.tensor([3, 0])),
    torch.masked_select(x[0, 0], x[0, 0] > 13),
    x.select(1, 2).shape,
    x.narrow(2, 1, 2).shape,
)
print(
    torch.as_strided(torch.arange(6), (2, 3), (1, 2)),
    torch.arange(6).view(2, -1),
    x.view(-1).shape,
    x.ravel().shape,
    x.flatten(1).shape,
    torch.squeeze(torch.ones(1, 2, 1)).shape,
    torch.ones(2).unsqueeze(0).squeeze((0,)).shape,
)
print(
    torch.einsum("bchw->bhwc", x).shape,
    torch.einsum("bchw,bchw->b", x, x),
    torch.einsum("...hw->...", x)[0],
    torch.einsum("ii->i", x[0, 0]),
    torch.tensordot(x, x, dims=([1, 2, 3], [1, 2, 3])),
    torch.kron(torch.eye(2), torch.ones(1, 2)),
)
print(
    nn.Flatten(1, 2)(x).shape,
    nn.Unflatten(1, (1, 3))(x).shape,
    x.mean((2, 3)),
    x.amax(dim=(1, 2, 3)),
    x.sum(dim=[0, 1], keepdim=True).shape,
    torch.logsumexp(x, (2, 3)).shape,
)
print(
    F.pad(a, (1, 2)),
    F.pad(x[0, :1], (1, 1, 0, 0), mode="reflect")[0, 0],
    F.pad(x, (0, 0, 1, 0), value=-1.0).shape,
    nn.ZeroPad2d((1, 0, 0, 1))(torch.ones(1, 1, 1, 1)),
    F.one_hot(a, 4),
    F.pad(x[:, :, 0], (1, 1), "circular")[0, 0],
)
print(
    x.is_contiguous(),
    x.permute(0, 2, 3, 1).is_contiguous(),
    x.to(memory_format=torch.channels_last).stride(),
    x.permute(1, 0, 2, 3).contiguous().stride(),
    x.T.shape if False else x.mT.shape,
    x[0, 0].T.is_contiguous(),
)
