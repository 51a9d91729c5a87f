import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, dim * 3, bias=False)
        self.proj = nn.Linear(dim, dim)
        self.register_buffer("mask", torch.tril(torch.ones(8, 8)).view(1, 1, 8, 8))

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.qkv(x).split(C, dim=2)
        q = q.view(B, T, self.heads, C // self.heads).transpose(1, 2)
        k = k.view(B, T, self.heads, C // self.heads).transpose(1, 2)
        v = v.view(B, T, self.heads, C // self.heads).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = att.masked_fill(self.mask[:, :, :T, :T] == 0, float("-inf"))
        att = F.softmax(att, dim=-1)
        y = (att @ v).transpose(1, 2).contiguous().view(B, T, C)
        return self.proj(y), F.scaled_dot_product_attention(q, k, v, is_causal=True)


block = SelfAttention(4, 2)
for p in block.parameters():
    p.data.copy_(torch.linspace(-1, 1, p.numel()).view(p.shape))
x = torch.sin(torch.arange(24.0)).view(2, 3, 4)
y, fused = block(x)
print(y, fused.shape)
print(block)
print([name for name, _ in block.named_buffers()], block.state_dict()["mask"].shape)
print(torch.einsum("bhid,bhjd->bhij", fused, fused).shape)
pe = torch.zeros(4, 6)
position = torch.arange(0, 4).unsqueeze(1)
div_term = torch.exp(torch.arange(0, 6, 2) * (-math.log(10000.0) / 6))
pe[:, 0::2] = torch.sin(position * div_term)
pe[:, 1::2] = torch.cos(position * div_term)
print(pe)
norm = nn.LayerNorm(4)
print(norm(x).mean(-1).abs().max() < 1e-6, F.gelu(x[0]))
