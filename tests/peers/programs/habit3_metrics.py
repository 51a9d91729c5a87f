import torch

pred = torch.tensor([0, 1, 2, 2, 1, 0, 1, 2])
true = torch.tensor([0, 1, 1, 2, 1, 2, 0, 2])
n = 3
cm = torch.zeros(n, n, dtype=torch.int64)
for t, p in zip(true.view(-1), pred.view(-1)):
    cm[t.long(), p.long()] += 1
print(cm, torch.bincount(n * true + pred, minlength=n * n).reshape(n, n).equal(cm))
tp = cm.diag().float()
precision, recall = tp / cm.sum(0), tp / cm.sum(1)
f1 = 2 * precision * recall / (precision + recall)
print(precision, recall, f1, f1.mean().item())
print(
    (pred == true).float().mean().item(),
    (pred == true).sum().item() / len(true),
    pred.eq(true).sum(),
)
scores = torch.tensor([0.1, 0.4, 0.35, 0.8, 0.65, 0.2])
y = torch.tensor([0, 0, 1, 1, 1, 0])
order = torch.argsort(scores, descending=True)
tps = torch.cumsum(y[order], 0)
fps = torch.cumsum(1 - y[order], 0)
true_rate, false_rate = tps / tps[-1], fps / fps[-1]
print(torch.trapz(true_rate, false_rate), true_rate, false_rate)
logits = torch.tensor([[0.1, 0.5, 0.2, 0.9], [1.0, 0.0, 0.3, 0.2]])
target = torch.tensor([1, 2])
for k in (1, 2, 3):
    _, topk = logits.topk(k, 1, True, True)
    correct = topk.t().eq(target.view(1, -1).expand_as(topk.t()))
    print(k, correct[:k].reshape(-1).float().sum(0, keepdim=True).mul_(100.0 / 2))
iou = torch.logical_and(pred > 0, true > 0).sum() / torch.logical_or(pred > 0, true > 0).sum()
print(iou, (2 * ((pred > 0) * (true > 0)).sum()) / ((pred > 0).sum() + (true > 0).sum()))
r = torch.tensor([1.0, 2.0, 3.0])
s = torch.tensor([1.5, 1.5, 3.5])
print(
    1 - (r - s).pow(2).sum() / (r - r.mean()).pow(2).sum(),
    (r - s).abs().mean(),
    ((r - s) ** 2).mean().sqrt(),
)
