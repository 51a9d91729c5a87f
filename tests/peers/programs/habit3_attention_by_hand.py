import math

import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        assert d_model % num_heads == 0
        self.h, self.d_k = num_heads, d_model // num_heads
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.out = nn.Linear(d_model, d_model)
        self.register_buffer("tril", torch.tril(torch.ones(8, 8)).view(1, 1, 8, 8))

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.qkv(x).split(C, dim=2)
        q = q.view(B, T, self.h, self.d_k).transpose(1, 2)
        k = k.view(B, T, self.h, C // self.h).transpose(1, 2)
        v = v.view(B, T, self.h, C // self.h).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = att.masked_fill(self.tril[:, :, :T, :T] == 0, float("-inf"))
        att = F.softmax(att, dim=-1)
        y = att @ v
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        return self.out(y), att


mha = MultiHeadAttention(4, 2)
for i, p in enumerate(mha.parameters()):
    p.data = torch.sin(torch.arange(p.numel(), dtype=torch.float) + i).view(p.shape) / 2
x = torch.linspace(-1, 1, 24).view(2, 3, 4)
y, att = mha(x)
print(y, att[0, 0])
q = k = v = x.view(2, 3, 2, 2).transpose(1, 2)
print(
    torch.allclose(
        F.scaled_dot_product_attention(q, k, v),
        torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(2), -1) @ v,
    )
)
print(F.scaled_dot_product_attention(q, k, v, is_causal=True)[0, 0])
print([n for n, _ in mha.named_buffers()])
