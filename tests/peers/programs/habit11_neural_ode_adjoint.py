import torch
import torch.nn as nn


def rk4_step(f, t, y, dt):
    k1 = f(t, y)
    k2 = f(t + dt / 2, y + dt * k1 / 2)
    k3 = f(t + dt / 2, y + dt * k2 / 2)
    k4 = f(t + dt, y + dt * k3)
    return y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def odeint(f, y0, t, method="rk4"):
    ys, y = [y0], y0
    for t0, t1 in zip(t[:-1], t[1:]):
        dt = t1 - t0
        y = rk4_step(f, t0, y, dt) if method == "rk4" else y + dt * f(t0, y)
        ys.append(y)
    return torch.stack(ys, dim=0)


class ODEFunc(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 10), nn.Tanh(), nn.Linear(10, 2))
        self.nfe = 0
        for m in self.net.modules():
            if isinstance(m, nn.Linear):
                with torch.no_grad():
                    m.weight.copy_(0.3 * torch.sin(torch.arange(20.0) * 1.7).view(m.weight.shape))
                nn.init.constant_(m.bias, val=0)

    def forward(self, t, y):
        self.nfe += 1
        return self.net(y**3)


class Adjoint(torch.autograd.Function):
    @staticmethod
    def forward(ctx, y0, t, func, *params):
        with torch.no_grad():
            ys = odeint(func, y0, t)
        ctx.func = func
        ctx.save_for_backward(t, ys, *params)
        return ys

    @staticmethod
    def backward(ctx, gys):
        t, ys, *params = ctx.saved_tensors
        gparams = [torch.zeros_like(p) for p in params]
        a = gys[-1]
        for i in range(len(t) - 1, 0, -1):
            with torch.enable_grad():
                y = ys[i - 1].detach().requires_grad_(True)
                out = rk4_step(ctx.func, t[i - 1], y, t[i] - t[i - 1])
                gy, *gp = torch.autograd.grad(out, (y, *params), a)
            a = gy + gys[i - 1]
            gparams = [g + h for g, h in zip(gparams, gp)]
        return (a, None, None, *gparams)


A = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]])
t = torch.linspace(0.0, 2.0, 21)
y0 = torch.tensor([[2.0, 0.0]])
true = odeint(lambda s, y: y @ A, y0, t)
exact = torch.stack([y0 @ torch.matrix_exp(A * s) for s in t])
euler = odeint(lambda s, y: y @ A, y0, t, method="euler")
print(true.shape, (true - exact).abs().max() < 1e-3, (euler - exact).abs().max())
print(true[-1])
func = ODEFunc()
pred = odeint(func, y0, t)
loss = (pred - true).abs().mean()
loss.backward()
g1 = [p.grad.clone() for p in func.parameters()]
func.zero_grad()
print(loss, func.nfe, [p.grad for p in func.parameters()])
y0a = y0.clone().requires_grad_()
loss = (Adjoint.apply(y0a, t, func, *func.parameters()) - true).abs().mean()
loss.backward()
print([torch.allclose(a, p.grad, atol=1e-5) for a, p in zip(g1, func.parameters())], y0a.grad)
opt = torch.optim.RMSprop(func.parameters(), lr=1e-2)
losses = []
for it in range(15):
    opt.zero_grad()
    l = torch.mean(torch.abs(odeint(func, y0, t) - true))
    l.backward()
    opt.step()
    losses.append(l.item())
print([round(v, 2) for v in losses[::7]])
print(opt)
# Gradient wrt. a physical parameter through the solver
k = torch.tensor(3.0, requires_grad=True)
omega = lambda s, y: torch.stack([y[1], -k * y[0]])
traj = odeint(omega, torch.tensor([1.0, 0.0]), torch.linspace(0, 1, 51))
traj[-1, 0].backward()
w = k.detach().sqrt()
print(round(traj[-1, 0].item(), 5), round(torch.cos(w).item(), 5))
print(torch.allclose(k.grad, -torch.sin(w) / (2 * w), atol=1e-4), k.grad)
# double precision gradcheck of one step
fn = lambda y: rk4_step(lambda s, z: torch.sin(z) * z, 0.0, y, 0.1)
print(
    torch.autograd.gradcheck(
        fn, (torch.linspace(-1, 1, 3, dtype=torch.double, requires_grad=True),)
    )
)
