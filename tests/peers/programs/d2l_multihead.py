"""d2l 10.5: multi-head attention by hand, beside nn.MultiheadAttention."""

import math

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


def transpose_qkv(X, num_heads):
    X = X.reshape(X.shape[0], X.shape[1], num_heads, -1)
    X = X.permute(0, 2, 1, 3)
    return X.reshape(-1, X.shape[2], X.shape[3])


def transpose_output(X, num_heads):
    X = X.reshape(-1, num_heads, X.shape[1], X.shape[2])
    X = X.permute(0, 2, 1, 3)
    return X.reshape(X.shape[0], X.shape[1], -1)


class MultiHeadAttention(nn.Module):
    def __init__(self, num_hiddens, num_heads, dropout, bias=False, **kwargs):
        super(MultiHeadAttention, self).__init__(**kwargs)
        self.num_heads = num_heads
        self.dropout = nn.Dropout(dropout)
        self.W_q = nn.LazyLinear(num_hiddens, bias=bias)
        self.W_k = nn.LazyLinear(num_hiddens, bias=bias)
        self.W_v = nn.LazyLinear(num_hiddens, bias=bias)
        self.W_o = nn.LazyLinear(num_hiddens, bias=bias)

    def forward(self, queries, keys, values, valid_lens):
        queries = transpose_qkv(self.W_q(queries), self.num_heads)
        keys = transpose_qkv(self.W_k(keys), self.num_heads)
        values = transpose_qkv(self.W_v(values), self.num_heads)
        scores = torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(queries.shape[-1])
        if valid_lens is not None:
            valid_lens = torch.repeat_interleave(valid_lens, repeats=self.num_heads, dim=0)
            hidden = torch.arange(keys.shape[1])[None, None, :] >= valid_lens[:, None, None]
            scores = scores.masked_fill(hidden, -1e6)
        output = torch.bmm(self.dropout(scores.softmax(-1)), values)
        return self.W_o(transpose_output(output, self.num_heads))


num_hiddens, num_heads = 20, 5
attention = MultiHeadAttention(num_hiddens, num_heads, 0.5)
batch_size, num_queries, num_kvpairs, valid_lens = 2, 4, 6, torch.tensor([3, 2])
X = wave(batch_size, num_queries, num_hiddens)
Y = wave(batch_size, num_kvpairs, num_hiddens, step=0.9)
attention.eval()
print(attention)
attention(X, Y, Y, valid_lens)
set_weights(attention)
out = attention(X, Y, Y, valid_lens)
print(out.shape, out[0, 0])
builtin = nn.MultiheadAttention(num_hiddens, num_heads, bias=False, batch_first=True)
with torch.no_grad():
    builtin.in_proj_weight.copy_(
        torch.cat([attention.W_q.weight, attention.W_k.weight, attention.W_v.weight])
    )
    builtin.out_proj.weight.copy_(attention.W_o.weight)
mask = torch.arange(num_kvpairs)[None, :] >= valid_lens[:, None]
same, weights = builtin(X, Y, Y, key_padding_mask=mask)
print(torch.allclose(out, same, atol=1e-5), weights.shape, weights[1, 0])
