import math

import torch
from torch import nn

T = 10
betas = torch.linspace(1e-4, 0.02, T)
alphas = 1.0 - betas
alphas_cumprod = torch.cumprod(alphas, dim=0)
alphas_cumprod_prev = torch.nn.functional.pad(alphas_cumprod[:-1], (1, 0), value=1.0)
sqrt_recip = torch.sqrt(1.0 / alphas)
posterior_variance = betas * (1.0 - alphas_cumprod_prev) / (1.0 - alphas_cumprod)


def extract(a, t, x_shape):
    batch_size = t.shape[0]
    out = a.gather(-1, t.cpu())
    return out.reshape(batch_size, *((1,) * (len(x_shape) - 1))).to(t.device)


def q_sample(x_start, t, noise):
    return (
        extract(alphas_cumprod.sqrt(), t, x_start.shape) * x_start
        + extract((1 - alphas_cumprod).sqrt(), t, x_start.shape) * noise
    )


class SinusoidalPositionEmbeddings(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, time):
        half_dim = self.dim // 2
        embeddings = math.log(10000) / (half_dim - 1)
        embeddings = torch.exp(torch.arange(half_dim, device=time.device) * -embeddings)
        embeddings = time[:, None] * embeddings[None, :]
        return torch.cat((embeddings.sin(), embeddings.cos()), dim=-1)


t = torch.tensor([0, 5, 9]).long()
x = torch.ones(3, 1, 2, 2)
print(q_sample(x, t, torch.zeros_like(x)).flatten(1), posterior_variance, sqrt_recip[-1])
print(SinusoidalPositionEmbeddings(4)(t))
s = 0.008
steps = torch.linspace(0, T, T + 1)
ac = torch.cos(((steps / T) + s) / (1 + s) * torch.pi * 0.5) ** 2
ac = ac / ac[0]
print(torch.clip(1 - (ac[1:] / ac[:-1]), 0.0001, 0.9999))
img = torch.zeros(3, 1, 2, 2)
for i in reversed(range(T)):
    tt = torch.full((3,), i, dtype=torch.long)
    img = extract(sqrt_recip, tt, img.shape) * (img + 0.01)
print(img[0, 0])
