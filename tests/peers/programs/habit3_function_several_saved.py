import torch
from torch.autograd import Function


class LinearFunction(Function):
    @staticmethod
    def forward(ctx, input, weight, bias=None):
        output = input.mm(weight.t())
        if bias is not None:
            output += bias.unsqueeze(0).expand_as(output)
        ctx.save_for_backward(input, weight, bias)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, bias = ctx.saved_tensors
        grad_input = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_input = grad_output.mm(weight)
        if ctx.needs_input_grad[1]:
            grad_weight = grad_output.t().mm(input)
        if bias is not None and ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(0)
        return grad_input, grad_weight, grad_bias


class PolarParts(Function):
    @staticmethod
    def forward(ctx, x, y):
        r = torch.sqrt(x * x + y * y)
        angle = torch.atan2(y, x)
        ctx.save_for_backward(x, y, r)
        return r, angle

    @staticmethod
    def backward(ctx, grad_r, grad_angle):
        x, y, r = ctx.saved_tensors
        r2 = r * r
        return grad_r * x / r - grad_angle * y / r2, grad_r * y / r + grad_angle * x / r2


x = torch.arange(6.0).view(2, 3).requires_grad_()
w = torch.ones(2, 3, requires_grad=True)
b = torch.zeros(2, requires_grad=True)
LinearFunction.apply(x, w, b).pow(2).sum().backward()
print(x.grad, w.grad, b.grad)
LinearFunction.apply(x, w).sum().backward()
print(b.grad)
u = torch.tensor([1.0, 2.0], dtype=torch.double, requires_grad=True)
v = torch.tensor([0.5, -1.0], dtype=torch.double, requires_grad=True)
print(torch.autograd.gradcheck(PolarParts.apply, (u, v), eps=1e-6, atol=1e-4))
r, angle = PolarParts.apply(u, v)
r.sum().backward()
print(u.grad, v.grad)
