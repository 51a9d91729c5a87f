import torch

x = torch.arange(12).reshape(3, 4).float()
print(x[0], x[-1, 1:3], x[:, 0], x[..., -1], x[::2], x[1][2], x[None].shape)
print(x[x > 5], x[[0, 2]], x[:, [1, 3]], x[torch.tensor([0, 1]), torch.tensor([1, 2])])
x[0, 0] = -1
x[1] = torch.zeros(4)
x[:, 1] += 5
x[x > 10] = 10
print(x)
print(torch.where(x > 3, x, 0.0), torch.where(x > 9), torch.nonzero(x > 9), torch.argwhere(x > 9))
print(x.gather(1, torch.tensor([[0], [1], [2]])), x.index_select(1, torch.tensor([0, 2])))
print(torch.masked_select(x, x < 0), x.masked_fill(x < 0, 0), torch.take(x, torch.tensor([0, 5])))
onehot = torch.zeros(3, 4).scatter_(1, torch.tensor([[0], [1], [2]]), 1)
print(onehot, onehot.argmax(dim=1), x[range(3), [0, 1, 2]], x[range(0, 3, 2)])
x[range(3), 0] = 7.0
print(x)
