import torch


class MyCube(torch.autograd.Function):
    @staticmethod
    def forward(x):
        dx = 3 * x**2
        return x**3, dx

    @staticmethod
    def setup_context(ctx, inputs, output):
        (x,) = inputs
        result, dx = output
        ctx.save_for_backward(x, dx)

    @staticmethod
    def backward(ctx, grad_output, grad_dx):
        x, dx = ctx.saved_tensors
        return grad_output * dx + grad_dx * 6 * x


def my_cube(x):
    result, dx = MyCube.apply(x)
    return result


x = torch.tensor([1.0, -2.0], requires_grad=True)
y = my_cube(x)
y.sum().backward()
print(y, x.grad)
ggx = torch.tensor(2.0, requires_grad=True)
(first,) = torch.autograd.grad(my_cube(ggx), ggx, create_graph=True)
(second,) = torch.autograd.grad(first, ggx)
print(first, second)
