import torch
import torch.nn as nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.fc1 = nn.Linear(d, d)
        self.fc2 = nn.Linear(d, d)
        self.calls = 0

    def forward(self, x, scale=1.0):
        self.calls += 1
        return x + self.fc2(torch.tanh(self.fc1(x))) * scale


class Net(nn.Module):
    def __init__(self, d=4, n=3, use=True):
        super().__init__()
        self.blocks = nn.ModuleList([Block(d) for _ in range(n)])
        self.scale = nn.Parameter(torch.tensor(0.5))
        self.use = use

    def forward(self, x):
        for block in self.blocks:
            if self.use and self.training:
                x = checkpoint(block, x, self.scale, use_reentrant=False)
            else:
                x = block(x, self.scale)
        return x


def fill(m):
    with torch.no_grad():
        for i, p in enumerate(m.parameters()):
            p.copy_(torch.cos(torch.arange(float(p.numel())) + i).view_as(p) * 0.3)
    return m


x = torch.linspace(-1, 1, 8).view(2, 4)
results = []
for use in (True, False):
    net = fill(Net(use=use))
    inp = x.clone().requires_grad_()
    net(inp).pow(2).sum().backward()
    results.append([inp.grad] + [p.grad for p in net.parameters()])
    print(use, [b.calls for b in net.blocks], net.scale.grad)
print(all(torch.allclose(a, b) for a, b in zip(*results)))

seq = fill(nn.Sequential(*[nn.Sequential(nn.Linear(4, 4), nn.ReLU()) for _ in range(4)]))
inp = x.clone().requires_grad_()
checkpoint_sequential(seq, 2, inp, use_reentrant=False).sum().backward()
print(inp.grad)


class Holder:
    """Not a module: checkpoint of a bound method whose self holds tensors."""

    def __init__(self):
        self.w = torch.tensor([1.0, 2.0], requires_grad=True)
        self.layer = fill(nn.Linear(2, 2))

    def run(self, t):
        return self.layer(t * self.w).sin()


h = Holder()
t = torch.tensor([0.3, -0.4])
out = checkpoint(h.run, t, use_reentrant=False)
print(out.requires_grad)
out.sum().backward()
print(h.w.grad, h.layer.weight.grad)

free = torch.tensor([2.0, 3.0], requires_grad=True)
out = checkpoint(lambda a: (a * free).exp(), t, use_reentrant=False)
print(out.requires_grad)
print(torch.autograd.grad(out.sum(), free))
box = {"k": torch.tensor([1.5, 0.5], requires_grad=True)}
out = checkpoint(lambda d: d["k"] ** 2, box, use_reentrant=False)
out.sum().backward()
print(box["k"].grad)
u = torch.tensor([0.1, 0.2], requires_grad=True)
out = checkpoint(lambda a: a.sin(), u, use_reentrant=False)
(g,) = torch.autograd.grad(out.sum(), u, create_graph=True)
print(torch.autograd.grad(g.sum(), u))
