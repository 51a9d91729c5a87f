"""d2l 11.4: stochastic gradient descent with a falling learning rate."""

import math

import torch


def f_grad(x1, x2):
    return 2 * x1, 4 * x2


def sgd(x1, x2, s1, s2, f_grad):
    g1, g2 = f_grad(x1, x2)
    g1 += torch.normal(0.0, 0.0, (1,)).item()
    g2 += torch.normal(0.0, 0.0, (1,)).item()
    eta_t = eta * lr()
    return (x1 - eta_t * g1, x2 - eta_t * g2, 0, 0)


def constant_lr():
    return 1


def exponential_lr():
    global t
    t += 1
    return math.exp(-0.1 * t)


def polynomial_lr():
    global t
    t += 1
    return (1 + 0.1 * t) ** (-0.5)


eta = 0.1
for lr in (constant_lr, exponential_lr, polynomial_lr):
    t = 1
    x1, x2 = -5, -2
    for _ in range(20):
        x1, x2, _, _ = sgd(x1, x2, 0, 0, f_grad)
    print(f"{lr.__name__}: x1: {x1:f}, x2: {x2:f}")
w = torch.tensor([-5.0, -2.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for _ in range(20):
    optimizer.zero_grad()
    (w[0] ** 2 + 2 * w[1] ** 2).backward()
    optimizer.step()
print(w.data, torch.empty(3).normal_().shape)
