import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
import math

import torch
import torch.nn as nn
from torch.autograd import grad
from torch.utils.checkpoint import checkpoint, checkpoint_sequential


class FCN(nn.Module):
    "fully connected network"

    def __init__(self, n_input, n_output, n_hidden, n_layers):
        super().__init__()
        activation = nn.Tanh
        self.fcs = nn.Sequential(*[nn.Linear(n_input, n_hidden), activation()])
        self.fch = nn.Sequential(
            *[
                nn.Sequential(*[nn.Linear(n_hidden, n_hidden), activation()])
                for _ in range(n_layers - 1)
            ]
        )
        self.fce = nn.Linear(n_hidden, n_output)

    def forward(self, x):
        return self.fce(self.fch(self.fcs(x)))


def det_init(net, s=1.0):
    with torch.no_grad():
        for i, p in enumerate(net.parameters()):
            p.copy_(
                (
                    s
                    * torch.sin(1.7 * torch.arange(p.numel(), dtype=p.dtype) + i)
                    / p.shape[-1] ** 0.5
                ).view_as(p)
            )
    return net


# ---- damped oscillator PINN
d, w0 = 0.5, 4
mu, k = 2 * d, w0**2
pinn = det_init(FCN(1, 1, 16, 2).double())
print(pinn)
t_boundary = torch.tensor(0.0).double().view(-1, 1).requires_grad_(True)
t_physics = torch.linspace(0, 1, 20, dtype=torch.float64).view(-1, 1).requires_grad_(True)
optimiser = torch.optim.Adam(pinn.parameters(), lr=5e-3)
for i in range(41):
    optimiser.zero_grad()
    u = pinn(t_boundary)
    loss1 = (torch.squeeze(u) - 1) ** 2
    dudt = torch.autograd.grad(u, t_boundary, torch.ones_like(u), create_graph=True)[0]
    loss2 = (torch.squeeze(dudt) - 0) ** 2
    u = pinn(t_physics)
    dudt = torch.autograd.grad(u, t_physics, torch.ones_like(u), create_graph=True)[0]
    d2udt2 = torch.autograd.grad(dudt, t_physics, torch.ones_like(dudt), create_graph=True)[0]
    loss3 = torch.mean((d2udt2 + mu * dudt + k * u) ** 2)
    loss = loss1 + 1e-1 * loss2 + 1e-3 * loss3
    loss.backward()
    optimiser.step()
    if i % 10 == 0:
        print(f"{i:3d} bc {loss1.item():.4f} ic {loss2.item():.4f} pde {loss3.item():.3f}")
print(u.shape, d2udt2[:3, 0].detach().numpy().round(2), u.grad_fn is not None)

# ---- higher derivatives of a known function
x = torch.linspace(0.1, 1, 4, requires_grad=True)
y = torch.sin(x) * x**2
g1 = grad(y.sum(), x, create_graph=True)[0]
g2 = grad(g1.sum(), x, create_graph=True)[0]
(g3,) = grad(g2.sum(), x)
print(g1, g2, g3, sep="\n")
print(torch.allclose(g2, 2 * x.sin() + 4 * x * x.cos() - x**2 * x.sin()))
z = torch.ones(2, requires_grad=True)
unused = torch.ones(1, requires_grad=True)
print(grad(z.prod(), (z, unused), allow_unused=True))


# ---- ODE solvers
def odeint(f, y0, ts, method="rk4"):
    ys = [y0]
    for t0, t1 in zip(ts[:-1], ts[1:]):
        h, y = t1 - t0, ys[-1]
        if method == "euler":
            ys.append(y + h * f(t0, y))
        else:
            k1 = f(t0, y)
            k2 = f(t0 + h / 2, y + h / 2 * k1)
            k3 = f(t0 + h / 2, y + h / 2 * k2)
            k4 = f(t1, y + h * k3)
            ys.append(y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4))
    return torch.stack(ys)


ts = torch.linspace(0.0, 2.0, 21, dtype=torch.double)
A = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]], dtype=torch.double)
y0 = torch.tensor([2.0, 0.0], dtype=torch.double)
exact = torch.stack([torch.matrix_exp(A * t) @ y0 for t in ts])
for m in ("euler", "rk4"):
    print(m, f"{(odeint(lambda t, y: A @ y, y0, ts, method=m) - exact).abs().max():.4f}")
lorenz = odeint(
    lambda t, s: torch.stack(
        [10 * (s[1] - s[0]), s[0] * (28 - s[2]) - s[1], s[0] * s[1] - 8 / 3 * s[2]]
    ),
    torch.ones(3).double(),
    torch.arange(0, 0.5, 0.02).double(),
)
print(lorenz[::8])

func = det_init(nn.Sequential(nn.Linear(2, 12), nn.Tanh(), nn.Linear(12, 2)).double(), 0.5)
opt = torch.optim.RMSprop(func.parameters(), lr=1e-2)
for it in range(9):
    opt.zero_grad()
    pred = odeint(lambda t, y: func(y**3), y0, ts[:8])
    loss = torch.mean(torch.abs(pred - exact[:8]))
    loss.backward()
    opt.step()
    if it % 4 == 0:
        print("Iter {:04d} | Total Loss {:.4f}".format(it, loss.item()))

# ---- checkpointing gives the same gradients
seq = det_init(nn.Sequential(*[nn.Sequential(nn.Linear(4, 4), nn.Softplus()) for _ in range(4)]))
inp = torch.linspace(-1, 1, 8).view(2, 4).requires_grad_()
seq(inp).sum().backward()
ref, inp.grad = inp.grad.clone(), None
checkpoint_sequential(seq, 2, inp, use_reentrant=False).sum().backward()
print(torch.allclose(inp.grad, ref), f"{ref.norm():.4f}")
inp.grad.zero_()
checkpoint(
    lambda a, scale=1.0: seq[0](a) * scale, inp, scale=2.0, use_reentrant=False
).sum().backward()
print(inp.grad)
