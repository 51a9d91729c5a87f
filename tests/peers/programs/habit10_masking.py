import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def length_mask(lens, maxlen=None):
    maxlen = maxlen or lens.max()
    return torch.arange(maxlen)[None, :] < lens[:, None]


lens = torch.tensor([3, 1, 4])
mask = length_mask(lens)
print(mask, ~mask, mask.int(), mask.float().sum(1), mask.logical_not().any(1), mask.all(-1))
x = torch.arange(12.0).view(3, 4)
print(x.masked_fill(~mask, -1e9).softmax(-1), x.masked_select(mask), x * mask)
print((x * mask).sum(1) / mask.sum(1), x.masked_fill(~mask, float("-inf")).max(1).values)
causal = torch.triu(torch.full((4, 4), float("-inf")), diagonal=1)
print(
    causal,
    torch.tril(torch.ones(4, 4, dtype=torch.bool)),
    nn.Transformer.generate_square_subsequent_mask(3),
)


def sdpa(q, k, v, mask=None):
    s = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        s = s.masked_fill(mask == 0, -1e9)
    p = F.softmax(s, dim=-1)
    return p @ v, p


q = torch.sin(torch.arange(24.0)).view(1, 2, 4, 3)
o, p = sdpa(q, q, q, torch.tril(torch.ones(4, 4)))
print(
    p[0, 0], torch.allclose(o, F.scaled_dot_product_attention(q, q, q, is_causal=True), atol=1e-6)
)
mha = nn.MultiheadAttention(4, 2, batch_first=True)
with torch.no_grad():
    for pr in mha.parameters():
        pr.copy_(torch.cos(torch.arange(pr.numel())).view_as(pr) * 0.5)
inp = torch.sin(torch.arange(48.0)).view(3, 4, 4)
out, w = mha(
    inp,
    inp,
    inp,
    key_padding_mask=~mask,
    attn_mask=causal,
    need_weights=True,
    average_attn_weights=False,
)
print(out[0], w.shape, w[1, 0])
loss = F.cross_entropy(
    torch.log_softmax(inp, -1).transpose(1, 2),
    torch.where(mask, torch.tensor(1), torch.tensor(-100)),
)
print(
    loss,
    F.cross_entropy(inp.flatten(0, 1), mask.long().flatten(), reduction="none")
    .view(3, 4)
    .mul(mask)
    .sum()
    / mask.sum(),
)
mlm = torch.tensor([[5, 6, 7, 8], [9, 1, 2, 3]])
prob = torch.tensor([[0.9, 0.1, 0.9, 0.1], [0.1, 0.1, 0.9, 0.9]])
masked = (prob > 0.5) & (mlm != 3)
labels = mlm.clone()
labels[~masked] = -100
mlm[masked] = 103
print(mlm, labels, labels.ne(-100).sum().item(), masked ^ (mlm > 100), masked.count_nonzero(dim=1))
enc = nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first=True)
with torch.no_grad():
    for pr in enc.parameters():
        pr.copy_(torch.cos(torch.arange(pr.numel())).view_as(pr) * 0.3)
print(
    enc(
        inp,
        src_mask=causal,
        src_key_padding_mask=torch.zeros(3, 4).masked_fill(~mask, float("-inf")),
    )[0]
)
print(torch.logical_and(mask, mask.roll(1, 1)), mask.cumsum(1), (mask.cumsum(1) * mask).argmax(1))
print(
    torch.isin(mlm, torch.tensor([103, 6])),
    torch.where(mask, x, x.mean()),
    mask[:, None, :] & mask[:, :, None],
)
x.masked_fill_(mask, 0)
x.masked_scatter_(mask, torch.arange(100, 110.0))
print(x, torch.finfo(x.dtype).min, torch.masked_select(x, x.gt(100)).tolist())
try:
    x.masked_fill(torch.ones(5, dtype=torch.bool), 0)
except RuntimeError:
    print("RuntimeError: shape")
try:
    mask - mask
except RuntimeError as e:
    print("RuntimeError: subtraction of bool")
try:
    -mask
except RuntimeError as e:
    print("RuntimeError: negative of bool")
