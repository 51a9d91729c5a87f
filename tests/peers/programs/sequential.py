from collections import OrderedDict

import torch
from torch import nn

net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
print(net[0], net[-1], len(net), net[:2], isinstance(net[1], nn.ReLU))
for name, child in net.named_children():
    print(name, child)
net.append(nn.Sigmoid())
net.add_module("last", nn.Flatten())
print(net)
net[1] = nn.Tanh()
print(net[1], list(net.state_dict()), net(torch.ones(4, 2)).shape)
named = nn.Sequential(OrderedDict([("fc", nn.Linear(2, 1)), ("act", nn.LeakyReLU(0.1))]))
print(named, named.fc.weight.shape)
print(
    nn.Sequential(
        nn.ELU(), nn.SiLU(), nn.Softplus(), nn.GELU(), nn.LogSoftmax(dim=1), nn.LayerNorm(3)
    )
)
print(
    nn.Embedding(5, 2), nn.Dropout(), nn.BCELoss(), nn.SmoothL1Loss(), nn.HuberLoss(), nn.L1Loss()
)
