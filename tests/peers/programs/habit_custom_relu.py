import torch


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        grad_input = grad_output.clone()
        grad_input[input < 0] = 0
        return grad_input


x = torch.tensor([[1.0, -2.0], [-0.5, 3.0]], requires_grad=True)
y = MyReLU.apply(x)
print(y)
y.pow(2).sum().backward()
print(x.grad, y.requires_grad, y.is_leaf)
dtype = torch.float
device = torch.device("cpu")
N, D_in, H, D_out = 8, 5, 4, 2
inputs = torch.linspace(-1, 1, N * D_in, device=device, dtype=dtype).view(N, D_in)
target = torch.zeros(N, D_out, device=device, dtype=dtype)
w1 = torch.linspace(-0.5, 0.5, D_in * H).view(D_in, H).requires_grad_()
w2 = torch.linspace(0.5, -0.5, H * D_out).view(H, D_out).requires_grad_()
for t in range(4):
    relu = MyReLU.apply
    loss = (relu(inputs.mm(w1)).mm(w2) - target).pow(2).sum()
    print(t, loss.item())
    loss.backward()
    with torch.no_grad():
        w1 -= 1e-2 * w1.grad
        w2 -= 1e-2 * w2.grad
        w1.grad.zero_()
        w2.grad.zero_()
print(
    torch.autograd.gradcheck(
        MyReLU.apply, torch.tensor([1.0, -2.0], dtype=torch.double, requires_grad=True)
    )
)
