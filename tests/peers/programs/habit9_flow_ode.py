import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Coupling(nn.Module):
    def __init__(self, d, h, mask):
        super().__init__()
        self.s = nn.Sequential(nn.Linear(d, h), nn.LeakyReLU(), nn.Linear(h, d), nn.Tanh())
        self.t = nn.Sequential(nn.Linear(d, h), nn.LeakyReLU(), nn.Linear(h, d))
        self.mask = nn.Parameter(mask, requires_grad=False)

    def forward(self, x):
        xm = x * self.mask
        s = self.s(xm) * (1 - self.mask)
        t = self.t(xm) * (1 - self.mask)
        return (xm + (1 - self.mask) * (x * s.exp() + t), s.sum(-1))

    def inverse(self, y):
        ym = y * self.mask
        s = self.s(ym) * (1 - self.mask)
        t = self.t(ym) * (1 - self.mask)
        return ym + (1 - self.mask) * ((y - t) * torch.exp(-s))


class RealNVP(nn.Module):
    def __init__(self, n=2):
        super().__init__()
        self.layers = nn.ModuleList(
            [
                Coupling(2, 4, torch.tensor([i % 2, 1 - i % 2], dtype=torch.float32))
                for i in range(n)
            ]
        )
        self.prior = torch.distributions.MultivariateNormal(torch.zeros(2), torch.eye(2))

    def log_prob(self, x):
        ld = x.new_zeros(x.shape[0])
        for l in self.layers:
            x, d = l(x)
            ld += d
        return self.prior.log_prob(x) + ld

    def inverse(self, z):
        for l in reversed(self.layers):
            z = l.inverse(z)
        return z


f = RealNVP()
print(f, f.prior)
for i, p in enumerate(f.parameters()):
    if p.requires_grad:
        p.data.copy_(torch.cos(torch.arange(float(p.numel())) + i).view(p.shape) * 0.3)
x = torch.stack([torch.linspace(-1, 1, 8), torch.linspace(-1, 1, 8).pow(2)], dim=1)
opt = torch.optim.Adam((p for p in f.parameters() if p.requires_grad), lr=0.01)
for i in range(4):
    loss = -f.log_prob(x).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(i, f"{loss:.4f}")
z = x
for l in f.layers:
    z, ld = l(z)
print((f.inverse(z) - x).abs().max() < 1e-05, ld, z[:2])
J = torch.autograd.functional.jacobian(lambda v: f.layers[0](v)[0], x[0])
print(J, J.det().log(), f.layers[0](x[:1])[1])


def rk4(fn, y0, t):
    ys = [y0]
    for t0, t1 in zip(t[:-1], t[1:]):
        h = t1 - t0
        y = ys[-1]
        k1 = fn(t0, y)
        k2 = fn(t0 + h / 2, y + h * k1 / 2)
        k3 = fn(t0 + h / 2, y + h * k2 / 2)
        k4 = fn(t1, y + h * k3)
        ys.append(y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4))
    return torch.stack(ys)


A = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]])
sol = rk4(lambda t, y: y**3 @ A, torch.tensor([[2.0, 0.0]]), torch.linspace(0, 1, 5))
print(sol, sol.shape, sol.squeeze(1)[-1])
T = 10
betas = torch.linspace(0.0001, 0.02, T)
alphas = 1.0 - betas
ac = torch.cumprod(alphas, axis=0)
acp = F.pad(ac[:-1], (1, 0), value=1.0)
pv = betas * (1.0 - acp) / (1.0 - ac)
print(betas, ac, acp, pv, torch.sqrt(1.0 / alphas), sep="\n")


def extract(a, t, shape):
    b = t.shape[0]
    return a.gather(-1, t.cpu()).reshape(b, *(1,) * (len(shape) - 1)).to(t.device)


x0 = torch.arange(8.0).view(2, 1, 2, 2) / 8
t = torch.tensor([0, 9])
print(
    extract(ac.sqrt(), t, x0.shape),
    extract(ac.sqrt(), t, x0.shape) * x0
    + extract((1 - ac).sqrt(), t, x0.shape) * torch.ones_like(x0),
)


class SinPos(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, time):
        h = self.dim // 2
        e = math.log(10000) / (h - 1)
        e = torch.exp(torch.arange(h, device=time.device) * -e)
        e = time[:, None] * e[None, :]
        return torch.cat((e.sin(), e.cos()), dim=-1)


print(SinPos(6)(t), SinPos(4))


class VQ(nn.Module):
    def __init__(self, K, D, b=0.25):
        super().__init__()
        self.K, self.D, self.b = (K, D, b)
        self.emb = nn.Embedding(K, D)
        self.emb.weight.data = torch.linspace(-1, 1, K * D).view(K, D)

    def forward(self, x):
        x = x.permute(0, 2, 3, 1).contiguous()
        sh = x.shape
        flat = x.view(-1, self.D)
        d = (
            torch.sum(flat**2, dim=1, keepdim=True)
            + torch.sum(self.emb.weight**2, dim=1)
            - 2 * torch.matmul(flat, self.emb.weight.t())
        )
        idx = torch.argmin(d, dim=1).unsqueeze(1)
        enc = torch.zeros(idx.shape[0], self.K, device=x.device)
        enc.scatter_(1, idx, 1)
        q = torch.matmul(enc, self.emb.weight).view(sh)
        loss = F.mse_loss(q, x.detach()) + self.b * F.mse_loss(q.detach(), x)
        q = x + (q - x).detach()
        p = torch.mean(enc, dim=0)
        return (
            loss,
            q.permute(0, 3, 1, 2).contiguous(),
            torch.exp(-torch.sum(p * torch.log(p + 1e-10))),
            idx,
        )


v = torch.sin(torch.arange(16.0)).view(2, 2, 2, 2).requires_grad_()
loss, q, perp, idx = VQ(4, 2)(v)
loss.backward()
print(loss, q, perp, idx.T, v.grad[0], type(q.grad_fn).__name__)
g = torch.tensor([[1.0, 2.0, 0.5]], requires_grad=True)
y = F.gumbel_softmax(g, tau=1, hard=True)
print(y.sum(-1), y.shape, y.grad_fn is not None, F.gumbel_softmax(g, dim=-1).sum().round())
img = torch.arange(16.0).view(1, 1, 4, 4)
th = torch.tensor([[[1.0, 0, 0.5], [0, 1.0, 0]]])
gr = F.affine_grid(th, img.size(), align_corners=False)
print(
    gr.shape,
    F.grid_sample(img, gr, align_corners=False),
    F.grid_sample(img, gr, mode="nearest", padding_mode="border", align_corners=True)[0, 0],
)
print(
    F.interpolate(img, scale_factor=0.5, mode="area"),
    F.interpolate(img, size=(2, 3), mode="nearest"),
    F.interpolate(img, scale_factor=2, mode="bicubic", align_corners=False)[0, 0, :2],
    F.pixel_shuffle(torch.arange(8.0).view(1, 4, 1, 2), 2),
    F.unfold(img, 2, stride=2),
    F.fold(F.unfold(img, 2, stride=2), (4, 4), 2, stride=2).equal(img),
    F.pad(img, (1, 1, 0, 0), mode="reflect")[0, 0, 0],
    F.pad(img, (1, 0), value=-1.0)[0, 0, 0],
    F.avg_pool2d(img, 2),
    F.max_pool2d(img, 2, return_indices=True),
    F.adaptive_avg_pool2d(img, (1, None)),
    F.lp_pool2d(img, 2, 2),
    F.conv2d(img, torch.ones(1, 1, 2, 2), stride=2),
    F.conv_transpose2d(torch.ones(1, 1, 2, 2), torch.ones(1, 1, 2, 2)),
    F.max_unpool2d(*F.max_pool2d(img, 2, return_indices=True), 2),
)


def ssim(a, b, C1=0.01**2, C2=0.03**2):
    w = torch.ones(1, 1, 3, 3) / 9
    mu = [F.conv2d(u, w) for u in (a, b)]
    s = [F.conv2d(u * u, w) - m**2 for u, m in zip((a, b), mu)]
    c = F.conv2d(a * b, w) - mu[0] * mu[1]
    return (
        (2 * mu[0] * mu[1] + C1)
        * (2 * c + C2)
        / ((mu[0] ** 2 + mu[1] ** 2 + C1) * (s[0] + s[1] + C2))
    ).mean()


print(
    ssim(img / 16, (img / 16).flip(-1)),
    ssim(img / 16, img / 16),
    10 * torch.log10(1 / F.mse_loss(img / 16, img.flip(-1) / 16)),
    F.gumbel_softmax.__name__,
)
