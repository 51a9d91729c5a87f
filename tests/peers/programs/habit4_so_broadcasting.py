import torch

a = torch.arange(6).view(2, 3)
b = torch.tensor([10, 20, 30])
print(a + b, a * b[:, None].T, (a[:, :, None] == b).shape)
print(torch.broadcast_shapes((2, 1, 3), (4, 1)), torch.broadcast_tensors(a, b)[1])
print(a.expand(2, 2, 3).shape, a.unsqueeze(-1).expand(-1, -1, 2).stride())
x = torch.tensor([[1.0, float("nan")], [float("inf"), -float("inf")]])
print(x, torch.isnan(x).any(), torch.isfinite(x), x[~torch.isnan(x)])
print(
    torch.tensor([1e-8, 1.0]),
    torch.tensor([123456.0, 0.1]),
    torch.tensor([1e10]),
    torch.tensor(3.0),
)
print(
    torch.tensor([True, False]).sum(),
    torch.tensor([1, 2]) / 2,
    torch.tensor([7]) // 2,
    -torch.tensor([7]) // 2,
)
print(torch.tensor([1.5, 2.5, -0.5]).round(), torch.tensor([-1.5]).trunc(), torch.tensor([5]) % 3)
print(torch.zeros(0), torch.zeros(2, 0), torch.empty(0, 3).sum(0), torch.tensor([]))
print(torch.tensor([[0.1, -2.0], [1000.0, 3.25]]), torch.tensor([0.00001, 20000.0]))
print(torch.finfo(torch.float32).eps, torch.iinfo(torch.int8), torch.finfo(torch.float16).max)
print(torch.arange(1000), torch.ones(30, 30).shape)
print(torch.randn(2, 3).size(), torch.Size([2, 3]) == (2, 3), torch.Size([2, 3]).numel())
