"""Lazy layers: sizes from the first input, as in d2l's classes of modern networks."""

import torch
from torch import nn


def init_cnn(module):
    if type(module) == nn.Linear or type(module) == nn.Conv2d:
        nn.init.xavier_uniform_(module.weight)


def nin_block(out_channels, kernel_size, strides, padding):
    return nn.Sequential(
        nn.LazyConv2d(out_channels, kernel_size, strides, padding),
        nn.ReLU(),
        nn.LazyConv2d(out_channels, kernel_size=1),
        nn.ReLU(),
        nn.LazyConv2d(out_channels, kernel_size=1),
        nn.ReLU(),
    )


net = nn.Sequential(
    nin_block(8, 5, 2, 2),
    nin_block(16, 3, 2, 1),
    nin_block(10, 3, 1, 1),
    nn.Flatten(),
    nn.LazyLinear(32),
    nn.ReLU(),
    nn.LazyLinear(10),
)
print(net)
print(net[0][0].weight)
print(isinstance(net[0][0].weight, nn.UninitializedParameter))
print(net[0][0].has_uninitialized_params())
try:
    net[0][0].weight.shape
except RuntimeError:
    print("no shape yet")
print(list(net.state_dict())[:4])
X = torch.ones(2, 1, 16, 16)
print(net(X).shape)
print(net)
net.apply(init_cnn)
for layer in net:
    X = layer(X)
    print(layer.__class__.__name__, "output shape:\t", X.shape)
print({name: tuple(v.shape) for name, v in net.state_dict().items()})

first = nn.LazyConv1d(4, 3)
ready = nn.Conv1d(2, 4, 3)
first.load_state_dict(ready.state_dict())
print(first)
print(torch.equal(first(torch.ones(1, 2, 5)), ready(torch.ones(1, 2, 5))))
print(type(first).__name__, first.in_channels)
up = nn.LazyConvTranspose2d(3, 2, stride=2)
print(up, up(torch.ones(1, 5, 4, 4)).shape, up.weight.shape)
copy = nn.LazyLinear(3)
print(copy.bias, copy)
optimizer_ready = sum(p.numel() for p in net.parameters())
print(optimizer_ready)
