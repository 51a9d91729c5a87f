import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_, clip_grad_value_

model = nn.Linear(3, 2)
for p in model.parameters():
    nn.init.ones_(p)
model(torch.tensor([[1.0, 2.0, 3.0]])).pow(2).sum().backward()
total = torch.norm(torch.stack([torch.norm(p.grad.detach(), 2) for p in model.parameters()]), 2)
norm = clip_grad_norm_(model.parameters(), max_norm=1.0)
print(total, norm, norm.item())
print(sum(p.grad.norm() ** 2 for p in model.parameters()).sqrt())
for p in model.parameters():
    p.grad *= 10
clip_grad_value_(model.parameters(), clip_value=0.5)
print(model.weight.grad, model.bias.grad)
print(clip_grad_norm_(model.parameters(), 0.1, norm_type=float("inf")))
print(torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0, norm_type=1))
for p in model.parameters():
    p.register_hook(lambda grad: torch.clamp(grad, -0.25, 0.25))
model.zero_grad()
model(torch.ones(1, 3)).sum().backward()
print(model.weight.grad)
try:
    model.weight.grad[0, 0] = float("nan")
    clip_grad_norm_(model.parameters(), 1.0, error_if_nonfinite=True)
except RuntimeError as e:
    print(type(e).__name__)
