"""d2l 11.9: Adadelta."""

import torch
from torch import nn


def wave(*shape, step=0.37, start=0.0):
    count = 1
    for size in shape:
        count *= size
    return torch.sin(torch.arange(count, dtype=torch.float32) * step + start).reshape(shape)


def adadelta(params, states, hyperparams):
    rho, eps = hyperparams["rho"], 1e-5
    for p, (s, delta) in zip(params, states):
        with torch.no_grad():
            s[:] = rho * s + (1 - rho) * torch.square(p.grad)
            g = (torch.sqrt(delta + eps) / torch.sqrt(s + eps)) * p.grad
            p[:] -= g
            delta[:] = rho * delta + (1 - rho) * g * g
        p.grad.data.zero_()


X = wave(40, 5)
y = X.sum(1, keepdim=True) + 0.7
w, b = torch.zeros((5, 1), requires_grad=True), torch.zeros(1, requires_grad=True)
s_w, s_b = torch.zeros((5, 1)), torch.zeros(1)
delta_w, delta_b = torch.zeros((5, 1)), torch.zeros(1)
for _ in range(10):
    ((X @ w + b - y) ** 2 / 2).mean().backward()
    adadelta([w, b], ((s_w, delta_w), (s_b, delta_b)), {"rho": 0.9})
print(w.data.T, delta_b)
net = nn.Linear(5, 1)
nn.init.zeros_(net.weight)
nn.init.zeros_(net.bias)
trainer = torch.optim.Adadelta(net.parameters(), rho=0.9)
for _ in range(10):
    trainer.zero_grad()
    l = nn.MSELoss()(net(X), y)
    l.backward()
    trainer.step()
print(f"{l:.4f}", net.weight)
