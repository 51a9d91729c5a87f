import torch

logits = torch.tensor([[0.1, 2.0, -1.0], [1.5, 0.2, 0.3]])
targets = torch.tensor([1, 0])
print(logits.gather(1, targets.view(-1, 1)).squeeze(1), logits[torch.arange(2), targets])
onehot = torch.zeros(2, 3).scatter_(1, targets.unsqueeze(1), 1)
print(onehot, onehot.argmax(1))
src = torch.tensor([1.0, 2.0, 3.0, 4.0])
index = torch.tensor([0, 1, 0, 1])
print(torch.zeros(2).index_add_(0, index, src), torch.zeros(2).scatter_add_(0, index, src))
print(torch.zeros(2).scatter_reduce(0, index, src, reduce="mean", include_self=False))
values, idx = torch.topk(logits, k=2, dim=1)
print(values, idx, torch.sort(logits, dim=1, descending=True)[1])
print(logits.masked_fill(logits < 0, float("-inf")).softmax(-1))
print(torch.where(logits > 1)[0], (logits > 1).nonzero(as_tuple=True)[1], (logits > 1).nonzero())
x = torch.arange(12).reshape(3, 4)
print(x[:, [0, 2]], x[[0, 1], [1, 2]], x[x % 2 == 0], x[..., -1], x[::2], x[None, 1:, :2].shape)
x[x > 5] = -1
x[0, :] = torch.tensor([9, 8, 7, 6])
print(x, x.unique(), x.unique(return_counts=True)[1])
print(
    torch.index_select(x, 1, torch.tensor([3, 0])),
    x.take(torch.tensor([0, 5])),
    x.diagonal(),
    x.flip(0, 1),
)
print(torch.take_along_dim(logits, logits.argmax(1, keepdim=True), dim=1))
print(torch.bincount(index, minlength=4), torch.cumsum(x, 0)[-1], torch.masked_select(x, x < 0))
