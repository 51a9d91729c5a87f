"""d2l 8.2: text to tokens to numbers."""

import collections
import re

import torch
from torch.nn import functional as F


class Vocab:
    def __init__(self, tokens=None, min_freq=0, reserved_tokens=None):
        tokens = tokens or []
        reserved_tokens = reserved_tokens or []
        counter = collections.Counter(token for line in tokens for token in line)
        self.token_freqs = sorted(counter.items(), key=lambda x: x[1], reverse=True)
        self.idx_to_token = ["<unk>"] + reserved_tokens
        self.token_to_idx = {token: idx for idx, token in enumerate(self.idx_to_token)}
        for token, freq in self.token_freqs:
            if freq < min_freq:
                break
            if token not in self.token_to_idx:
                self.idx_to_token.append(token)
                self.token_to_idx[token] = len(self.idx_to_token) - 1

    def __len__(self):
        return len(self.idx_to_token)

    def __getitem__(self, tokens):
        if not isinstance(tokens, (list, tuple)):
            return self.token_to_idx.get(tokens, 0)
        return [self.__getitem__(token) for token in tokens]

    def to_tokens(self, indices):
        if not isinstance(indices, (list, tuple)):
            return self.idx_to_token[indices]
        return [self.idx_to_token[index] for index in indices]


lines = ["The Time Machine, by H. G. Wells [1898]", "I", "The Time Traveller (for so it will be"]
lines = [re.sub("[^A-Za-z]+", " ", line).strip().lower() for line in lines]
tokens = [line.split() for line in lines]
vocab = Vocab(tokens)
print(list(vocab.token_to_idx.items())[:6])
corpus = torch.tensor([vocab[token] for line in tokens for token in line])
print(corpus, len(vocab))
print(vocab.to_tokens(corpus[:4].tolist()))
X = torch.arange(6).reshape((2, 3))
print(F.one_hot(X.T, 8).shape, F.one_hot(torch.tensor([0, 2]), len(vocab)))
print(torch.bincount(corpus))
