import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
import math
from dataclasses import dataclass

import torch
import torch.nn as nn
from torch.nn import functional as F


class LayerNorm(nn.Module):
    def __init__(self, ndim, bias):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(ndim))
        self.bias = nn.Parameter(torch.zeros(ndim)) if bias else None

    def forward(self, input):
        return F.layer_norm(input, self.weight.shape, self.weight, self.bias, 1e-5)


class CausalSelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.c_attn = nn.Linear(config.n_embd, 3 * config.n_embd, bias=config.bias)
        self.c_proj = nn.Linear(config.n_embd, config.n_embd, bias=config.bias)
        self.n_head, self.n_embd = config.n_head, config.n_embd
        self.register_buffer(
            "bias",
            torch.tril(torch.ones(config.block_size, config.block_size)).view(
                1, 1, config.block_size, config.block_size
            ),
        )

    def forward(self, x, flash=True):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(self.n_embd, dim=2)
        q, k, v = (t.view(B, T, self.n_head, C // self.n_head).transpose(1, 2) for t in (q, k, v))
        if flash:
            y = F.scaled_dot_product_attention(
                q, k, v, attn_mask=None, dropout_p=0.0, is_causal=True
            )
        else:
            att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
            att = att.masked_fill(self.bias[:, :, :T, :T] == 0, float("-inf"))
            y = F.softmax(att, dim=-1) @ v
        return self.c_proj(y.transpose(1, 2).contiguous().view(B, T, C))


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.ln_1 = LayerNorm(config.n_embd, bias=config.bias)
        self.attn = CausalSelfAttention(config)
        self.ln_2 = LayerNorm(config.n_embd, bias=config.bias)
        self.mlp = nn.Sequential(
            nn.Linear(config.n_embd, 4 * config.n_embd),
            nn.GELU(approximate="tanh"),
            nn.Linear(4 * config.n_embd, config.n_embd),
        )

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


@dataclass
class GPTConfig:
    block_size: int = 16
    vocab_size: int = 12
    n_layer: int = 2
    n_head: int = 2
    n_embd: int = 16
    bias: bool = False


class GPT(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.transformer = nn.ModuleDict(
            dict(
                wte=nn.Embedding(config.vocab_size, config.n_embd),
                wpe=nn.Embedding(config.block_size, config.n_embd),
                h=nn.ModuleList([Block(config) for _ in range(config.n_layer)]),
                ln_f=LayerNorm(config.n_embd, bias=config.bias),
            )
        )
        self.lm_head = nn.Linear(config.n_embd, config.vocab_size, bias=False)
        self.transformer.wte.weight = self.lm_head.weight  # weight tying
        with torch.no_grad():
            for i, (pn, p) in enumerate(self.named_parameters()):
                if p.dim() >= 2:
                    p.copy_(0.15 * torch.sin(torch.arange(p.numel()) * 1.23 + i).view_as(p))
                elif pn.endswith("bias"):
                    p.zero_()
        n_params = sum(p.numel() for p in self.parameters()) - self.transformer.wpe.weight.numel()
        print("number of parameters: %.4fM" % (n_params / 1e6,))

    def forward(self, idx, targets=None):
        b, t = idx.size()
        pos = torch.arange(0, t, dtype=torch.long, device=idx.device)
        x = self.transformer.wte(idx) + self.transformer.wpe(pos)
        for block in self.transformer.h:
            x = block(x)
        x = self.transformer.ln_f(x)
        logits = self.lm_head(x if targets is not None else x[:, [-1], :])
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(
            logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-1
        )

    def configure_optimizers(self, weight_decay, learning_rate, betas):
        decay_params = [p for n, p in self.named_parameters() if p.dim() >= 2]
        nodecay_params = [p for n, p in self.named_parameters() if p.dim() < 2]
        print(
            f"num decayed parameter tensors: {len(decay_params)}, with {sum(p.numel() for p in decay_params):,} parameters"
        )
        print(
            f"num non-decayed parameter tensors: {len(nodecay_params)}, with {sum(p.numel() for p in nodecay_params):,} parameters"
        )
        groups = [
            {"params": decay_params, "weight_decay": weight_decay},
            {"params": nodecay_params, "weight_decay": 0.0},
        ]
        return torch.optim.AdamW(groups, lr=learning_rate, betas=betas)

    @torch.no_grad()
    def generate(self, idx, max_new_tokens, temperature=1.0, top_k=None):
        for _ in range(max_new_tokens):
            logits, _ = self(idx[:, -self.config.block_size :])
            logits = logits[:, -1, :] / temperature
            v, _ = torch.topk(logits, min(top_k or 12, logits.size(-1)))
            logits[logits < v[:, [-1]]] = -float("Inf")
            idx = torch.cat(
                (idx, torch.multinomial(F.softmax(logits, dim=-1), num_samples=1)), dim=1
            )
        return idx


model = GPT(GPTConfig())
print(model.transformer.h[0], model.config, sep="\n")
data = torch.tensor([(i * i + 3 * i) % 12 for i in range(120)], dtype=torch.int64)
opt = model.configure_optimizers(1e-1, 1e-2, (0.9, 0.95))
get_lr = lambda it: (
    1e-2 * (it + 1) / 5 if it < 5 else 1e-3 + 0.5 * (1 + math.cos(math.pi * (it - 5) / 25)) * 9e-3
)
for it in range(30):
    for param_group in opt.param_groups:
        param_group["lr"] = get_lr(it)
    ix = torch.tensor([(it * 7 + j * 13) % 100 for j in range(4)])
    x, y = (
        torch.stack([data[i : i + 16] for i in ix]),
        torch.stack([data[i + 1 : i + 17] for i in ix]),
    )
    _, loss = model(x, y)
    opt.zero_grad(set_to_none=True)
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    if it % 6 == 0:
        print(f"iter {it}: loss {loss.item():.4f}, lr {get_lr(it):.5f}, norm {norm:.3f}")
out = model.generate(data[:4].unsqueeze(0), 8, top_k=1)
print(out.shape, (out[0, :8] == data[:8]).all())
h = model.transformer.h[0].attn
print(
    torch.allclose(h(torch.ones(1, 5, 16)), h(torch.ones(1, 5, 16), flash=False), atol=1e-6),
    len(model.state_dict()),
    len(list(model.parameters())),
)
