import torch
from torch import nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 1))
for i, p in enumerate(net.parameters()):
    p.data = torch.sin(torch.arange(p.numel(), dtype=torch.float32) + i).view_as(p)
x = torch.linspace(-1, 1, 8).view(2, 4).requires_grad_()
plain = net(x).sum()
g1 = torch.autograd.grad(plain, x)[0]
y = checkpoint(net, x, use_reentrant=False)
g2 = torch.autograd.grad(y.sum(), x)[0]
print(torch.allclose(g1, g2), g1)
y = checkpoint_sequential(net, 2, x, use_reentrant=False)
y.sum().backward()
print(torch.allclose(x.grad, g1))


def block(a, b, scale=1.0):
    return torch.tanh(a @ b) * scale


a = torch.ones(2, 3, requires_grad=True)
b = torch.full((3, 2), 0.1, requires_grad=True)
out = checkpoint(block, a, b, scale=2.0, use_reentrant=False)
ga, gb = torch.autograd.grad(out.sum(), (a, b))
print(ga, gb)
