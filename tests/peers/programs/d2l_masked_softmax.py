"""d2l 10.3: softmax with masked positions."""

import torch
from torch import nn


def wave(*shape, step=0.37, start=0.0):
    count = 1
    for size in shape:
        count *= size
    return torch.sin(torch.arange(count, dtype=torch.float32) * step + start).reshape(shape)


def sequence_mask(X, valid_len, value=0):
    maxlen = X.size(1)
    mask = (
        torch.arange((maxlen), dtype=torch.float32, device=X.device)[None, :] < valid_len[:, None]
    )
    X[~mask] = value
    return X


def masked_softmax(X, valid_lens):
    if valid_lens is None:
        return nn.functional.softmax(X, dim=-1)
    shape = X.shape
    if valid_lens.dim() == 1:
        valid_lens = torch.repeat_interleave(valid_lens, shape[1])
    else:
        valid_lens = valid_lens.reshape(-1)
    X = sequence_mask(X.reshape(-1, shape[-1]), valid_lens, value=-1e6)
    return nn.functional.softmax(X.reshape(shape), dim=-1)


print(masked_softmax(wave(2, 2, 4), torch.tensor([2, 3])))
print(masked_softmax(wave(2, 2, 4), torch.tensor([[1, 3], [2, 4]])))
print(masked_softmax(wave(2, 2, 4), None).sum(-1))
scores = wave(2, 3, 3).masked_fill(torch.triu(torch.ones(3, 3), diagonal=1).bool(), float("-inf"))
print(scores.softmax(-1))
mask = nn.Transformer.generate_square_subsequent_mask(3)
print(mask)
