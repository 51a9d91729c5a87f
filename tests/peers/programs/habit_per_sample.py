import torch
from torch import func

w = torch.tensor([1.0, -1.0])
X = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
y = torch.tensor([0.0, 1.0, 0.0])


def loss(w, x, t):
    return (x @ w - t) ** 2


print(func.grad(loss)(w, X[0], y[0]))
print(torch.vmap(func.grad(loss), in_dims=(None, 0, 0))(w, X, y))
