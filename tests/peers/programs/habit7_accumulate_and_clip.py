import torch
import torch.nn as nn
from torch.nn.utils import (
    clip_grad_norm_,
    clip_grad_value_,
    parameters_to_vector,
    vector_to_parameters,
)


def noise(*shape):
    n = 1
    for s in shape:
        n *= s
    return (
        (torch.sin(torch.arange(n, dtype=torch.float32) * 12.9898) * 43758.5453 / 1e4)
        .sin()
        .mul(1.5)
        .view(*shape)
    )


def fixed(module):
    with torch.no_grad():
        for i, p in enumerate(module.parameters()):
            p.copy_(
                torch.sin(torch.arange(p.numel(), dtype=torch.float32) * 0.7 + i).view_as(p) * 0.3
            )
    return module


model = fixed(nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1)))
x, y = noise(16, 4), noise(16, 1)
loss_fn = nn.MSELoss()

loss_fn(model(x), y).backward()
whole = [p.grad.clone() for p in model.parameters()]
model.zero_grad()
print([p.grad for p in model.parameters()])
for xb, yb in zip(x.chunk(4), y.chunk(4)):
    (loss_fn(model(xb), yb) / 4).backward()
print(all(torch.allclose(p.grad, g, atol=1e-6) for p, g in zip(model.parameters(), whole)))

total = torch.norm(torch.stack([torch.norm(p.grad.detach(), 2.0) for p in model.parameters()]), 2.0)
returned = clip_grad_norm_(model.parameters(), 0.1)
print(total, returned, torch.isclose(total, returned))
after = torch.cat([p.grad.flatten() for p in model.parameters()]).norm()
print(after, clip_grad_norm_(model.parameters(), 10.0, norm_type=float("inf")))
clip_grad_value_(model.parameters(), clip_value=0.01)
print(max(p.grad.abs().max() for p in model.parameters()))

vector = parameters_to_vector(model.parameters())
print(vector.shape, vector.requires_grad, vector.norm())
vector_to_parameters(torch.zeros_like(vector), model.parameters())
print(model(x).abs().sum())

for name, p in model.named_parameters():
    print(name.ljust(10), p.grad.norm().item() > 0, p.is_leaf, p.grad_fn, p.grad.requires_grad)
handles = [p.register_hook(lambda g: g.clamp(-0.5, 0.5)) for p in model.parameters()]
model.zero_grad(set_to_none=False)
print([p.grad.abs().sum().item() for p in model.parameters()])
(loss_fn(model(x), 100 * y)).backward()
print([round(p.grad.abs().max().item(), 4) for p in model.parameters()])
for h in handles:
    h.remove()
model[0].weight.grad[0, 0] = float("nan")
try:
    clip_grad_norm_(model.parameters(), 1.0, error_if_nonfinite=True)
except RuntimeError as e:
    print("non-finite")
print(clip_grad_norm_(model.parameters(), 1.0))
print(torch.nn.utils.get_total_norm([torch.tensor([3.0, 4.0])]))
print(
    torch.nn.utils.clip_grad_norm_([], 1.0), clip_grad_norm_(torch.nn.Parameter(torch.ones(2)), 1.0)
)
steps = 0
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(10):
    if (i + 1) % 4 == 0 or i + 1 == 10:
        optimizer.zero_grad()
        steps += 1
print(steps, optimizer.state_dict()["param_groups"])
