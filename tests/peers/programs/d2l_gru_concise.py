"""d2l 9.1: nn.GRU."""

import torch
from torch import nn


def set_weights(net):
    with torch.no_grad():
        for place, param in enumerate(net.parameters()):
            steps = torch.arange(param.numel(), dtype=torch.float32)
            spread = 1.0 / max(1, param.numel() // param.shape[0]) ** 0.5
            param.copy_((torch.sin(steps * 0.7 + place) * spread).reshape(param.shape))


def wave(*shape, step=0.37, start=0.0):
    count = 1
    for size in shape:
        count *= size
    return torch.sin(torch.arange(count, dtype=torch.float32) * step + start).reshape(shape)


gru_layer = nn.GRU(7, 5)
set_weights(gru_layer)
print(gru_layer)
X = wave(4, 2, 7)
Y, state = gru_layer(X)
print(Y.shape, state.shape)
print(Y[-1], state[0])
Y, state = gru_layer(X, torch.ones(1, 2, 5))
Y.pow(2).sum().backward()
for name, param in gru_layer.named_parameters():
    print(name, param.shape, f"{param.grad.norm():.4f}")
cell = nn.GRUCell(7, 5)
set_weights(cell)
hidden = torch.zeros(2, 5)
for x in X:
    hidden = cell(x, hidden)
print(hidden)
