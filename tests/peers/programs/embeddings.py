import torch
from torch import nn

vocabulary = {"the": 0, "cat": 1, "sat": 2}
table = nn.Embedding(len(vocabulary), 2)
with torch.no_grad():
    table.weight.copy_(torch.arange(6.0).reshape(3, 2))
ids = torch.tensor([[vocabulary[w] for w in "the cat sat".split()]])
vectors = table(ids)
print(vectors.detach(), vectors.mean(dim=1), vectors.shape)
vectors.sum().backward()
print(table.weight.grad)
norm = nn.LayerNorm(2)
print(norm(vectors).detach(), nn.GELU()(torch.tensor([1.0])), norm.weight)
scores = vectors.detach() @ vectors.detach().transpose(1, 2) / 2**0.5
mask = torch.tril(torch.ones(3, 3)) == 0
print(scores.masked_fill(mask, float("-inf")).softmax(dim=-1))
