import torch

x = torch.arange(24).reshape(2, 3, 4)
print(x.view(6, -1).shape, x.permute(2, 0, 1).shape, x.transpose(1, 2).contiguous().view(-1)[:5])
print(x.flatten(1).shape, x.reshape(2, -1, 2).shape, torch.flatten(x, 0, 1).shape, x.ravel().shape)
print(x.transpose(0, 1).is_contiguous(), x.stride(), x.transpose(0, 1).stride(), x.storage_offset())
try:
    x.transpose(0, 1).view(-1)
except RuntimeError as e:
    print("RuntimeError")
print(
    torch.stack([x[0], x[1]]).equal(x),
    torch.cat([x, x], dim=1).shape,
    torch.vstack([x[0], x[1]]).shape,
)
print(torch.chunk(x, 2, dim=-1)[0].shape, torch.split(x, [1, 2], dim=1)[1].shape, x.unbind(0)[1][0])
print(
    x.squeeze().shape,
    x[:1].squeeze(0).shape,
    x.unsqueeze(1).shape,
    x.swapaxes(0, 2).shape,
    x.movedim(0, -1).shape,
)
print(
    x.unfold(2, 2, 2)[0, 0],
    torch.tril(torch.ones(3, 3)),
    torch.triu(torch.ones(3, 3), diagonal=1).bool(),
)
print(
    torch.meshgrid(torch.arange(2), torch.arange(3), indexing="xy")[0],
    torch.cartesian_prod(torch.tensor([1, 2]), torch.tensor([3, 4])),
)
print(
    x.repeat(1, 1, 2).shape,
    x[0].tile(2).shape,
    torch.repeat_interleave(torch.tensor([1, 2]), torch.tensor([2, 1])),
)
y = x.clone()
y[0, 0, 0] = 100
print(
    x[0, 0, 0],
    y[0, 0, 0],
    x.data_ptr() == x.view(-1).data_ptr(),
    x.numel(),
    x.nelement(),
    x.ndim,
    x.ndimension(),
)
print(
    x.narrow(1, 0, 2).shape,
    x.select(2, 0),
    torch.roll(torch.arange(5), 2),
    torch.rot90(torch.arange(4).view(2, 2)),
)
print(
    x.to(torch.float32).mean(dim=(0, 2)),
    x.float().std(0)[0],
    x.sum((1, 2)),
    x.amax((0, 1)),
    x.float().var(1, unbiased=False)[0],
)
