import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import grad

D = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
G = nn.Sequential(nn.Linear(1, 8), nn.ReLU(), nn.Linear(8, 2))
for i, p in enumerate([*D.parameters(), *G.parameters()]):
    p.data = torch.sin(torch.arange(float(p.numel())) * 1.1 + i).view(p.shape) * 0.5


def gradient_penalty(D, real, fake):
    alpha = torch.linspace(0, 1, real.size(0)).view(-1, 1).expand_as(real)
    inter = (alpha * real + (1 - alpha) * fake).requires_grad_(True)
    d = D(inter)
    g = torch.autograd.grad(
        outputs=d,
        inputs=inter,
        grad_outputs=torch.ones_like(d, requires_grad=False),
        create_graph=True,
        retain_graph=True,
        only_inputs=True,
    )[0]
    print(g.shape, g.requires_grad, g.grad_fn is not None)
    return ((g.view(g.size(0), -1).norm(2, dim=1) - 1) ** 2).mean()


real = torch.cos(torch.arange(12.0)).view(6, 2)
z = torch.linspace(-1, 1, 6).unsqueeze(1)
od = torch.optim.Adam(D.parameters(), 0.01, betas=(0.0, 0.9))
og = torch.optim.RMSprop(G.parameters(), lr=0.01)
for it in range(3):
    fake = G(z).detach()
    gp = gradient_penalty(D, real, fake)
    ld = D(fake).mean() - D(real).mean() + 10 * gp
    od.zero_grad()
    ld.backward()
    od.step()
    lg = -D(G(z)).mean()
    og.zero_grad()
    lg.backward()
    og.step()
    print(f"{it} D {ld.item():.4f} G {lg.item():.4f} gp {gp:.4f}")
for p in D.parameters():
    p.data.clamp_(-0.01, 0.01)
print(max((p.abs().max() for p in D.parameters())), D[0].weight)


class MAMLModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential()
        self.net.add_module("l1", nn.Linear(1, 8))
        self.net.add_module("relu", nn.Tanh())
        self.net.add_module("l2", nn.Linear(8, 1))

    def forward(self, x):
        return self.net(x)

    def parameterised(self, x, w):
        x = F.linear(x, w[0], w[1])
        return F.linear(torch.tanh(x), w[2], w[3])


m = MAMLModel()
print(m)
w = list(m.parameters())
for i, p in enumerate(w):
    p.data = torch.cos(torch.arange(float(p.numel())) + i).view(p.shape) * 0.5
mo = torch.optim.Adam(w, 0.01)
xs = torch.linspace(-2, 2, 10)[:, None]
for it in range(3):
    meta = 0
    for amp in (1.0, 2.0):
        tw = [q.clone() for q in w]
        for _ in range(2):
            l = F.mse_loss(m.parameterised(xs[::2], tw), amp * xs[::2].sin())
            g = torch.autograd.grad(l, tw, create_graph=True)
            tw = [q - 0.1 * gg for q, gg in zip(tw, g)]
        meta += F.mse_loss(m.parameterised(xs[1::2], tw), amp * xs[1::2].sin())
    mg = torch.autograd.grad(meta / 2, w)
    for q, g in zip(w, mg):
        q.grad = g
    mo.step()
    print(it, meta.item().__round__(3), [round(g.norm().item(), 2) for g in mg])
net = nn.Sequential(nn.Linear(1, 6), nn.Tanh(), nn.Linear(6, 1))
[
    p.data.copy_(torch.sin(torch.arange(float(p.numel())) + 1).view(p.shape))
    for p in net.parameters()
]
t = torch.linspace(0, 1, 5).view(-1, 1).requires_grad_(True)
u = net(t)
du = grad(u, t, torch.ones_like(u), create_graph=True)[0]
d2u = grad(du.sum(), t, create_graph=True)[0]
res = (d2u + 4 * du + 400 * u).pow(2).mean()
res.backward()
print(u, du, d2u, res, net[0].weight.grad.flatten()[:3], t.grad.T)


def hv(f, x, v):
    (g,) = grad(f(x), x, create_graph=True)
    return grad(g, x, v)[0]


x = torch.tensor([1.0, 2.0], requires_grad=True)
print(
    hv(lambda a: (a**4).sum() + a.prod(), x, torch.tensor([1.0, 0.0])),
    torch.autograd.functional.hessian(lambda a: a.prod() ** 2, x.detach()),
)
for _ in range(5):
    f = (x**2).sum() + x.prod()
    (g,) = grad(f, x, create_graph=True)
    H = torch.stack([grad(gi, x, retain_graph=True)[0] for gi in g])
    x = (x - torch.linalg.solve(H, g)).detach().requires_grad_()
print(x, H, g)


def fgsm(image, eps, dg):
    return torch.clamp(image + eps * dg.sign(), 0, 1)


im = torch.tensor([[0.2, 0.8]])
im.requires_grad = True
l = F.binary_cross_entropy_with_logits(G[:2](im[:, :1]).sum(1), torch.ones(1))
G.zero_grad()
l.backward()
print(im.grad.data, fgsm(im, 0.1, im.grad.data), im.grad.sign())
d = im.detach().clone()
d.requires_grad_(True)
for _ in range(3):
    l = F.cross_entropy(D[0](d), torch.tensor([1]))
    l.backward()
    d.data = (d + 0.1 * d.grad.detach().sign()).clamp(0, 1)
    d.grad.zero_()
print(d, l, d.is_leaf)
