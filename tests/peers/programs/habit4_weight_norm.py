import torch
from torch import nn
from torch.nn.utils import parametrizations

lin = nn.Linear(3, 2)
nn.init.constant_(lin.weight, 0.5)
nn.init.zeros_(lin.bias)
m = parametrizations.weight_norm(lin, name="weight")
print(m)
print(m.parametrizations.weight.original0.size(), m.parametrizations.weight.original1.size())
print(m(torch.ones(1, 3)))
m(torch.ones(1, 3)).sum().backward()
print([n for n, p in m.named_parameters()])
print(m.parametrizations.weight.original0.grad)
print(list(m.state_dict()))
