"""d2l 10.7: a small nn.Transformer learns to copy a sequence."""

import math

import torch
from torch import nn


def set_weights(net):
    with torch.no_grad():
        for place, param in enumerate(net.parameters()):
            steps = torch.arange(param.numel(), dtype=torch.float32)
            spread = 1.0 / max(1, param.numel() // param.shape[0]) ** 0.5
            param.copy_((torch.sin(steps * 0.7 + place) * spread).reshape(param.shape))


class Model(nn.Module):
    def __init__(self, vocab, width):
        super().__init__()
        self.embedding = nn.Embedding(vocab, width)
        self.position = nn.Embedding(10, width)
        self.transformer = nn.Transformer(
            d_model=width,
            nhead=2,
            num_encoder_layers=1,
            num_decoder_layers=1,
            dim_feedforward=16,
            dropout=0.0,
            batch_first=True,
        )
        self.out = nn.Linear(width, vocab)

    def embed(self, tokens):
        places = torch.arange(tokens.shape[1], device=tokens.device)
        return self.embedding(tokens) * math.sqrt(8) + self.position(places)

    def forward(self, src, tgt):
        mask = self.transformer.generate_square_subsequent_mask(tgt.size(1))
        out = self.transformer(
            self.embed(src),
            self.embed(tgt),
            tgt_mask=mask,
            src_key_padding_mask=src == 0,
            memory_key_padding_mask=src == 0,
        )
        return self.out(out)


net = Model(8, 8)
set_weights(net)
src = torch.tensor([[1, 2, 3, 4], [5, 6, 7, 0]])
tgt = torch.tensor([[7, 1, 2, 3], [7, 5, 6, 7]])
label = torch.tensor([[1, 2, 3, 4], [5, 6, 7, 0]])
loss = nn.CrossEntropyLoss(ignore_index=0)
optimizer = torch.optim.AdamW(net.parameters(), lr=0.01, betas=(0.9, 0.98), eps=1e-9)
for step in range(6):
    optimizer.zero_grad()
    out = net(src, tgt)
    l = loss(out.reshape(-1, 8), label.reshape(-1))
    l.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    optimizer.step()
    print(f"step {step}: {l.item():.4f}")
print(sum(p.numel() for p in net.parameters() if p.requires_grad))
