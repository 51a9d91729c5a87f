import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
import torch
import torch.nn.functional as F
from torch import nn
from torch.autograd import Function, gradcheck
from torch.autograd.function import once_differentiable


# ---- custom functions
class LinearFunction(Function):
    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight, bias)
        output = input.mm(weight.t())
        if bias is not None:
            output += bias.unsqueeze(0).expand_as(output)
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


class GradReverse(Function):
    @staticmethod
    def forward(ctx, x, lambd):
        ctx.lambd = lambd
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return g.neg() * ctx.lambd, None


class STERound(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return torch.round(x)

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        return g


class SplitExp(Function):
    """two outputs, new setup_context style"""

    @staticmethod
    def forward(x):
        y = x.exp()
        return y, (y > 1)

    @staticmethod
    def setup_context(ctx, inputs, output):
        y, mask = output
        ctx.mark_non_differentiable(mask)
        ctx.save_for_backward(y)

    @staticmethod
    def backward(ctx, gy, gmask):
        (y,) = ctx.saved_tensors
        return gy * y


x = torch.linspace(-1, 1, 8, dtype=torch.double).view(2, 4).requires_grad_()
w = torch.linspace(-0.5, 0.5, 12, dtype=torch.double).view(3, 4).requires_grad_()
b = torch.zeros(3, dtype=torch.double, requires_grad=True)
print(gradcheck(LinearFunction.apply, (x, w, b), eps=1e-6, atol=1e-4))
out = LinearFunction.apply(x, w, b)
print(type(out.grad_fn).__name__, out)
out.sum().backward()
print(x.grad[0], b.grad)
x.grad = None
(GradReverse.apply(x, 0.5) * 3).sum().backward()
print(x.grad[0])
q = torch.tensor([0.2, 1.7], requires_grad=True)
STERound.apply(q * 2).sum().backward()
print(STERound.apply(q), q.grad)
e, mask = SplitExp.apply(q)
print(mask, mask.requires_grad, torch.autograd.grad(e.sum(), q)[0])
soft = q.softmax(0)
hard = torch.zeros_like(soft).scatter_(0, soft.argmax(0, keepdim=True), 1.0) - soft.detach() + soft
print(hard.detach().round(), torch.autograd.grad((hard * torch.tensor([1.0, 2.0])).sum(), q)[0])

# ---- bfloat16 autocast on CPU
net = nn.Sequential(nn.Linear(8, 16), nn.LayerNorm(16), nn.ReLU(), nn.Linear(16, 4))
with torch.no_grad():
    for i, p in enumerate(net.parameters()):
        p.copy_(torch.sin(torch.arange(p.numel()) * 0.9 + i).view_as(p).mul(0.25).bfloat16())
data = torch.cos(torch.arange(12 * 8.0)).view(12, 8)
target = torch.arange(12) % 4
print(torch.is_autocast_enabled("cpu") if hasattr(torch, "is_autocast_enabled") else None)
with torch.autocast(device_type="cpu", dtype=torch.bfloat16):
    h = net[0](data)
    print(
        h.dtype,
        (h @ h.T).dtype,
        (h.float() + 1).dtype,
        h.softmax(-1).dtype,
        torch.get_autocast_dtype("cpu"),
    )
    with torch.autocast("cpu", enabled=False):
        print((h.float() @ h.float().T).dtype)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu", enabled=False)
for step in range(4):
    opt.zero_grad(set_to_none=True)
    with torch.amp.autocast("cpu", dtype=torch.bfloat16):
        logits = net(data)
        loss = F.cross_entropy(logits.float(), target)
    scaler.scale(loss).backward()
    scaler.step(opt)
    scaler.update()
    print(
        step,
        logits.dtype,
        loss.dtype,
        f"{loss.item():.1f}",
        {p.grad.dtype for p in net.parameters()},
    )
print(scaler.is_enabled(), scaler.get_scale())
net.to(torch.bfloat16)
print(
    {n: p.dtype for n, p in net.named_parameters() if n.startswith("0")}, net(data.bfloat16()).dtype
)
v = torch.tensor([1.0, 3.14159, 1e-3, 65504.0], dtype=torch.bfloat16)
print(v, v.half(), v.float() - v, v.to(torch.int32), sep="\n")
print(
    torch.tensor([1 / 3]).half(),
    torch.tensor([1 / 3]).half().double().item(),
    v.sum().dtype,
    v.tolist()[1],
)
