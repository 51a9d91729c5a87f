import torch

x = torch.tensor([[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]])
print(x.sum(), x.sum(dim=0), x.sum(1, keepdim=True), x.mean(), x.mean(axis=1), x.prod())
print(x.max(), x.min(), x.argmax(), x.argmin(dim=1), x.std(), x.var(dim=0, unbiased=False))
print(x.max(dim=1))
values, places = torch.max(x, 1)
print(values, places, x.max(1)[1], x.min(0).values)
print(x.sort(dim=1), x.topk(2, dim=1), torch.argsort(x, dim=1), x.sort(descending=True).values)
print(x.median(), x.median(dim=1), x.cumsum(1), x.norm(), x.norm(dim=1), torch.norm(x, p=1))
print((x > 2).sum().item(), (x > 2).any(), (x > 0).all(), (x > 2).float().mean().item())
print(torch.unique(torch.tensor([3, 1, 3])), torch.bincount(torch.tensor([0, 2, 2])))
print(x.logsumexp(1), torch.count_nonzero(x), x.amax(1), torch.diff(x))
