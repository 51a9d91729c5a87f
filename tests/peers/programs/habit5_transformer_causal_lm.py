import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def fixed(module):
    with torch.no_grad():
        for i, p in enumerate(module.parameters()):
            p.copy_(
                torch.sin(torch.arange(p.numel(), dtype=torch.float32) * 0.7 + i).view_as(p) * 0.3
            )
    return module


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=64):
        super().__init__()
        position = torch.arange(max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(max_len, d_model)
        pe[:, 0::2] = torch.sin(position * div_term)
        pe[:, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe.unsqueeze(0), persistent=False)

    def forward(self, x):
        return x + self.pe[:, : x.size(1)]


class Head(nn.Module):
    def __init__(self, n_embd, size, block):
        super().__init__()
        self.key = nn.Linear(n_embd, size, bias=False)
        self.query = nn.Linear(n_embd, size, bias=False)
        self.value = nn.Linear(n_embd, size, bias=False)
        self.register_buffer("tril", torch.tril(torch.ones(block, block)))

    def forward(self, x):
        B, T, C = x.shape
        k, q = self.key(x), self.query(x)
        wei = q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5
        wei = wei.masked_fill(self.tril[:T, :T] == 0, float("-inf"))
        return F.softmax(wei, dim=-1) @ self.value(x)


class Block(nn.Module):
    def __init__(self, n_embd, heads, block):
        super().__init__()
        self.sa = nn.ModuleList([Head(n_embd, n_embd // heads, block) for _ in range(heads)])
        self.ff = nn.Sequential(
            nn.Linear(n_embd, 4 * n_embd), nn.GELU(), nn.Linear(4 * n_embd, n_embd)
        )
        self.ln1, self.ln2 = nn.LayerNorm(n_embd), nn.LayerNorm(n_embd)

    def forward(self, x):
        x = x + torch.cat([h(self.ln1(x)) for h in self.sa], dim=-1)
        return x + self.ff(self.ln2(x))


class LM(nn.Module):
    def __init__(self, vocab, n_embd=8, block=6):
        super().__init__()
        self.emb = nn.Embedding(vocab, n_embd)
        self.pos = PositionalEncoding(n_embd)
        self.blocks = nn.Sequential(*[Block(n_embd, 2, block) for _ in range(2)])
        self.head = nn.Linear(n_embd, vocab)
        self.block = block

    def forward(self, idx, targets=None):
        logits = self.head(self.blocks(self.pos(self.emb(idx))))
        if targets is None:
            return logits, None
        B, T, C = logits.shape
        return logits, F.cross_entropy(logits.view(B * T, C), targets.view(B * T))

    @torch.no_grad()
    def generate(self, idx, n):
        for _ in range(n):
            logits, _ = self(idx[:, -self.block :])
            idx = torch.cat((idx, logits[:, -1].argmax(-1, keepdim=True)), dim=1)
        return idx


text = "hello world, hello there"
chars = sorted(set(text))
stoi = {c: i for i, c in enumerate(chars)}
data = torch.tensor([stoi[c] for c in text], dtype=torch.long)
model = fixed(LM(len(chars)))
print(sum(p.numel() for p in model.parameters()), "parameters")
opt = torch.optim.AdamW(model.parameters(), lr=1e-2)
starts = torch.arange(0, 18, 3)
xb = torch.stack([data[i : i + 6] for i in starts])
yb = torch.stack([data[i + 1 : i + 7] for i in starts])
for step in range(12):
    logits, loss = model(xb, yb)
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
    if step % 4 == 0:
        print(step, f"{loss.item():.3f}")
model.eval()
print(model.generate(xb[:1], 5).shape, list(model.state_dict())[:4])
