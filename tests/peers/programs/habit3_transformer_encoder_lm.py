import math

import torch
from torch import nn


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, dropout=0.0, max_len=16):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        position = torch.arange(max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(max_len, 1, d_model)
        pe[:, 0, 0::2] = torch.sin(position * div_term)
        pe[:, 0, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe)

    def forward(self, x):
        return self.dropout(x + self.pe[: x.size(0)])


d = 4
layer = nn.TransformerEncoderLayer(d_model=d, nhead=2, dim_feedforward=8, dropout=0.0)
encoder = nn.TransformerEncoder(layer, num_layers=2, enable_nested_tensor=False)
emb, head, pos = nn.Embedding(7, d), nn.Linear(d, 7), PositionalEncoding(d)
for i, p in enumerate([*encoder.parameters(), *emb.parameters(), *head.parameters()]):
    p.data = torch.sin(torch.arange(p.numel(), dtype=torch.float) * 1.1 + i).view(p.shape) * 0.5
tokens = torch.tensor([[1, 4], [2, 5], [3, 6]])
mask = nn.Transformer.generate_square_subsequent_mask(3)
out = head(encoder(pos(emb(tokens) * math.sqrt(d)), mask))
loss = nn.functional.cross_entropy(out.view(-1, 7), torch.tensor([2, 5, 3, 6, 0, 0]))
loss.backward()
print(out.shape, loss, math.exp(loss.item()), emb.weight.grad.norm())
print(pos.pe[:2, 0], list(pos.state_dict()))
