import torch
from torch import nn

# u'' = -u with u(0) = 0, u'(0) = 1
net = nn.Sequential(
    nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 1)
).double()
with torch.no_grad():
    for k, p in enumerate(net.parameters()):
        p.copy_(torch.sin(torch.arange(p.numel()).double() * (k + 2)).reshape(p.shape) * 0.4)
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
t = torch.linspace(0, 2, 20, dtype=torch.float64).reshape(-1, 1).requires_grad_()
zero = torch.zeros(1, 1, dtype=torch.float64, requires_grad=True)
for step in range(12):
    u = net(t)
    (du,) = torch.autograd.grad(u.sum(), t, create_graph=True)
    (ddu,) = torch.autograd.grad(du.sum(), t, create_graph=True)
    start = net(zero)
    (slope,) = torch.autograd.grad(start, zero, create_graph=True)
    loss = ((ddu + u) ** 2).mean() + start.square().sum() + (slope - 1).square().sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 3 == 0:
        print(step, f"{loss.item():.5f}")
print(ddu[:3].detach().reshape(-1))
