import torch
import torch.nn.functional as F

scores = torch.arange(12, dtype=torch.float32).view(3, 4) / 4
mask = torch.tril(torch.ones(3, 4)).bool()
filled = scores.masked_fill(~mask, float("-inf"))
print(F.softmax(filled, dim=-1))
print(scores.masked_fill(mask == 0, torch.tensor(-1e9)))
print(scores.masked_fill(value=torch.tensor(0.0), mask=mask))
scores[~mask] = 0
print(scores)
print(torch.masked_select(scores, mask))
scores.masked_scatter_(mask, torch.full((9,), 7.0))
print(scores)
print(torch.where(mask, scores, torch.zeros_like(scores)))
print(torch.where(mask, 1.0, 0.0).sum())
