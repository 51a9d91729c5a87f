import math

import torch
from torch.autograd import Function, gradcheck


class LegendrePolynomial3(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return 0.5 * (5 * input**3 - 3 * input)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return grad_output * 1.5 * (5 * input**2 - 1)


x = torch.linspace(-math.pi, math.pi, 50, dtype=torch.float)
y = torch.sin(x)
a = torch.full((), 0.0, requires_grad=True)
b = torch.full((), -1.0, requires_grad=True)
c = torch.full((), 0.0, requires_grad=True)
d = torch.full((), 0.3, requires_grad=True)
for t in range(100):
    P3 = LegendrePolynomial3.apply
    y_pred = a + b * P3(c + d * x)
    loss = (y_pred - y).pow(2).sum()
    if t % 50 == 49:
        print(t, loss.item())
    loss.backward()
    with torch.no_grad():
        for p in (a, b, c, d):
            p -= 1e-4 * p.grad
            p.grad = None
print(f"Result: y = {a.item():.3f} + {b.item():.3f} * P3({c.item():.3f} + {d.item():.3f} x)")
print(y_pred.grad_fn.name(), P3(torch.ones(1, requires_grad=True)))
print(gradcheck(P3, (torch.randn(3, dtype=torch.double, requires_grad=True),)))


class Clip(Function):
    @staticmethod
    def forward(ctx, x, lo, hi):
        ctx.save_for_backward(x)
        ctx.lo, ctx.hi = lo, hi
        return x.clamp(lo, hi)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        print(ctx.needs_input_grad)
        return g * ((x >= ctx.lo) & (x <= ctx.hi)), None, None


v = torch.tensor([-2.0, 0.5, 2.0], requires_grad=True)
Clip.apply(v, -1, 1).sum().backward()
print(v.grad)


class Exp(Function):
    @staticmethod
    def forward(i):
        return i.exp()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, g):
        (r,) = ctx.saved_tensors
        return g * r


w = torch.tensor([0.0, 1.0], requires_grad=True)
Exp.apply(w).sum().backward()
print(w.grad)
