import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def cosine_beta_schedule(T, s=0.008):
    t = torch.linspace(0, T, T + 1, dtype=torch.float64) / T
    ac = torch.cos((t + s) / (1 + s) * math.pi * 0.5) ** 2
    ac = ac / ac[0]
    betas = 1 - (ac[1:] / ac[:-1])
    return torch.clip(betas, 0, 0.999)


def extract(a, t, shape):
    b, *_ = t.shape
    out = a.gather(-1, t)
    return out.reshape(b, *((1,) * (len(shape) - 1)))


class Sinusoidal(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, t):
        half = self.dim // 2
        emb = math.log(10000) / (half - 1)
        emb = torch.exp(torch.arange(half, device=t.device) * -emb)
        emb = t[:, None] * emb[None, :]
        return torch.cat((emb.sin(), emb.cos()), dim=-1)


T = 20
betas = cosine_beta_schedule(T)
alphas = 1.0 - betas
ac = torch.cumprod(alphas, axis=0)
ac_prev = F.pad(ac[:-1], (1, 0), value=1.0)
post_var = betas * (1.0 - ac_prev) / (1.0 - ac)
print(betas[:5], ac[-3:], ac_prev[:2], post_var[:3], torch.log(post_var.clamp(min=1e-20))[:2])
print(
    torch.linspace(1e-4, 0.02, 5),
    torch.linspace(1e-4**0.5, 0.02**0.5, 4) ** 2,
    torch.logspace(-4, -1, 4),
)
x0 = torch.sin(torch.arange(2 * 16).float()).view(2, 1, 4, 4)
noise = torch.cos(torch.arange(2 * 16).float()).view_as(x0)
t = torch.tensor([3, 15]).long()
xt = extract(ac.sqrt(), t, x0.shape) * x0 + extract((1 - ac).sqrt(), t, x0.shape) * noise
print(xt.dtype, xt[0, 0, 0], Sinusoidal(6)(t))


class TinyUNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.temb = nn.Sequential(Sinusoidal(8), nn.Linear(8, 4), nn.GELU(), nn.Linear(4, 4))
        self.down = nn.Conv2d(1, 4, 3, stride=2, padding=1)
        self.mid = nn.Conv2d(4, 4, 3, padding=1)
        self.norm = nn.GroupNorm(2, 4)
        self.up = nn.ConvTranspose2d(4, 2, 4, 2, 1)
        self.out = nn.Conv2d(3, 1, 1)

    def forward(self, x, t):
        h = self.down(x) + self.temb(t)[..., None, None]
        h = F.silu(self.norm(self.mid(h)))
        return self.out(torch.cat((self.up(h), x), dim=1))


net = TinyUNet()
with torch.no_grad():
    for i, p in enumerate(net.parameters()):
        p.copy_((torch.arange(p.numel()) * 0.37 + i).sin().view_as(p) * 0.3)
opt = torch.optim.Adam(net.parameters(), 1e-2)
for i in range(5):
    pred = net(xt.float(), t)
    loss = F.mse_loss(noise, pred)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(f"{loss.item():.4f}")


@torch.no_grad()
def ddim(net, x, steps=4, eta=0.0):
    times = list(reversed(torch.linspace(-1, T - 1, steps=steps + 1).int().tolist()))
    for cur, nxt in zip(times[:-1], times[1:]):
        tt = torch.full((len(x),), cur, dtype=torch.long)
        eps = net(x, tt)
        a = ac[cur].float()
        start = ((x - (1 - a).sqrt() * eps) / a.sqrt()).clamp_(-1.0, 1.0)
        if nxt < 0:
            x = start
            continue
        an = ac[nxt].float()
        x = an.sqrt() * start + (1 - an).sqrt() * eps
    return x


s = ddim(net, noise)
print(s.shape, s.mean(), s.std(), (s + 1).mul(127.5).round().to(torch.uint8)[0, 0, 0])
print(
    F.interpolate(s, scale_factor=2, mode="nearest").shape,
    F.interpolate(x0, (6, 6), mode="bilinear", align_corners=False)[0, 0, 0],
)
snr = ac / (1 - ac)
print(torch.minimum(snr, torch.full_like(snr, 5.0))[:4] / snr[:4])
