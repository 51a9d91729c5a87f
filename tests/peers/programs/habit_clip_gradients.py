import torch
from torch import nn
from torch.nn.utils import (
    clip_grad_norm_,
    clip_grad_value_,
    parameters_to_vector,
    vector_to_parameters,
)

model = nn.Linear(3, 2)
nn.init.ones_(model.weight)
nn.init.zeros_(model.bias)
model(torch.full((4, 3), 10.0)).pow(2).sum().backward()
total = clip_grad_norm_(model.parameters(), max_norm=2.0)
print(total, torch.cat([p.grad.flatten() for p in model.parameters()]).norm())
clip_grad_value_(model.parameters(), 0.1)
print(model.weight.grad.max(), model.bias.grad)
norm = 0.0
for p in model.parameters():
    norm += p.grad.data.norm(2).item() ** 2
print(norm**0.5)
vec = parameters_to_vector(model.parameters())
print(vec.shape, vec)
vector_to_parameters(torch.arange(8.0), model.parameters())
print(model.weight, model.bias)
print(sum(p.numel() for p in model.parameters() if p.requires_grad))
for p in model.parameters():
    p.data.add_(p.grad, alpha=-0.1)
print(model.bias.data)
