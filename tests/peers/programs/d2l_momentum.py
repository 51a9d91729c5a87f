"""d2l 11.6: momentum."""

import torch
from torch import nn


def wave(*shape, step=0.37, start=0.0):
    count = 1
    for size in shape:
        count *= size
    return torch.sin(torch.arange(count, dtype=torch.float32) * step + start).reshape(shape)


def init_momentum_states(feature_dim):
    v_w = torch.zeros((feature_dim, 1))
    v_b = torch.zeros(1)
    return (v_w, v_b)


def sgd_momentum(params, states, hyperparams):
    for p, v in zip(params, states):
        with torch.no_grad():
            v[:] = hyperparams["momentum"] * v + p.grad
            p[:] -= hyperparams["lr"] * v
        p.grad.data.zero_()


X = wave(40, 5)
y = (X * torch.tensor([1.0, -2.0, 3.0, 0.5, 0.0])).sum(1, keepdim=True) + 0.7
w = torch.zeros((5, 1), requires_grad=True)
b = torch.zeros(1, requires_grad=True)
states = init_momentum_states(5)
for momentum, lr in ((0.5, 0.02), (0.9, 0.01)):
    for _ in range(10):
        l = ((X @ w + b - y) ** 2 / 2).mean()
        l.backward()
        sgd_momentum([w, b], states, {"lr": lr, "momentum": momentum})
    print(f"{l:.4f}")
print(w.detach().T, b.data, states[1])
net = nn.Linear(5, 1)
nn.init.zeros_(net.weight)
nn.init.zeros_(net.bias)
trainer = torch.optim.SGD(
    net.parameters(), lr=0.005, momentum=0.9, nesterov=True, weight_decay=1e-3
)
for _ in range(10):
    trainer.zero_grad()
    nn.functional.mse_loss(net(X), y).backward()
    trainer.step()
print(net.weight.data, len(trainer.state_dict()["state"]))
print(type(trainer).__name__)
