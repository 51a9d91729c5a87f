import torch

pred = torch.tensor([2, 0, 2, 1, 0, 1, 1])
true = torch.tensor([2, 0, 1, 1, 0, 2, 1])
C = 3
cm = torch.zeros(C, C, dtype=torch.int64)
for t, p in zip(true.view(-1), pred.view(-1)):
    cm[t.long(), p.long()] += 1
print(cm, torch.bincount(true * C + pred, minlength=C * C).reshape(C, C))
tp = cm.diag().float()
precision, recall = tp / cm.sum(0), tp / cm.sum(1)
f1 = 2 * precision * recall / (precision + recall)
print(precision, recall, f1, f1.mean())
logits = torch.tensor([[0.1, 0.5, 0.2, 0.9], [0.3, 0.2, 0.8, 0.1]])
target = torch.tensor([1, 3])


def accuracy(output, target, topk=(1,)):
    maxk = max(topk)
    _, pred = output.topk(maxk, 1, True, True)
    pred = pred.t()
    correct = pred.eq(target.view(1, -1).expand_as(pred))
    return [
        correct[:k].reshape(-1).float().sum(0, keepdim=True).mul_(100.0 / target.size(0))
        for k in topk
    ]


print(accuracy(logits, target, topk=(1, 2)))
scores = torch.tensor([0.9, 0.8, 0.7, 0.6, 0.5])
labels = torch.tensor([1, 1, 0, 1, 0])
order = torch.argsort(scores, descending=True)
tps = torch.cumsum(labels[order], 0)
fps = torch.cumsum(1 - labels[order], 0)
true_rate, false_rate = tps / tps[-1], fps / fps[-1]
print(
    true_rate,
    false_rate,
    torch.trapezoid(true_rate, false_rate),
    torch.trapz(true_rate, false_rate),
)
mask_a, mask_b = torch.tensor([[1, 1], [0, 0]]).bool(), torch.tensor([[1, 0], [1, 0]]).bool()
inter, union = (mask_a & mask_b).sum(), (mask_a | mask_b).sum()
print(inter / union, 2 * inter / (mask_a.sum() + mask_b.sum()), mask_a ^ mask_b, ~mask_a)
x, y = torch.tensor([1.0, 2.0, 3.0, 4.0]), torch.tensor([2.0, 4.0, 5.0, 9.0])
vx, vy = x - x.mean(), y - y.mean()
print((vx * vy).sum() / (vx.pow(2).sum().sqrt() * vy.pow(2).sum().sqrt()))
print(
    torch.quantile(y, torch.tensor([0.25, 0.5, 0.75])),
    y.median(),
    torch.var_mean(y),
    y.logsumexp(0),
)
psnr = 10 * torch.log10(1 / ((x / 10 - y / 10) ** 2).mean())
print(psnr, torch.nn.functional.l1_loss(x, y), ((x - y).abs() < 1.5).float().mean())
print(f"{y.mean():.2f} {y.max().item():.1f} {int(labels.sum())} {labels.float().mean():.0%}")
