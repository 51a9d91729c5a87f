import torch


class MulConstant(torch.autograd.Function):
    @staticmethod
    def forward(ctx, tensor, constant):
        ctx.constant = constant
        return tensor * constant

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.constant, None


class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, i):
        result = i.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * result


class Sort(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        values, idx = torch.sort(x)
        ctx.mark_non_differentiable(idx)
        ctx.save_for_backward(idx)
        return values, idx

    @staticmethod
    def backward(ctx, g1, g2):
        (idx,) = ctx.saved_tensors
        grad_input = torch.zeros_like(g1)
        grad_input.index_add_(0, idx, g1)
        return grad_input


x = torch.tensor([1.0, 2.0], requires_grad=True)
MulConstant.apply(x, 5.5).sum().backward()
print(x.grad)
y = torch.tensor([0.0, 1.0], requires_grad=True)
out = Exp.apply(y)
(g,) = torch.autograd.grad(out.sum(), y, create_graph=True)
(g2,) = torch.autograd.grad(g.sum(), y)
print(g, g2)
z = torch.tensor([3.0, 1.0, 2.0], requires_grad=True)
values, index = Sort.apply(z)
(values * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
print(values, index, index.requires_grad, z.grad)
