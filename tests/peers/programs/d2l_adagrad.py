"""d2l 11.7: AdaGrad."""

import math

import torch
from torch import nn


def wave(*shape, step=0.37, start=0.0):
    count = 1
    for size in shape:
        count *= size
    return torch.sin(torch.arange(count, dtype=torch.float32) * step + start).reshape(shape)


def adagrad_2d(x1, x2, s1, s2):
    eps = 1e-6
    g1, g2 = 0.2 * x1, 4 * x2
    s1 += g1**2
    s2 += g2**2
    x1 -= eta / math.sqrt(s1 + eps) * g1
    x2 -= eta / math.sqrt(s2 + eps) * g2
    return x1, x2, s1, s2


def adagrad(params, states, hyperparams):
    eps = 1e-6
    for p, s in zip(params, states):
        with torch.no_grad():
            s[:] += torch.square(p.grad)
            p[:] -= hyperparams["lr"] * p.grad / torch.sqrt(s + eps)
        p.grad.data.zero_()


eta = 0.4
place = (-5, -2, 0, 0)
for _ in range(20):
    place = adagrad_2d(*place)
print([round(x, 4) for x in place])
X = wave(40, 5)
y = X.sum(1, keepdim=True) + 0.7
w, b = torch.zeros((5, 1), requires_grad=True), torch.zeros(1, requires_grad=True)
states = (torch.zeros((5, 1)), torch.zeros(1))
for _ in range(10):
    ((X @ w + b - y) ** 2 / 2).mean().backward()
    adagrad([w, b], states, {"lr": 0.1})
print(w.data.T, states[0].T)
net = nn.Linear(5, 1)
nn.init.zeros_(net.weight)
nn.init.zeros_(net.bias)
trainer = torch.optim.Adagrad(net.parameters(), lr=0.1)
for _ in range(10):
    trainer.zero_grad()
    l = nn.MSELoss()(net(X), y)
    l.backward()
    trainer.step()
print(f"{l:.4f}", trainer.state[net.bias]["sum"], trainer.defaults["lr"])
