import torch

x = torch.arange(6).reshape(3, 2)
for row in x:
    print(row, row.sum().item())
for i, (a, b) in enumerate(x):
    print(i, a.item(), b.item())
print([v.item() for v in x[0]], list(torch.tensor([1, 2])), 3 in x, 7 in x)
for a, b in zip(x, torch.ones(3)):
    print(a * b)
print([10, 20, 30][torch.tensor(1)], list(range(torch.tensor(3))), len(x))
