import numpy as np
import torch

rng = np.random.RandomState(7)
logits = torch.tensor(rng.randn(12, 4), dtype=torch.float32)
target = torch.tensor(rng.randint(0, 4, 12))


def accuracy(output, target, topk=(1,)):
    """Computes the accuracy over the k top predictions"""
    with torch.no_grad():
        maxk = max(topk)
        batch_size = target.size(0)
        _, pred = output.topk(maxk, 1, True, True)
        pred = pred.t()
        correct = pred.eq(target.view(1, -1).expand_as(pred))
        print(correct)
        return [
            correct[:k].reshape(-1).float().sum(0, keepdim=True).mul_(100.0 / batch_size)
            for k in topk
        ]


print(accuracy(logits, target, (1, 3)))


class AverageMeter(object):
    def __init__(self, name, fmt=":f"):
        self.name, self.fmt = (name, fmt)
        self.val = self.sum = self.count = self.avg = 0

    def update(self, val, n=1):
        self.val = val
        self.sum += val * n
        self.count += n
        self.avg = self.sum / self.count

    def __str__(self):
        return ("{name} {val" + self.fmt + "} ({avg" + self.fmt + "})").format(**self.__dict__)


m = AverageMeter("Loss", ":.4e")
top1 = AverageMeter("Acc@1", ":6.2f")
for i in range(3):
    m.update(0.5 / (i + 1), 4)
    top1.update(accuracy(logits[i * 4 : i * 4 + 4], target[i * 4 : i * 4 + 4])[0][0], 4)
print(m, top1, top1.avg, sep=" | ")
pred = logits.argmax(1)
conf = torch.zeros(4, 4).index_put((target, pred), torch.ones(12), accumulate=True)
tp = conf.diag()
prec = tp / conf.sum(0).clamp(min=1)
rec = tp / conf.sum(1)
f1 = 2 * prec * rec / (prec + rec)
print(
    conf, conf.int(), prec, rec, f1, torch.nan_to_num(f1), f1.nanmean(), f1.isnan().any(), sep="\n"
)
print(
    f"macro {torch.nanmean(f1):.3f} micro {tp.sum() / conf.sum():.3f}",
    f"{prec[0]:.2f}",
    "%.3f" % rec[1],
    "{:5.1f}|{:>8}".format(tp[2], str(tp[1].item())),
)
score = logits.softmax(1)[:, 1]
lab = (target == 1).int()
order = score.argsort(descending=True)
l = lab[order]
tps = l.cumsum(0)
fps = (1 - l).cumsum(0)
tpr = tps / tps[-1]
false_rate = fps.div(fps[-1])
print(
    tps,
    fps,
    tpr.dtype,
    torch.trapezoid(tpr, false_rate),
    torch.trapz(tpr.float(), false_rate.float()).item(),
)
pos, neg = (score[lab.bool()], score[lab == 0])
print((pos[:, None] > neg[None]).float().mean(), pos.shape, neg.numel())
y = torch.tensor([3.0, -0.5, 2, 7])
p = torch.tensor([2.5, 0.0, 2, 8])
print(
    (y - p).abs().mean(),
    ((y - p) ** 2).mean().sqrt(),
    1 - ((y - p) ** 2).sum() / ((y - y.mean()) ** 2).sum(),
    torch.corrcoef(torch.stack([y, p])),
    torch.cov(torch.stack([y, p])),
)
print(
    y.std(),
    y.std(unbiased=False),
    y.var(correction=0),
    torch.std_mean(y),
    torch.var_mean(y, dim=0),
    y.quantile(torch.tensor([0.25, 0.5])),
    y.median(),
    y.aminmax(),
    y.max(),
    y.max(0),
    y.norm(),
    y.norm(p=1),
    y.prod(),
    y.logsumexp(0),
)


def iou(b1, b2):
    lt = torch.max(b1[:, None, :2], b2[:, :2])
    rb = torch.min(b1[:, None, 2:], b2[:, 2:])
    wh = (rb - lt).clamp(min=0)
    inter = wh[..., 0] * wh[..., 1]
    area = lambda b: (b[:, 2] - b[:, 0]) * (b[:, 3] - b[:, 1])
    return inter / (area(b1)[:, None] + area(b2) - inter)


boxes = torch.tensor([[0, 0, 2, 2], [1, 1, 3, 3], [0, 0, 2, 2.5], [5, 5, 6, 6]], dtype=torch.float)
scores = torch.tensor([0.9, 0.8, 0.95, 0.3])
print(iou(boxes, boxes))


def nms(b, s, thr):
    keep = []
    idx = s.sort(descending=True)[1]
    while idx.numel() > 0:
        i = idx[0]
        keep.append(i)
        if idx.numel() == 1:
            break
        idx = idx[1:][iou(b[i].unsqueeze(0), b[idx[1:]])[0] <= thr]
    return torch.stack(keep)


print(nms(boxes, scores, 0.5), torch.tensor([i.item() for i in nms(boxes, scores, 0.1)]))
ml = torch.tensor([[1, 0, 1], [0, 1, 0]])
mp = torch.tensor([[0.9, 0.2, 0.4], [0.1, 0.6, 0.7]]) > 0.5
print(
    mp,
    mp.int(),
    (mp == ml).all(1),
    (mp.bool() & ml.bool()).sum(1) / (mp.bool() | ml.bool()).sum(1),
    mp ^ ml.bool(),
    ~mp,
    (ml * 1.0).mean(0),
    mp.any(),
    mp.all(dim=1),
    mp.sum(),
    mp.float().mean().item(),
    torch.count_nonzero(ml, dim=0),
)
print(
    torch.nn.functional.binary_cross_entropy_with_logits(
        torch.tensor([0.3, -2.0]), torch.tensor([1.0, 0.0]), pos_weight=torch.tensor([2.0])
    ),
    torch.exp(torch.nn.functional.cross_entropy(logits, target)),
)
print(
    torch.nn.functional.cross_entropy(
        logits, target, weight=torch.tensor([1.0, 2, 3, 4]), reduction="none"
    ),
    torch.nn.functional.nll_loss(logits.log_softmax(-1), target, ignore_index=2),
    torch.nn.functional.cross_entropy(logits, logits.softmax(1)),
)
