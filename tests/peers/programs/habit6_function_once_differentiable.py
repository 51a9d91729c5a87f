import torch
from torch.autograd.function import once_differentiable


class Clip(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, lo, hi):
        mask = (x >= lo) & (x <= hi)
        ctx.save_for_backward(mask)
        ctx.set_materialize_grads(False)
        return x.clamp(lo, hi)

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        if g is None:
            return None, None, None
        (mask,) = ctx.saved_tensors
        return g * mask, None, None


x = torch.tensor([-2.0, -0.5, 0.5, 2.0], requires_grad=True)
y = Clip.apply(x, -1.0, 1.0)
(g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
print(y.detach(), g)
try:
    g.sum().backward()
except RuntimeError as e:
    print("second time:", type(e).__mro__[-4].__name__)


class InPlaceDouble(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 2


a = torch.ones(3, requires_grad=True)
b = a * 3
c = InPlaceDouble.apply(b)
print(c is b, b)
c.sum().backward()
print(a.grad)


class SortWithIndex(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        v, i = x.sort(dim=-1)
        ctx.mark_non_differentiable(i)
        ctx.save_for_backward(i)
        return v, i

    @staticmethod
    def backward(ctx, gv, gi):
        (i,) = ctx.saved_tensors
        return torch.zeros_like(gv).scatter(-1, i, gv)


x = torch.tensor([[3.0, 1.0, 2.0]], requires_grad=True)
v, i = SortWithIndex.apply(x)
print(v.requires_grad, i.requires_grad, i)
(v * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
print(x.grad)
