import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
import copy
import math
from typing import Optional

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


def clones(module, N):
    return nn.ModuleList([copy.deepcopy(module) for _ in range(N)])


def subsequent_mask(size):
    return torch.triu(torch.ones(1, size, size), diagonal=1).type(torch.uint8) == 0


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Optional[Tensor] = None, dropout=None
):
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    p_attn = scores.softmax(dim=-1)
    if dropout is not None:
        p_attn = dropout(p_attn)
    return torch.matmul(p_attn, value), p_attn


class MultiHeadedAttention(nn.Module):
    def __init__(self, h, d_model, dropout=0.0):
        super().__init__()
        self.d_k, self.h = d_model // h, h
        self.linears = clones(nn.Linear(d_model, d_model), 4)
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, query, key, value, mask=None):
        mask = mask.unsqueeze(1) if mask is not None else None
        nbatches = query.size(0)
        query, key, value = [
            lin(x).view(nbatches, -1, self.h, self.d_k).transpose(1, 2)
            for lin, x in zip(self.linears, (query, key, value))
        ]
        x, self.attn = attention(query, key, value, mask=mask, dropout=self.dropout)
        x = x.transpose(1, 2).contiguous().view(nbatches, -1, self.h * self.d_k)
        return self.linears[-1](x)


class LayerNorm(nn.Module):
    def __init__(self, features, eps=1e-6):
        super().__init__()
        self.a_2 = nn.Parameter(torch.ones(features))
        self.b_2 = nn.Parameter(torch.zeros(features))
        self.eps = eps

    def forward(self, x):
        mean, std = x.mean(-1, keepdim=True), x.std(-1, keepdim=True)
        return self.a_2 * (x - mean) / (std + self.eps) + self.b_2


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=50):
        super().__init__()
        pe = torch.zeros(max_len, d_model)
        position = torch.arange(0, max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * -(math.log(10000.0) / d_model))
        pe[:, 0::2] = torch.sin(position * div_term)
        pe[:, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe.unsqueeze(0))

    def forward(self, x):
        return x + self.pe[:, : x.size(1)].requires_grad_(False)


class Block(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.attn, self.norms = MultiHeadedAttention(h, d), clones(LayerNorm(d), 2)
        self.ff = nn.Sequential(nn.Linear(d, 4 * d), nn.ReLU(), nn.Linear(4 * d, d))

    def forward(self, x, mask):
        y = self.norms[0](x)
        x = x + self.attn(y, y, y, mask)
        return x + self.ff(self.norms[1](x))


class LM(nn.Module):
    def __init__(self, V=11, d=16, N=2, h=4):
        super().__init__()
        self.lut, self.pos = nn.Embedding(V, d), PositionalEncoding(d)
        self.layers, self.norm, self.proj = clones(Block(d, h), N), LayerNorm(d), nn.Linear(d, V)

    def forward(self, x):
        m = subsequent_mask(x.size(-1))
        x = self.pos(self.lut(x) * math.sqrt(16))
        for layer in self.layers:
            x = layer(x, m)
        return F.log_softmax(self.proj(self.norm(x)), dim=-1)


print(subsequent_mask(4)[0].int())
model = LM()
print(model.layers[0])
model.apply(lambda m: nn.init.zeros_(m.bias) if isinstance(m, nn.Linear) else None)
for i, p in enumerate(model.parameters()):
    if p.dim() > 1:
        p.data.copy_(
            torch.sin(torch.arange(p.numel()) * 1.37 + i).view_as(p) / math.sqrt(p.size(-1))
        )
print(sum(p.numel() for p in model.parameters()), [n for n, _ in model.named_buffers()])


def rate(step, model_size=16, factor=1.0, warmup=20):
    step = max(step, 1)
    return factor * (model_size ** (-0.5) * min(step ** (-0.5), step * warmup ** (-1.5)))


data = (torch.arange(6)[:, None] + torch.arange(9)[None, :]) % 10 + 1
opt = torch.optim.Adam(model.parameters(), lr=0.5, betas=(0.9, 0.98), eps=1e-9)
sched = torch.optim.lr_scheduler.LambdaLR(opt, lr_lambda=rate)
crit = nn.KLDivLoss(reduction="sum")
for step in range(30):
    x, y = data[:, :-1], data[:, 1:]
    true_dist = torch.full((y.numel(), 11), 0.1 / 9).scatter_(1, y.reshape(-1, 1), 0.9)
    true_dist[:, 0] = 0
    loss = crit(model(x).reshape(-1, 11), true_dist) / y.numel()
    loss.backward()
    opt.step()
    opt.zero_grad(set_to_none=True)
    sched.step()
    if step % 6 == 0:
        print(
            f"Step: {step:3d} | Loss: {loss:6.2f} | Learning Rate: {opt.param_groups[0]['lr']:6.1e}"
        )
ys = torch.tensor([[3, 4, 5]])
for _ in range(4):
    ys = torch.cat([ys, model(ys)[:, -1].argmax(-1, keepdim=True)], dim=1)
print(ys, model.layers[0].attn.attn.shape)
