"""d2l 10.6: positional encoding and self-attention."""

import torch
from torch import nn


class PositionalEncoding(nn.Module):
    def __init__(self, num_hiddens, dropout, max_len=1000):
        super(PositionalEncoding, self).__init__()
        self.dropout = nn.Dropout(dropout)
        self.P = torch.zeros((1, max_len, num_hiddens))
        X = torch.arange(max_len, dtype=torch.float32).reshape(-1, 1) / torch.pow(
            10000, torch.arange(0, num_hiddens, 2, dtype=torch.float32) / num_hiddens
        )
        self.P[:, :, 0::2] = torch.sin(X)
        self.P[:, :, 1::2] = torch.cos(X)

    def forward(self, X):
        X = X + self.P[:, : X.shape[1], :].to(X.device)
        return self.dropout(X)


encoding_dim, num_steps = 32, 60
pos_encoding = PositionalEncoding(encoding_dim, 0)
pos_encoding.eval()
X = pos_encoding(torch.zeros((1, num_steps, encoding_dim)))
P = pos_encoding.P[:, : X.shape[1], :]
print(P.shape, X[0, 3, :8], P[0, 59, 6:10])
for i in range(8):
    print(f"{i} in binary is {i:>03b}")
attention = nn.MultiheadAttention(encoding_dim, 4, dropout=0.0, batch_first=True)
for p in attention.parameters():
    nn.init.constant_(p, 0.02)
out, weights = attention(X, X, X)
print(out.shape, weights.shape, out[0, 0, 0])
