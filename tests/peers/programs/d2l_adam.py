"""d2l 11.10: Adam and Yogi."""

import torch
from torch import nn


def wave(*shape, step=0.37, start=0.0):
    count = 1
    for size in shape:
        count *= size
    return torch.sin(torch.arange(count, dtype=torch.float32) * step + start).reshape(shape)


def adam(params, states, hyperparams):
    beta1, beta2, eps = 0.9, 0.999, 1e-6
    for p, (v, s) in zip(params, states):
        with torch.no_grad():
            v[:] = beta1 * v + (1 - beta1) * p.grad
            s[:] = beta2 * s + (1 - beta2) * torch.square(p.grad)
            v_bias_corr = v / (1 - beta1 ** hyperparams["t"])
            s_bias_corr = s / (1 - beta2 ** hyperparams["t"])
            p[:] -= hyperparams["lr"] * v_bias_corr / (torch.sqrt(s_bias_corr) + eps)
        p.grad.data.zero_()
    hyperparams["t"] += 1


def yogi(params, states, hyperparams):
    beta1, beta2, eps = 0.9, 0.999, 1e-3
    for p, (v, s) in zip(params, states):
        with torch.no_grad():
            v[:] = beta1 * v + (1 - beta1) * p.grad
            s[:] = s + (1 - beta2) * torch.sign(torch.square(p.grad) - s) * torch.square(p.grad)
            v_bias_corr = v / (1 - beta1 ** hyperparams["t"])
            s_bias_corr = s / (1 - beta2 ** hyperparams["t"])
            p[:] -= hyperparams["lr"] * v_bias_corr / (torch.sqrt(s_bias_corr) + eps)
        p.grad.data.zero_()
    hyperparams["t"] += 1


X = wave(40, 5)
y = X.sum(1, keepdim=True) + 0.7
for update in (adam, yogi):
    w, b = torch.zeros((5, 1), requires_grad=True), torch.zeros(1, requires_grad=True)
    states = ((torch.zeros((5, 1)), torch.zeros((5, 1))), (torch.zeros(1), torch.zeros(1)))
    hyperparams = {"lr": 0.01, "t": 1}
    for _ in range(10):
        ((X @ w + b - y) ** 2 / 2).mean().backward()
        update([w, b], states, hyperparams)
    print(w.data.T, b.data, hyperparams["t"])
net = nn.Linear(5, 1)
nn.init.zeros_(net.weight)
nn.init.zeros_(net.bias)
for make in (torch.optim.Adam, torch.optim.AdamW, torch.optim.NAdam, torch.optim.Adamax):
    trainer = make(net.parameters(), lr=0.01)
    for _ in range(5):
        trainer.zero_grad()
        l = nn.MSELoss()(net(X), y)
        l.backward()
        trainer.step()
    print(f"{l:.4f}", float(trainer.state[net.weight]["step"]))
