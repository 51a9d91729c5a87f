from dataclasses import dataclass, field
from typing import Optional

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Config:
    n_embd: int = 8
    n_head: int = 2
    n_layer: int = 2
    block_size: int = 16
    vocab: int = 11
    dropout: float = 0.0


class KVCache(nn.Module):
    def __init__(self, B, L, H, D, dtype=torch.float):
        super().__init__()
        self.register_buffer("k_cache", torch.zeros(B, H, L, D, dtype=dtype))
        self.register_buffer("v_cache", torch.zeros(B, H, L, D, dtype=dtype))

    def update(self, pos, k, v):
        assert pos.shape[0] == k.shape[2]
        self.k_cache[:, :, pos] = k
        self.v_cache[:, :, pos] = v
        return self.k_cache, self.v_cache


class Attn(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c_attn = nn.Linear(c.n_embd, 3 * c.n_embd)
        self.c_proj = nn.Linear(c.n_embd, c.n_embd)
        self.h, self.d = c.n_head, c.n_embd
        self.cache: Optional[KVCache] = None
        self.register_buffer(
            "bias",
            torch.tril(torch.ones(c.block_size, c.block_size))
            .view(1, 1, c.block_size, c.block_size)
            .bool(),
        )

    def forward(self, x, pos):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(self.d, dim=2)
        q, k, v = map(lambda t: t.view(B, T, self.h, C // self.h).transpose(1, 2), (q, k, v))
        if self.cache is not None:
            k, v = self.cache.update(pos, k, v)
            mask = self.bias[:, :, pos]
        else:
            mask = self.bias[:, :, :T, :T]
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask[..., : k.size(2)], dropout_p=0.0)
        return self.c_proj(y.transpose(1, 2).contiguous().view(B, T, C))


class Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.ln_1 = nn.LayerNorm(c.n_embd)
        self.attn = Attn(c)
        self.ln_2 = nn.LayerNorm(c.n_embd)
        self.mlp = nn.ModuleDict(
            dict(
                c_fc=nn.Linear(c.n_embd, 16),
                act=nn.GELU(approximate="tanh"),
                c_proj=nn.Linear(16, c.n_embd),
            )
        )

    def forward(self, x, pos):
        x = x + self.attn(self.ln_1(x), pos)
        m = self.mlp
        return x + m.c_proj(m.act(m.c_fc(self.ln_2(x))))


class GPT(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c = c
        self.transformer = nn.ModuleDict(
            dict(
                wte=nn.Embedding(c.vocab, c.n_embd),
                wpe=nn.Embedding(c.block_size, c.n_embd),
                h=nn.ModuleList([Block(c) for _ in range(c.n_layer)]),
                ln_f=nn.LayerNorm(c.n_embd),
            )
        )
        self.lm_head = nn.Linear(c.n_embd, c.vocab, bias=False)
        self.transformer.wte.weight = self.lm_head.weight
        self.apply(self._init)
        for pn, p in self.named_parameters():
            if pn.endswith("c_proj.weight"):
                torch.nn.init.normal_(p, mean=0.0, std=0.02)

    def _init(self, m):
        if isinstance(m, (nn.Linear, nn.Embedding)):
            m.weight.data.normal_(mean=0.0, std=0.02)

    def forward(self, idx, pos=None, targets=None):
        pos = torch.arange(idx.size(1)) if pos is None else pos
        x = self.transformer.wte(idx) + self.transformer.wpe(pos)
        for b in self.transformer.h:
            x = b(x, pos)
        logits = self.lm_head(self.transformer.ln_f(x))
        loss = (
            None
            if targets is None
            else F.cross_entropy(
                logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-1
            )
        )
        return logits, loss


c = Config()
net = GPT(c).eval()
for i, p in enumerate(net.parameters()):
    p.data.copy_((torch.arange(p.numel()) * (i + 1) * 0.13).sin().view_as(p) * 0.4)
print(net)
print(
    sum(p.numel() for p in net.parameters()),
    len(list(net.parameters())),
    len(net.state_dict()),
    net.lm_head.weight is net.transformer["wte"].weight,
)
idx = torch.tensor([[1, 5, 3]])
logits, loss = net(idx, targets=torch.tensor([[5, 3, -1]]))
print(loss, logits[0, -1])
full = idx
with torch.no_grad():
    for _ in range(5):
        full = torch.cat(
            (full, net(full[:, -c.block_size :])[0][:, -1, :].argmax(-1, keepdim=True)), dim=1
        )
    for b in net.transformer.h:
        b.attn.cache = KVCache(1, c.block_size, c.n_head, 4)
    out = idx
    pos = torch.arange(3)
    cur = idx
    for _ in range(5):
        lg, _ = net(cur, pos)
        cur = lg[:, -1].argmax(-1, keepdim=True)
        out = torch.cat([out, cur], 1)
        pos = pos[-1:] + 1
print(full, out, full.equal(out), c)
decay = [p for n, p in net.named_parameters() if p.dim() >= 2]
nodecay = [p for n, p in net.named_parameters() if p.dim() < 2]
opt = torch.optim.AdamW(
    [{"params": decay, "weight_decay": 0.1}, {"params": nodecay, "weight_decay": 0.0}],
    lr=1e-3,
    betas=(0.9, 0.95),
    fused=False,
)
print(opt)
print(len(decay), len(nodecay), [k for k in net.state_dict() if k.endswith("cache")])
