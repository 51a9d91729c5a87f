import torch
from torch import nn
from torch.func import functional_call


def fill(m):
    with torch.no_grad():
        for i, p in enumerate(m.parameters()):
            p.copy_(torch.sin(torch.arange(float(p.numel())) + i).view_as(p) * 0.5)
    return m


net = fill(nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1)))
meta = torch.optim.SGD(net.parameters(), lr=0.01)
xs = torch.linspace(-2, 2, 6).unsqueeze(1)
for it in range(3):
    meta.zero_grad()
    total = 0.0
    for phase in (0.0, 1.0):
        y = torch.sin(xs + phase)
        fast = dict(net.named_parameters())
        for _ in range(2):
            loss = nn.functional.mse_loss(functional_call(net, fast, (xs[:3],)), y[:3])
            grads = torch.autograd.grad(loss, fast.values(), create_graph=True)
            fast = {k: p - 0.1 * g for (k, p), g in zip(fast.items(), grads)}
        outer = nn.functional.mse_loss(functional_call(net, fast, (xs[3:],)), y[3:])
        outer.backward()
        total += outer.item()
    meta.step()
    print(it, round(total, 4), net[0].weight.grad.flatten()[:3])

# learned learning rate
lr = torch.tensor(0.1, requires_grad=True)
w = torch.tensor([1.0, 2.0], requires_grad=True)
for _ in range(3):
    (g,) = torch.autograd.grad((w**2).sum(), w, create_graph=True)
    w = w - lr * g
(w**2).sum().backward()
print(lr.grad, w)


# implicit differentiation of a fixed point by Function
class Sqrt(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        x = torch.ones_like(a)
        for _ in range(20):
            x = 0.5 * (x + a / x)
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g / (2 * x)


a = torch.tensor([4.0, 9.0], requires_grad=True)
r = Sqrt.apply(a)
(g,) = torch.autograd.grad(r.sum(), a, create_graph=True)
print(r, g)


def cg(A, b, n=10):
    x = torch.zeros_like(b)
    r = b - A(x)
    p = r.clone()
    rs = r @ r
    for _ in range(n):
        Ap = A(p)
        alpha = rs / (p @ Ap)
        x += alpha * p
        r -= alpha * Ap
        new = r @ r
        if new < 1e-10:
            break
        p = r + (new / rs) * p
        rs = new
    return x


theta = torch.tensor([0.5, -0.3, 0.2], requires_grad=True)
f = (theta.exp()).sum() + (theta.prod()) + (theta**4).sum()
(grad,) = torch.autograd.grad(f, theta, create_graph=True)
hvp = lambda v: torch.autograd.grad(grad, theta, v, retain_graph=True)[0] + 0.1 * v
step = cg(hvp, grad.detach())
print(step, torch.allclose(hvp(step), grad.detach(), atol=1e-4))
fisher = torch.zeros(3)
for s in (0.1, 0.2):
    (gi,) = torch.autograd.grad((theta * s).sin().sum(), theta)
    fisher += gi**2
print(fisher / 2)
H = torch.autograd.functional.hessian(
    lambda t: (t.exp()).sum() + t.prod() + (t**4).sum(), theta.detach()
)
print(torch.linalg.eigvalsh(H), torch.diagonal(H))
