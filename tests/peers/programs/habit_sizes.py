import torch

x = torch.zeros(4, 3, 2)
print(x.shape, x.size(), x.size(0), x.size(-1))
print(isinstance(x.shape, torch.Size), isinstance(x.size(), tuple))
print(x.shape.numel(), x.shape[1:], x.shape[1:].numel())
print(isinstance(x.shape[:2], torch.Size))
print(x.shape[:-1] + (7,))
print(torch.Size([2, 3]) == (2, 3), torch.Size((1, 2)) + torch.Size((3,)))
b, c, d = x.shape
print(b * c * d == x.numel(), list(x.shape), len(x.shape))
y = torch.ones(torch.Size([2, 2]))
print(y.view(*y.shape[:-1], 2, 1).shape)
print(f"shape: {x.shape}, tuple: {tuple(x.shape)}")
print({x.shape: "a"}[torch.Size([4, 3, 2])])
print(x.new_zeros(x.shape[0], 5).shape)
