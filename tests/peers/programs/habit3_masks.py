import torch

scores = torch.arange(16, dtype=torch.float32).view(4, 4) / 4
causal = torch.triu(torch.ones(4, 4), diagonal=1).bool()
masked = scores.masked_fill(causal, float("-inf"))
print(masked)
print(torch.softmax(masked, dim=-1))
lengths = torch.tensor([2, 4, 1])
mask = torch.arange(4)[None, :] < lengths[:, None]
print(mask, mask.sum(), mask.float().mean())
x = torch.arange(12.0).reshape(3, 4)
print((x * mask).sum(1) / mask.sum(1))
print(x[mask], torch.masked_select(x, ~mask))
print(torch.where(mask, x, torch.tensor(-1.0)), torch.where(x > 5, x, 0.0))
print((x > 3) & (x < 8) | (x == 11), mask.any(1), mask.all(dim=0), torch.logical_xor(mask, x > 5))
print(mask.nonzero(), mask.nonzero(as_tuple=True)[1], torch.nonzero(x > 9).squeeze())
x[~mask] = 0
print(x, torch.isnan(torch.tensor([1.0, float("nan")])), mask.logical_not())
tgt_mask = torch.nn.Transformer.generate_square_subsequent_mask(3)
print(tgt_mask)
