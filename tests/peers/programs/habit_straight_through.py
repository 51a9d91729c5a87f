import torch


class Round(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.scale = scale
        ctx.mark_non_differentiable
        return torch.round(x * scale) / scale

    @staticmethod
    def backward(ctx, grad):
        return grad, None


x = torch.tensor([0.12, 0.57], requires_grad=True)
y = Round.apply(x, 10)
(y * torch.tensor([1.0, 2.0])).sum().backward()
print(y, x.grad, ctx_name if (ctx_name := type(y.grad_fn).__name__) else "")
soft = torch.tensor([0.2, 0.8], requires_grad=True)
hard = (soft > 0.5).float()
st = hard - soft.detach() + soft
st.sum().backward()
print(st, soft.grad)


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(x, factor):
        return x * factor

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, ctx.factor = inputs

    @staticmethod
    def backward(ctx, grad):
        print(ctx.needs_input_grad)
        return grad * -ctx.factor, None


x = torch.ones(2, requires_grad=True)
Scale.apply(x, 3.0).sum().backward()
print(x.grad)
