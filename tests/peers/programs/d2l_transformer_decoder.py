"""d2l 10.7: decoder blocks with a state that grows while predicting."""

import torch
from torch import nn


def set_weights(net):
    with torch.no_grad():
        for place, param in enumerate(net.parameters()):
            steps = torch.arange(param.numel(), dtype=torch.float32)
            spread = 1.0 / max(1, param.numel() // param.shape[0]) ** 0.5
            param.copy_((torch.sin(steps * 0.7 + place) * spread).reshape(param.shape))


def wave(*shape, step=0.37, start=0.0):
    count = 1
    for size in shape:
        count *= size
    return torch.sin(torch.arange(count, dtype=torch.float32) * step + start).reshape(shape)


class DecoderBlock(nn.Module):
    def __init__(self, num_hiddens, num_heads, i):
        super().__init__()
        self.i = i
        self.attention1 = nn.MultiheadAttention(num_hiddens, num_heads, batch_first=True)
        self.norm1 = nn.LayerNorm(num_hiddens)
        self.attention2 = nn.MultiheadAttention(num_hiddens, num_heads, batch_first=True)
        self.norm2 = nn.LayerNorm(num_hiddens)
        self.ffn = nn.Sequential(nn.Linear(num_hiddens, 12), nn.ReLU(), nn.Linear(12, num_hiddens))
        self.norm3 = nn.LayerNorm(num_hiddens)

    def forward(self, X, state):
        enc_outputs = state[0]
        if state[1][self.i] is None:
            key_values = X
        else:
            key_values = torch.cat((state[1][self.i], X), axis=1)
        state[1][self.i] = key_values
        mask = None
        if self.training:
            steps = X.shape[1]
            mask = torch.triu(torch.ones(steps, steps, dtype=torch.bool), 1)
        X2, _ = self.attention1(X, key_values, key_values, attn_mask=mask)
        Y = self.norm1(X + X2)
        Y2, w = self.attention2(Y, enc_outputs, enc_outputs, average_attn_weights=False)
        Z = self.norm2(Y + Y2)
        return self.norm3(Z + self.ffn(Z)), state, w


blocks = nn.ModuleList([DecoderBlock(8, 2, i) for i in range(2)])
set_weights(blocks)
enc = wave(2, 5, 8, step=0.9)
X = wave(2, 3, 8)
state = [enc, [None] * 2]
blocks.train()
for blk in blocks:
    X, state, w = blk(X, state)
print(X.shape, w.shape, X[1, 2])
blocks.eval()
state = [enc, [None] * 2]
tokens = wave(2, 3, 8)
for t in range(3):
    x = tokens[:, t : t + 1]
    for blk in blocks:
        x, state, w = blk(x, state)
print(torch.allclose(x[:, 0], X[:, 2], atol=1e-5), [s.shape for s in state[1]])
layer = nn.TransformerDecoderLayer(8, 2, 12, dropout=0.0, batch_first=True)
set_weights(layer)
print(
    layer(
        tokens, enc, tgt_mask=nn.Transformer.generate_square_subsequent_mask(3), tgt_is_causal=True
    )[0, 2]
)
