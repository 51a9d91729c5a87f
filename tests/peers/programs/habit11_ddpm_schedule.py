import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def linear_beta_schedule(timesteps):
    scale = 1000 / timesteps
    return torch.linspace(scale * 0.0001, scale * 0.02, timesteps, dtype=torch.float64)


def cosine_beta_schedule(timesteps, s=0.008):
    x = torch.linspace(0, timesteps, timesteps + 1, dtype=torch.float64)
    ac = torch.cos(((x / timesteps) + s) / (1 + s) * math.pi * 0.5) ** 2
    ac = ac / ac[0]
    return torch.clip(1 - (ac[1:] / ac[:-1]), 0, 0.999)


def extract(a, t, x_shape):
    b, *_ = t.shape
    out = a.gather(-1, t)
    return out.reshape(b, *((1,) * (len(x_shape) - 1)))


class SinusoidalPosEmb(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        half = self.dim // 2
        emb = math.log(10000) / (half - 1)
        emb = torch.exp(torch.arange(half, device=x.device) * -emb)
        emb = x[:, None] * emb[None, :]
        return torch.cat((emb.sin(), emb.cos()), dim=-1)


class TinyUNet(nn.Module):
    def __init__(self, ch=8):
        super().__init__()
        self.t = nn.Sequential(SinusoidalPosEmb(8), nn.Linear(8, 2 * ch), nn.SiLU())
        self.inc = nn.Conv2d(1, ch, 3, padding=1)
        self.norm = nn.GroupNorm(4, ch)
        self.down = nn.Conv2d(ch, ch, 4, 2, 1)
        self.up = nn.ConvTranspose2d(ch, ch, 4, 2, 1)
        self.out = nn.Conv2d(2 * ch, 1, 1)

    def forward(self, x, t):
        h = self.norm(self.inc(x))
        scale, shift = self.t(t)[:, :, None, None].chunk(2, dim=1)
        h = F.silu(h * (scale + 1) + shift)
        return self.out(torch.cat([self.up(F.silu(self.down(h))), h], dim=1))


class GaussianDiffusion(nn.Module):
    def __init__(self, model, timesteps=20):
        super().__init__()
        self.model, self.num_timesteps = model, timesteps
        betas = cosine_beta_schedule(timesteps)
        alphas = 1.0 - betas
        ac = torch.cumprod(alphas, dim=0)
        ac_prev = F.pad(ac[:-1], (1, 0), value=1.0)
        reg = lambda name, val: self.register_buffer(name, val.to(torch.float32), persistent=False)
        reg("betas", betas)
        reg("alphas_cumprod", ac)
        reg("sqrt_ac", torch.sqrt(ac))
        reg("sqrt_1mac", torch.sqrt(1.0 - ac))
        reg("post_var", betas * (1.0 - ac_prev) / (1.0 - ac))
        reg("coef1", betas * torch.sqrt(ac_prev) / (1.0 - ac))
        reg("coef2", (1.0 - ac_prev) * torch.sqrt(alphas) / (1.0 - ac))

    def q_sample(self, x0, t, noise):
        return (
            extract(self.sqrt_ac, t, x0.shape) * x0 + extract(self.sqrt_1mac, t, x0.shape) * noise
        )

    def predict_x0(self, xt, t, eps):
        return (xt - extract(self.sqrt_1mac, t, xt.shape) * eps) / extract(
            self.sqrt_ac, t, xt.shape
        )

    @torch.no_grad()
    def p_sample(self, x, i, noise):
        t = torch.full((x.shape[0],), i, dtype=torch.long)
        x0 = self.predict_x0(x, t, self.model(x, t)).clamp_(-1.0, 1.0)
        mean = extract(self.coef1, t, x.shape) * x0 + extract(self.coef2, t, x.shape) * x
        nonzero = (1 - (t == 0).float()).view(-1, 1, 1, 1)
        return mean + nonzero * extract(self.post_var, t, x.shape).sqrt() * noise

    def forward(self, x0, t, noise):
        return F.mse_loss(self.model(self.q_sample(x0, t, noise), t), noise)


net = TinyUNet()
for i, p in enumerate(net.parameters()):
    p.data = (torch.sin(torch.arange(p.numel()).float() * 0.9 + i) * 0.15).view(p.shape)
diff = GaussianDiffusion(net)
print(linear_beta_schedule(10)[:3], cosine_beta_schedule(10)[-2:])
print(diff.alphas_cumprod.dtype, diff.alphas_cumprod[::5])
print([k for k in diff.state_dict() if "model" not in k], len(list(diff.buffers())))
x0 = torch.sin(torch.arange(4 * 64).float() * 0.1).view(4, 1, 8, 8)
noise = torch.cos(torch.arange(4 * 64).float() ** 1.1).view(4, 1, 8, 8)
t = torch.tensor([0, 5, 10, 19])
xt = diff.q_sample(x0, t, noise)
print(xt.flatten(1).std(1))
print(torch.allclose(diff.predict_x0(xt, t, noise)[:3], x0[:3], atol=1e-3))
opt = torch.optim.AdamW(diff.parameters(), lr=2e-3, betas=(0.9, 0.99))
for step in range(5):
    loss = diff(x0, t, noise)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, f"{loss.item():.4f}")
x = noise[:2]
for i in reversed(range(20)):
    x = diff.p_sample(x, i, noise[2:] * 0.5)
print(x.shape, x.min() >= -1, x.max() <= 1, x.requires_grad)
snr = diff.alphas_cumprod / (1 - diff.alphas_cumprod)
w = torch.stack([snr, 5 * torch.ones_like(snr)], dim=1).min(dim=1)[0] / snr
print(w[:4])
print(SinusoidalPosEmb(8)(torch.tensor([0, 3])))
