import torch

x = torch.tensor([[1, 2, 3], [4, 5, 6]])
print(x, x.dtype, x.ndim, x.numel(), len(x), x.device)
print(x.shape, x.size(), x.size(0), x.shape[1], list(x.shape))
rows, columns = x.shape
print(rows * columns == x.nelement(), x.dim(), x.element_size(), x.stride())
print(torch.zeros(2, 3), torch.ones((2,)), torch.full((2, 2), 7), torch.eye(2))
print(torch.arange(5), torch.arange(1, 10, 3), torch.arange(0, 1, 0.25), torch.linspace(0, 1, 3))
print(torch.zeros_like(x), torch.ones_like(x, dtype=torch.float32))
print(x + 10, x * x, x - 1, x / 2, x // 2, x % 2, x**2, -x, 2**x)
print(x > 2, (x > 2) & (x < 6), ~(x > 2), x == x)
print(type(x), type(x.dtype), type(x.device), type(x.grad), type(torch.nn.Linear(1, 1).bias))
print(torch.is_tensor(x), isinstance(x, torch.Tensor), x.is_floating_point())
print(x.new_zeros(2), x.new_full((2,), 3), x.clone().fill_(0))
