import torch
from torch import nn


def fixed(module):
    with torch.no_grad():
        for i, p in enumerate(module.parameters()):
            p.copy_(
                torch.sin(torch.arange(p.numel(), dtype=torch.float32) * 0.7 + i).view_as(p) * 0.3
            )
    return module


T = 10
betas = torch.linspace(1e-4, 0.02, T)
alphas = 1.0 - betas
alphas_cumprod = torch.cumprod(alphas, axis=0)
prev = nn.functional.pad(alphas_cumprod[:-1], (1, 0), value=1.0)
posterior_variance = betas * (1.0 - prev) / (1.0 - alphas_cumprod)


def extract(a, t, x_shape):
    out = a.gather(-1, t.cpu())
    return out.reshape(t.shape[0], *((1,) * (len(x_shape) - 1))).to(t.device)


class Unet(nn.Module):
    def __init__(self, c=4):
        super().__init__()
        self.time = nn.Sequential(nn.Linear(1, c), nn.SiLU(), nn.Linear(c, c))
        self.down = nn.Conv2d(1, c, 3, stride=2, padding=1)
        self.norm = nn.GroupNorm(2, c)
        self.up = nn.ConvTranspose2d(c, c, 4, 2, 1)
        self.out = nn.Conv2d(c + 1, 1, 1)

    def forward(self, x, t):
        h = nn.functional.silu(self.norm(self.down(x)))
        h += self.time(t.float().view(-1, 1) / T)[:, :, None, None]
        return self.out(torch.cat([self.up(h), x], 1))


model = fixed(Unet())
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
x0 = torch.cos(torch.arange(3 * 16.0)).view(3, 1, 4, 4)
noise = torch.sin(torch.arange(3 * 16.0) * 1.3).view_as(x0)
for step in range(4):
    t = torch.tensor([step, step + 2, step + 5])
    xt = (
        extract(alphas_cumprod.sqrt(), t, x0.shape) * x0
        + extract((1 - alphas_cumprod).sqrt(), t, x0.shape) * noise
    )
    loss = nn.functional.smooth_l1_loss(noise, model(xt, t))
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, round(loss.item(), 4))


@torch.no_grad()
def p_sample(x, i):
    t = torch.full((x.shape[0],), i, dtype=torch.long)
    mean = extract(alphas.rsqrt(), t, x.shape) * (
        x - extract(betas / (1 - alphas_cumprod).sqrt(), t, x.shape) * model(x, t)
    )
    return mean if i == 0 else mean + extract(posterior_variance.sqrt(), t, x.shape) * noise


img = noise.clone()
for i in reversed(range(T)):
    img = p_sample(img, i)
print(img[0, 0].clamp_(-1, 1))
