import math
from dataclasses import dataclass

import torch
import torch.nn as nn
from torch.nn import functional as F


def fixed(module):
    with torch.no_grad():
        for i, p in enumerate(module.parameters()):
            p.copy_(
                torch.sin(torch.arange(p.numel(), dtype=torch.float32) * 0.7 + i).view_as(p) * 0.3
            )
    return module


@dataclass
class Config:
    block_size: int = 8
    vocab_size: int = 11
    n_layer: int = 2
    n_head: int = 2
    n_embd: int = 8
    dropout: float = 0.0


class CausalSelfAttention(nn.Module):
    def __init__(self, c):
        super().__init__()
        assert c.n_embd % c.n_head == 0
        self.c_attn = nn.Linear(c.n_embd, 3 * c.n_embd)
        self.c_proj = nn.Linear(c.n_embd, c.n_embd)
        self.register_buffer(
            "bias",
            torch.tril(torch.ones(c.block_size, c.block_size)).view(
                1, 1, c.block_size, c.block_size
            ),
        )
        self.n_head, self.n_embd = c.n_head, c.n_embd

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(self.n_embd, dim=2)
        k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = att.masked_fill(self.bias[:, :, :T, :T] == 0, float("-inf"))
        y = F.softmax(att, dim=-1) @ v
        flash = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        self.same = torch.allclose(y, flash, atol=1e-5)
        return self.c_proj(y.transpose(1, 2).contiguous().view(B, T, C))


class Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(c.n_embd), nn.LayerNorm(c.n_embd)
        self.attn = CausalSelfAttention(c)
        self.mlp = nn.ModuleDict(
            dict(
                c_fc=nn.Linear(c.n_embd, 4 * c.n_embd),
                c_proj=nn.Linear(4 * c.n_embd, c.n_embd),
                act=nn.GELU(approximate="tanh"),
            )
        )
        m = self.mlp
        self.mlpf = lambda x: m.c_proj(m.act(m.c_fc(x)))

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlpf(self.ln_2(x))


class GPT(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.config = c
        self.transformer = nn.ModuleDict(
            dict(
                wte=nn.Embedding(c.vocab_size, c.n_embd),
                wpe=nn.Embedding(c.block_size, c.n_embd),
                h=nn.ModuleList([Block(c) for _ in range(c.n_layer)]),
                ln_f=nn.LayerNorm(c.n_embd),
            )
        )
        self.lm_head = nn.Linear(c.n_embd, c.vocab_size, bias=False)
        self.transformer.wte.weight = self.lm_head.weight
        self.apply(self._init_weights)
        for pn, p in self.named_parameters():
            if pn.endswith("c_proj.weight"):
                torch.nn.init.normal_(p, mean=0.0, std=0.02 / math.sqrt(2 * c.n_layer))

    def _init_weights(self, module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            module.weight.data.normal_(mean=0.0, std=0.02)
            if isinstance(module, nn.Linear) and module.bias is not None:
                torch.nn.init.zeros_(module.bias)

    def forward(self, idx, targets=None):
        b, t = idx.size()
        pos = torch.arange(0, t, dtype=torch.long, device=idx.device).unsqueeze(0)
        x = self.transformer.wte(idx) + self.transformer.wpe(pos)
        for block in self.transformer.h:
            x = block(x)
        logits = self.lm_head(self.transformer.ln_f(x))
        loss = None
        if targets is not None:
            loss = F.cross_entropy(
                logits.view(-1, logits.size(-1)), targets.reshape(-1), ignore_index=-1
            )
        return logits, loss

    @torch.no_grad()
    def generate(self, idx, n, temperature=1.0, top_k=None):
        for _ in range(n):
            cond = (
                idx if idx.size(1) <= self.config.block_size else idx[:, -self.config.block_size :]
            )
            logits, _ = self(cond)
            logits = logits[:, -1, :] / temperature
            if top_k is not None:
                v, _ = torch.topk(logits, min(top_k, logits.size(-1)))
                logits[logits < v[:, [-1]]] = -float("Inf")
            idx = torch.cat(
                (idx, torch.multinomial(F.softmax(logits, dim=-1), num_samples=1)), dim=1
            )
        return idx


model = fixed(GPT(Config()))
print(model)
print(
    sum(p.numel() for p in model.parameters()),
    len(model.state_dict()),
    model.lm_head.weight is model.transformer.wte.weight,
)
decay = {pn for pn, p in model.named_parameters() if p.dim() >= 2}
no_decay = {pn for pn, p in model.named_parameters() if p.dim() < 2}
groups = [
    {"params": [p for n, p in model.named_parameters() if n in s], "weight_decay": w}
    for s, w in ((decay, 0.1), (no_decay, 0.0))
]
opt = torch.optim.AdamW(groups, lr=3e-3, betas=(0.9, 0.95), fused=False)
print([len(g["params"]) for g in opt.param_groups])
seq = (torch.arange(9) * 3 % 11).repeat(4, 1)
for step in range(12):
    logits, loss = model(seq[:, :-1], seq[:, 1:])
    opt.zero_grad(set_to_none=True)
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    if step % 4 == 0:
        print(f"step {step}: loss {loss.item():.4f} norm {norm:.3f}")
print(all(b.attn.same for b in model.transformer.h))
out = model.generate(seq[:1, :3], 9, top_k=1)
print(out.shape, out[0, :3], out.dtype)
