from collections import OrderedDict

import torch
from torch import nn

a = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
b = nn.Sequential(nn.Linear(8, 2))
both = a + b
print(len(both), both)
both.append(nn.Sigmoid())
print(both[-1], both[:2], both(torch.zeros(1, 4)).shape)
named = nn.Sequential(OrderedDict([("fc1", nn.Linear(2, 3)), ("act", nn.Tanh())]))
named.add_module("fc2", nn.Linear(3, 1))
print(named, named.fc1.weight.shape)
a += b
print(len(a), [type(m).__name__ for m in a])
body = list(a.children())[:-1]
print(nn.Sequential(*body))
del named[0]
print(len(named))
named.insert(0, nn.Dropout(0.1))
print(named)
