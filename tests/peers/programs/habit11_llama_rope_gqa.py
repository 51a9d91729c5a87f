import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def _norm(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)

    def forward(self, x):
        return self._norm(x.float()).type_as(x) * self.weight


def precompute_freqs_cis(dim, end, theta=10000.0):
    freqs = 1.0 / (theta ** (torch.arange(0, dim, 2)[: (dim // 2)].float() / dim))
    t = torch.arange(end, device=freqs.device)
    freqs = torch.outer(t, freqs).float()
    return torch.polar(torch.ones_like(freqs), freqs)


def apply_rotary_emb(xq, xk, freqs_cis):
    xq_ = torch.view_as_complex(xq.float().reshape(*xq.shape[:-1], -1, 2))
    xk_ = torch.view_as_complex(xk.float().reshape(*xk.shape[:-1], -1, 2))
    freqs_cis = freqs_cis[None, :, None, :]
    xq_out = torch.view_as_real(xq_ * freqs_cis).flatten(3)
    xk_out = torch.view_as_real(xk_ * freqs_cis).flatten(3)
    return xq_out.type_as(xq), xk_out.type_as(xk)


def rotate_half(x):
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat((-x2, x1), dim=-1)


class SwiGLU(nn.Module):
    def __init__(self, dim, hidden, multiple_of=8):
        super().__init__()
        hidden = multiple_of * ((int(2 * hidden / 3) + multiple_of - 1) // multiple_of)
        self.w1 = nn.Linear(dim, hidden, bias=False)
        self.w2 = nn.Linear(hidden, dim, bias=False)
        self.w3 = nn.Linear(dim, hidden, bias=False)

    def forward(self, x):
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class Attention(nn.Module):
    def __init__(self, dim, n_heads, n_kv_heads):
        super().__init__()
        self.nh, self.nkv, self.hd = n_heads, n_kv_heads, dim // n_heads
        self.wq = nn.Linear(dim, n_heads * self.hd, bias=False)
        self.wk = nn.Linear(dim, n_kv_heads * self.hd, bias=False)
        self.wv = nn.Linear(dim, n_kv_heads * self.hd, bias=False)
        self.wo = nn.Linear(dim, dim, bias=False)

    def forward(self, x, freqs_cis, mask):
        b, t, _ = x.shape
        q = self.wq(x).view(b, t, self.nh, self.hd)
        k = self.wk(x).view(b, t, self.nkv, self.hd)
        v = self.wv(x).view(b, t, self.nkv, self.hd)
        q, k = apply_rotary_emb(q, k, freqs_cis)
        rep = self.nh // self.nkv
        k = torch.repeat_interleave(k, dim=2, repeats=rep)
        v = torch.repeat_interleave(v, dim=2, repeats=rep)
        q, k, v = (z.transpose(1, 2) for z in (q, k, v))
        scores = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(self.hd) + mask
        scores = F.softmax(scores.float(), dim=-1).type_as(q)
        manual = torch.matmul(scores, v)
        fused = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        self.diff = (manual - fused).abs().max().item()
        return self.wo(manual.transpose(1, 2).contiguous().view(b, t, -1))


class Layer(nn.Module):
    def __init__(self, dim=32, nh=4, nkv=2):
        super().__init__()
        self.attention = Attention(dim, nh, nkv)
        self.feed_forward = SwiGLU(dim, 4 * dim)
        self.attention_norm = RMSNorm(dim)
        self.ffn_norm = RMSNorm(dim)

    def forward(self, x, f, m):
        h = x + self.attention(self.attention_norm(x), f, m)
        return h + self.feed_forward(self.ffn_norm(h))


layer = Layer()
with torch.no_grad():
    for i, p in enumerate(layer.parameters()):
        if p.ndim == 2:
            p.copy_(
                torch.sin(torch.arange(p.numel(), dtype=torch.float32) * 0.37 + i).view_as(p) * 0.15
            )
x = torch.cos(torch.arange(2 * 6 * 32).float() * 0.11).reshape(2, 6, 32)
f = precompute_freqs_cis(8, 6)
mask = torch.triu(torch.full((6, 6), float("-inf")), diagonal=1)
print(f.dtype, f.shape, f[1])
print(mask[1])
out = layer(x, f, mask)
print(out.shape, layer.attention.diff < 1e-5)
print(torch.round(out[0, -1, :6], decimals=3).tolist())
print({n: tuple(p.shape) for n, p in layer.named_parameters()})
q = torch.linspace(-1, 1, 8).view(1, 1, 1, 8).expand(1, 6, 1, 8)
qr, kr = apply_rotary_emb(q, q, f)
dots = qr[0, :, 0] @ kr[0, :, 0].T
print("relative", torch.allclose(dots.diagonal(1), dots[0, 1].expand(5), atol=1e-5))
print("norm kept", torch.allclose(qr.norm(dim=-1), q.norm(dim=-1)))
freqs = torch.outer(torch.arange(6).float(), 1.0 / 10000 ** (torch.arange(0, 8, 2).float() / 8))
emb = torch.cat((freqs, freqs), dim=-1)
hf = q[0, :, 0] * emb.cos() + rotate_half(q[0, :, 0]) * emb.sin()
print(hf[2])
norm = RMSNorm(32).to(torch.bfloat16)
xb = x.to(torch.bfloat16)
print(norm(xb).dtype, norm.weight.dtype, norm(xb).float().pow(2).mean().round(decimals=1).item())
ref = nn.RMSNorm(32, eps=1e-6)
print(ref, torch.allclose(ref(x), RMSNorm(32)(x), atol=1e-6))
