import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class MHA(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.d, self.h = d, h
        self.qkv = nn.Linear(d, 3 * d)
        self.out = nn.Linear(d, d)
        mask = torch.tril(torch.ones(8, 8)).view(1, 1, 8, 8)
        self.register_buffer("mask", mask)

    def forward(self, x):  # B T D
        B, T, D = x.size()
        q, k, v = self.qkv(x).split(self.d, dim=2)
        q = q.view(B, T, self.h, D // self.h).transpose(1, 2)
        k = k.view(B, T, self.h, D // self.h).transpose(1, 2)
        v = v.view(B, T, self.h, D // self.h).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = att.masked_fill(self.mask[:, :, :T, :T] == 0, float("-inf"))
        att = F.softmax(att, dim=-1)
        y = (att @ v).transpose(1, 2).contiguous().view(B, T, D)
        z = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(B, T, D)
        print(torch.allclose(y, z, atol=1e-5))
        return self.out(y)


class KVCache:
    def __init__(self, B, H, T, D):
        self.k = torch.zeros(B, H, T, D)
        self.v = torch.zeros(B, H, T, D)
        self.n = 0

    def update(self, k, v):
        t = k.shape[2]
        self.k[:, :, self.n : self.n + t] = k
        self.v[:, :, self.n : self.n + t] = v
        self.n += t
        return self.k[:, :, : self.n], self.v[:, :, : self.n]


def fill(m):
    with torch.no_grad():
        for i, p in enumerate(m.parameters()):
            p.copy_(torch.sin(torch.arange(float(p.numel())) * 0.3 + i).view_as(p) * 0.4)
    return m


m = fill(MHA(8, 2))
x = torch.cos(torch.arange(48.0)).view(2, 3, 8)
y = m(x)
y.sum().backward()
print(y[0], m.qkv.weight.grad.abs().sum(), m.qkv.bias.grad[:8])
cache = KVCache(1, 2, 4, 4)
with torch.no_grad():
    for t in range(3):
        k, v = cache.update(torch.full((1, 2, 1, 4), float(t)), torch.full((1, 2, 1, 4), -float(t)))
    print(k.shape, k[0, 0, :, 0], v.sum())
q = torch.ones(1, 2, 1, 4)
print(F.scaled_dot_product_attention(q, k, v)[0, 0])
k2, v2 = cache.update(torch.ones(1, 2, 1, 4, requires_grad=True), torch.ones(1, 2, 1, 4))
print(k2.requires_grad, v2.requires_grad)
rope = torch.outer(torch.arange(3.0), 1.0 / (100 ** (torch.arange(0, 4, 2) / 4)))
cos, sin = rope.cos(), rope.sin()
xr = torch.arange(12.0).view(3, 2, 2)
rot = torch.stack(
    (xr[..., 0] * cos - xr[..., 1] * sin, xr[..., 0] * sin + xr[..., 1] * cos), -1
).flatten(1)
cplx = torch.view_as_real(
    torch.view_as_complex(xr.contiguous()) * torch.polar(torch.ones_like(rope), rope)
).flatten(1)
print(torch.allclose(rot, cplx, atol=1e-5), rot[1])
mha = fill(nn.MultiheadAttention(8, 2, batch_first=True))
out, weights = mha(
    x, x, x, key_padding_mask=torch.tensor([[False, False, True], [False, False, False]])
)
print(out.shape, weights)
