"""d2l 11.8: RMSProp."""

import math

import torch
from torch import nn


def wave(*shape, step=0.37, start=0.0):
    count = 1
    for size in shape:
        count *= size
    return torch.sin(torch.arange(count, dtype=torch.float32) * step + start).reshape(shape)


gammas = [0.95, 0.9, 0.8, 0.7]
for gamma in gammas:
    x = torch.arange(40).detach().numpy()
    print(((1 - gamma) * gamma**x)[:3].round(4).tolist())


def rmsprop(params, states, hyperparams):
    gamma, eps = hyperparams["gamma"], 1e-6
    for p, s in zip(params, states):
        with torch.no_grad():
            s[:] = gamma * s + (1 - gamma) * torch.square(p.grad)
            p[:] -= hyperparams["lr"] * p.grad / torch.sqrt(s + eps)
        p.grad.data.zero_()


X = wave(40, 5)
y = X.sum(1, keepdim=True) + 0.7
w, b = torch.zeros((5, 1), requires_grad=True), torch.zeros(1, requires_grad=True)
states = (torch.zeros((5, 1)), torch.zeros(1))
for _ in range(10):
    ((X @ w + b - y) ** 2 / 2).mean().backward()
    rmsprop([w, b], states, {"lr": 0.01, "gamma": 0.9})
print(w.data.T, b.data)
net = nn.Linear(5, 1)
nn.init.zeros_(net.weight)
nn.init.zeros_(net.bias)
for options in ({"alpha": 0.9}, {"momentum": 0.5}, {"centered": True, "weight_decay": 0.1}):
    trainer = torch.optim.RMSprop(net.parameters(), lr=0.01, **options)
    for _ in range(5):
        trainer.zero_grad()
        l = nn.MSELoss()(net(X), y)
        l.backward()
        trainer.step()
    print(f"{l:.4f}", sorted(trainer.state[net.weight]))
