import torch
import torch.nn.functional as F

x = torch.cos(torch.arange(12.0)).reshape(3, 4).requires_grad_()
w = torch.linspace(0.5, 1.5, 4, requires_grad=True)
b = torch.zeros(4, requires_grad=True)
v = torch.sin(torch.arange(12.0)).reshape(3, 4)
for name, y in {
    "layer_norm": F.layer_norm(x, (4,), w, b),
    "softmax": F.softmax(x * w + b, dim=1),
    "log_softmax": F.log_softmax(x * w + b, dim=0),
    "gelu": F.gelu(x * w + b),
    "silu": F.silu(x * w + b),
    "std": (x * w + b).std(1, keepdim=True) * v,
}.items():
    (g,) = torch.autograd.grad(y, x, v, create_graph=True)
    second = torch.autograd.grad((g * g).sum(), [x, w, b], allow_unused=True)
    print(name)
    print(f"{g.abs().sum().item():.3f}")
    for part in second:
        print(None if part is None else f"{part.abs().sum().item() + 1:.3f}")

p = torch.tensor([1.0, 2.0], requires_grad=True)
(p**3).sum().backward(create_graph=True)
print(p.grad.detach(), p.grad.requires_grad)
(p.grad.sum() * 2).backward()
print(p.grad.detach())
p.grad = None
