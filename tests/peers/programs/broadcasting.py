import torch

a = torch.arange(3).reshape(3, 1)
b = torch.arange(2).reshape(1, 2)
print(a + b, (a * b).shape, a - 1, 10 * b)
x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
print(x - x.mean(dim=0), (x - x.mean(0)) / x.std(0), x / x.sum(dim=1, keepdim=True))
print(torch.maximum(x, torch.tensor(2.5)), x.clamp(min=2), x.clamp(1.5, 3.5), torch.clamp(x, max=2))
try:
    print(torch.ones(2, 3) + torch.ones(3, 2))
except RuntimeError:
    print("these shapes do not broadcast")
