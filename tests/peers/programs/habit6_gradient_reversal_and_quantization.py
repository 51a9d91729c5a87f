import torch
from torch import nn
from torch.autograd import Function


class GradReverse(Function):
    @staticmethod
    def forward(ctx, x, lambd):
        ctx.lambd = lambd
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.neg() * ctx.lambd, None


class RoundSTE(Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, g):
        return g


class FakeQuant(Function):
    @staticmethod
    def forward(ctx, x, scale, zero, lo, hi):
        q = torch.clamp(torch.round(x / scale) + zero, lo, hi)
        ctx.save_for_backward((q > lo) & (q < hi))
        return (q - zero) * scale

    @staticmethod
    def backward(ctx, g):
        (m,) = ctx.saved_tensors
        return g * m, None, None, None, None


x = torch.tensor([0.3, -1.7, 2.6], requires_grad=True)
GradReverse.apply(x, 0.5).sum().backward()
print(x.grad)
x.grad.zero_()
y = RoundSTE.apply(x)
(y * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
print(y, x.grad)
x.grad = None
q = FakeQuant.apply(x, 0.25, 4, 0, 15)
q.sum().backward()
print(q, x.grad)
z = x + (x.sign() - x).detach()
z.sum().backward()
print(z, x.grad)


class VQ(nn.Module):
    def __init__(self):
        super().__init__()
        self.book = nn.Parameter(torch.tensor([[0.0, 0.0], [1.0, 1.0], [-1.0, 1.0]]))

    def forward(self, z):
        d = z.pow(2).sum(1, keepdim=True) - 2 * z @ self.book.t() + self.book.pow(2).sum(1)
        idx = d.argmin(1)
        zq = self.book[idx]
        loss = (zq - z.detach()).pow(2).mean() + 0.25 * (zq.detach() - z).pow(2).mean()
        return z + (zq - z).detach(), loss, idx


vq = VQ()
z = torch.tensor([[0.2, 0.1], [0.8, 1.3]], requires_grad=True)
out, loss, idx = vq(z)
(out.sum() + loss).backward()
print(out, loss, idx, z.grad, vq.book.grad)
t8 = (
    torch.quantize_per_tensor
    if False
    else (x.detach() / 0.1).round().clamp(-128, 127).to(torch.int8)
)
print(t8, t8.float() * 0.1, t8.dtype, (t8.int() @ t8.int()))


class BinaryLinear(nn.Linear):
    def forward(self, inp):
        w = self.weight
        wb = torch.where(w >= 0, torch.ones_like(w), -torch.ones_like(w))
        return nn.functional.linear(inp, (wb - w).detach() + w, self.bias)


bl = BinaryLinear(2, 2)
bl.weight.data = torch.tensor([[0.3, -0.2], [-0.1, 0.5]])
bl.bias.data.zero_()
bl(torch.ones(1, 2)).sum().backward()
print(bl.weight.grad, bl)


class Swish(Function):
    @staticmethod
    def forward(ctx, i):
        ctx.save_for_backward(i)
        return i * torch.sigmoid(i)

    @staticmethod
    def backward(ctx, grad_output):
        i = ctx.saved_tensors[0]
        s = torch.sigmoid(i)
        return grad_output * (s * (1 + i * (1 - s)))


i = torch.linspace(-2, 2, 5, dtype=torch.float64, requires_grad=True)
print(torch.autograd.gradcheck(Swish.apply, i), torch.autograd.gradgradcheck(Swish.apply, i))
try:
    Swish()(i)
except (RuntimeError, TypeError):
    print("legacy function")


class NoGrad(Function):
    @staticmethod
    def forward(ctx, a, b):
        return a + b, a - b

    @staticmethod
    def backward(ctx, ga, gb):
        print(ctx.needs_input_grad, ga, gb)
        return ga + gb, None


a, b = torch.ones(2, requires_grad=True), torch.ones(2)
s, d = NoGrad.apply(a, b)
s.sum().backward()
print(a.grad, type(s.grad_fn).__name__)
