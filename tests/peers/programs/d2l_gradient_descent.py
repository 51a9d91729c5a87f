"""d2l 11.3: gradient descent and Newton's method in one and two dimensions."""

import math

import torch


def gd(eta, f_grad):
    x = 10.0
    results = [x]
    for i in range(10):
        x -= eta * f_grad(x)
        results.append(float(x))
    print(f"epoch 10, x: {x:f}")
    return results


def train_2d(trainer, steps=20, f_grad=None):
    x1, x2, s1, s2 = -5, -2, 0, 0
    results = [(x1, x2)]
    for i in range(steps):
        if f_grad:
            x1, x2, s1, s2 = trainer(x1, x2, s1, s2, f_grad)
        else:
            x1, x2, s1, s2 = trainer(x1, x2, s1, s2)
        results.append((x1, x2))
    print(f"epoch {i + 1}, x1: {float(x1):f}, x2: {float(x2):f}")
    return results


results = gd(0.2, lambda x: 2 * x)
n = max(abs(min(results)), abs(max(results)))
f_line = torch.arange(-n, n, 0.5)
print([f"{float(x):.2f}" for x in f_line**2][:5], f_line.shape)
gd(0.05, lambda x: 2 * x)
gd(1.1, lambda x: 2 * x)
c = torch.tensor(0.15 * math.pi)
f = lambda x: x * torch.cos(c * x)
f_grad = lambda x: torch.cos(c * x) - c * x * torch.sin(c * x)
x = torch.tensor(1.5, requires_grad=True)
f(x).backward()
print(x.grad, f_grad(x).detach())
eta = 0.1
train_2d(
    lambda x1, x2, s1, s2, f: (x1 - eta * f(x1, x2)[0], x2 - eta * f(x1, x2)[1], 0, 0),
    f_grad=lambda x1, x2: (2 * x1, 4 * x2),
)
x1, x2 = torch.meshgrid(torch.arange(-5.5, 1.0, 1.5), torch.arange(-3.0, 1.0, 1.0), indexing="ij")
print((x1**2 + 2 * x2**2).max(), x1.shape)


def newton(eta=1):
    x = torch.tensor(10.0, requires_grad=True)
    c = torch.tensor(0.5)
    for i in range(10):
        y = torch.cosh(c * x)
        (g,) = torch.autograd.grad(y, x, create_graph=True)
        (h,) = torch.autograd.grad(g, x)
        x.data -= eta * (g / h).detach()
    print("epoch 10, x:", round(x.item(), 4))


newton()
