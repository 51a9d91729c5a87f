import torch

x = torch.arange(24).reshape(2, 3, 4)
print(x[..., 0], x[:, None].shape, x[0, 1:, ::2])
print(x[[0, 1], [2, 0]], x[:, [2, 0], 1:3], x[torch.tensor([1]), ..., -1])
print(x[x % 5 == 0], x[0][x[0] > 6].sum())
batch = torch.arange(2)
print(x[batch, torch.tensor([0, 2])], x[batch[:, None], torch.tensor([[0, 1], [1, 2]])].shape)
x[0, :, 1] = -1
x[1] += 100
x[..., -1] *= 2
x[:, 0, :2] = torch.tensor([[7, 8], [9, 10]])
print(x)
grid = torch.zeros(3, 3)
grid[[0, 2], :] = torch.tensor([1.0, 2.0, 3.0])
grid[1, grid[0] > 1] = 5
grid[torch.eye(3).bool()] = -1
print(grid)
print(
    x[-1, -1, -1].item(),
    x[1, 2].tolist(),
    x[:, :, -2:].shape,
    x.select(1, 0),
    x.narrow(2, 1, 2).shape,
)
rows, cols = torch.where(grid == -1)
print(rows, cols, list(zip(rows.tolist(), cols.tolist())))
print(
    x.flatten()[torch.randperm(24).sort()[1]].numel(),
    x.unbind(0)[1].shape,
    x[True].shape,
    x[None, ..., None].shape,
)
