import torch
from torch import nn


def fixed(module):
    with torch.no_grad():
        for i, p in enumerate(module.parameters()):
            p.copy_(
                torch.sin(torch.arange(p.numel(), dtype=torch.float32) * 0.7 + i).view_as(p) * 0.3
            )
    return module


class ODEFunc(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 6), nn.Tanh(), nn.Linear(6, 2))
        self.nfe = 0

    def forward(self, t, y):
        self.nfe += 1
        return self.net(y**3)


def rk4(f, y0, ts):
    sol = [y0]
    for t0, t1 in zip(ts[:-1], ts[1:]):
        dt, y = t1 - t0, sol[-1]
        k1 = f(t0, y)
        k2 = f(t0 + dt / 2, y + dt * k1 / 2)
        k3 = f(t0 + dt / 2, y + dt * k2 / 2)
        k4 = f(t1, y + dt * k3)
        sol.append(y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4))
    return torch.stack(sol)


func = fixed(ODEFunc())
A = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]])
ts = torch.linspace(0.0, 1.0, 6)
y0 = torch.tensor([[2.0, 0.0]])
with torch.no_grad():
    true_y = rk4(lambda t, y: torch.mm(y**3, A), y0, ts)
opt = torch.optim.RMSprop(func.parameters(), lr=1e-2)
for it in range(4):
    opt.zero_grad()
    pred = rk4(func, y0, ts)
    loss = torch.mean(torch.abs(pred - true_y))
    loss.backward()
    opt.step()
    print("Iter {:02d} | Total Loss {:.5f} | NFE {}".format(it, loss.item(), func.nfe))
y = torch.tensor([[1.0, -0.5]], requires_grad=True)
jac = torch.autograd.functional.jacobian(lambda v: func(0.0, v), y)
print(jac.squeeze(), torch.trace(jac[0, :, 0]))
(div,) = [
    sum(torch.autograd.grad(func(0.0, y)[0, i], y, create_graph=True)[0][0, i] for i in range(2))
]
div.backward()
print(y.grad)
