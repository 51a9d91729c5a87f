import torch

x = torch.tensor([-2.0, -0.5, 0.5, 2.0])
lo, hi = torch.tensor([-1.0, 0.0, 0.0, 0.0]), torch.tensor([0.0, 0.0, 1.0, 1.0])
print(
    x.clamp(-1, 1),
    x.clamp(min=0),
    x.clamp(max=0.5),
    torch.clamp(x, lo, hi),
    x.clamp(min=lo),
    torch.clip(x, max=hi),
)
print(
    x.clamp_min(0),
    torch.clamp_max(x, 0),
    torch.max(x, lo),
    torch.minimum(x, hi),
    torch.max(x, torch.zeros(1)),
)
w = x.clone().requires_grad_()
w.clamp(lo, hi).sum().backward()
print(w.grad)
print(
    torch.where(x > 0, x, x * 0.1),
    torch.where(x > 0, 1, 0),
    torch.where(x > 0, 1.0, -1.0),
    torch.heaviside(x, torch.tensor([0.5])),
)
x[x < 0] *= -1
print(x, torch.nan_to_num(torch.tensor([float("nan"), float("inf")]), nan=0.0, posinf=9.0))
print(
    torch.sign(x) * torch.abs(x).sqrt(),
    torch.isclose(x, x + 1e-9),
    torch.relu(-x),
    torch.threshold(x, 1.0, 20.0)
    if hasattr(torch, "threshold")
    else torch.nn.functional.threshold(x, 1.0, 20.0),
)
y = torch.arange(5)
print(
    torch.where(y % 2 == 0)[0],
    y[torch.logical_or(y < 1, y > 3)],
    (y == 2).nonzero(as_tuple=True)[0].item(),
    torch.argwhere(y > 2),
)
print(
    torch.addcmul(x, x, x, value=0.5),
    torch.addcdiv(x, x, x + 1, value=2),
    torch.lerp(lo, hi, 0.25),
    torch.lerp(lo, hi, hi),
)
