import torch
from torch.autograd import Function, gradcheck


class Exp(Function):
    @staticmethod
    def forward(ctx, i):
        result = i.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * result


class LinearFunction(Function):
    @staticmethod
    def forward(input, weight, bias):
        output = input.mm(weight.t())
        if bias is not None:
            output += bias.unsqueeze(0).expand_as(output)
        return output

    @staticmethod
    def setup_context(ctx, inputs, output):
        input, weight, bias = inputs
        ctx.save_for_backward(input, weight, bias)

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


class MulConstant(Function):
    @staticmethod
    def forward(tensor, constant):
        return tensor * constant

    @staticmethod
    def setup_context(ctx, inputs, output):
        tensor, constant = inputs
        ctx.constant = constant

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.constant, None


x = torch.linspace(-1, 1, 5, requires_grad=True)
y = Exp.apply(x)
print(y, y.grad_fn is not None, y.grad_fn.name())
y.sum().backward()
print(x.grad)

inp = torch.arange(6, dtype=torch.double).reshape(2, 3).div(7).requires_grad_()
w = torch.arange(12, dtype=torch.double).reshape(4, 3).cos().requires_grad_()
b = torch.ones(4, dtype=torch.double, requires_grad=True)
print(gradcheck(LinearFunction.apply, (inp, w, b), eps=1e-6, atol=1e-4))
print(gradcheck(LinearFunction.apply, (inp, w, None), eps=1e-6, atol=1e-4))
out = LinearFunction.apply(inp, w, b)
out.pow(2).sum().backward()
print(inp.grad, w.grad.shape, b.grad)
z = MulConstant.apply(x, 5)
print(torch.autograd.grad(z.sum(), x))


class MyCube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3, 3 * x**2

    @staticmethod
    def backward(ctx, grad_output, grad_dx):
        (x,) = ctx.saved_tensors
        return grad_output * 3 * x**2 + grad_dx * 6 * x


def my_cube(x):
    return MyCube.apply(x)[0]


c = torch.tensor([1.0, 2.0, -3.0], requires_grad=True)
(g1,) = torch.autograd.grad(my_cube(c).sum(), c, create_graph=True)
(g2,) = torch.autograd.grad(g1.sum(), c)
print(g1, g2)
