import torch
from torch import nn


class RoundSTE(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale, zero_point, qmin, qmax):
        q = torch.round(x / scale + zero_point)
        mask = (q >= qmin) & (q <= qmax)
        ctx.save_for_backward(mask)
        ctx.scale = scale
        return (q.clamp(qmin, qmax) - zero_point) * scale

    @staticmethod
    def backward(ctx, grad_output):
        (mask,) = ctx.saved_tensors
        return grad_output * mask, None, None, None, None


class FakeQuant(nn.Module):
    def __init__(self, bits=4):
        super().__init__()
        self.qmin, self.qmax = 0, 2**bits - 1
        self.register_buffer("min_val", torch.tensor(float("inf")))
        self.register_buffer("max_val", torch.tensor(float("-inf")))
        self.register_buffer("enabled", torch.tensor(True))

    def forward(self, x):
        if self.training:
            self.min_val.copy_(torch.min(x.detach().min(), self.min_val))
            self.max_val.copy_(torch.max(x.detach().max(), self.max_val))
        if not self.enabled:
            return x
        scale = ((self.max_val - self.min_val) / (self.qmax - self.qmin)).item()
        zp = round(self.qmin - self.min_val.item() / scale)
        return RoundSTE.apply(x, scale, zp, self.qmin, self.qmax)

    def extra_repr(self):
        return f"qmin={self.qmin}, qmax={self.qmax}"


fq = FakeQuant(3)
w = nn.Parameter(torch.linspace(-1, 2, 7))
out = fq(w)
print(out)
(out**2).sum().backward()
print(w.grad)
fq.eval()
print(fq(torch.tensor([-5.0, 0.3, 5.0], requires_grad=True)))
print(fq, list(fq.state_dict().items()))


class Swish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, i):
        ctx.save_for_backward(i)
        return i * torch.sigmoid(i)

    @staticmethod
    def backward(ctx, g):
        i = ctx.saved_tensors[0]
        s = torch.sigmoid(i)
        return g * (s * (1 + i * (1 - s)))


x = torch.linspace(-2, 2, 4, dtype=torch.double, requires_grad=True)
print(torch.autograd.gradcheck(Swish.apply, (x,)), Swish.apply(x))
