import torch
import torch.nn as nn
import torch.nn.functional as F

logits = torch.tensor([[1.0, -0.5, 0.3], [0.2, 0.8, -1.0]], requires_grad=True)
target = torch.tensor([0, 2])
ce = nn.CrossEntropyLoss(label_smoothing=0.1, weight=torch.tensor([1.0, 2.0, 0.5]))
print(ce(logits, target), F.nll_loss(F.log_softmax(logits, 1), target, reduction="none"))
print(
    F.cross_entropy(logits, F.one_hot(target, 3).float()),
    F.cross_entropy(logits, target, reduction="sum"),
)


class FocalLoss(nn.Module):
    def __init__(self, alpha=0.25, gamma=2.0):
        super().__init__()
        self.alpha, self.gamma = alpha, gamma

    def forward(self, x, y):
        ce = F.binary_cross_entropy_with_logits(x, y, reduction="none")
        p = torch.exp(-ce)
        return (self.alpha * (1 - p) ** self.gamma * ce).mean()


y = F.one_hot(target, 3).float()
fl = FocalLoss()(logits, y)
fl.backward()
print(fl, logits.grad)


def dice(pred, y, smooth=1.0):
    inter = (pred * y).sum(dim=1)
    return (1 - (2 * inter + smooth) / (pred.sum(1) + y.sum(1) + smooth)).mean()


print(
    dice(logits.sigmoid(), y),
    F.kl_div(F.log_softmax(logits, -1), y.clamp(0.1), reduction="batchmean"),
)
a, b = torch.tensor([0.5, 2.0, -1.0]), torch.tensor([0.0, 0.0, 1.0])
for name in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"):
    print(name, getattr(F, name)(a, b), getattr(F, name)(a, b, reduction="none"))
print(
    F.smooth_l1_loss(a, b, beta=0.5), nn.HuberLoss(delta=0.5)(a, b), nn.PoissonNLLLoss()(a, b.abs())
)
print(
    nn.BCELoss()(a.sigmoid(), b),
    nn.BCEWithLogitsLoss(pos_weight=torch.tensor(3.0))(a, b),
    nn.SoftMarginLoss()(a, 2 * b - 1),
)
x1, x2, x3 = torch.eye(3), torch.eye(3).roll(1, 0), torch.ones(3, 3)
print(
    nn.TripletMarginLoss(margin=1.0)(x1, x2, x3),
    nn.CosineEmbeddingLoss()(x1, x3, torch.tensor([1.0, -1.0, 1.0])),
)
print(
    nn.MarginRankingLoss(margin=0.1)(a, b, torch.tensor([1.0, -1.0, 1.0])),
    nn.HingeEmbeddingLoss()(a, 2 * b - 1),
)
print(
    nn.MultiMarginLoss()(logits, target),
    nn.MultiLabelSoftMarginLoss()(logits, y),
    nn.MultiLabelMarginLoss()(logits, torch.tensor([[0, 2, -1], [1, -1, 0]])),
)
print(
    F.cosine_similarity(x1, x3),
    F.pairwise_distance(x1, x3),
    torch.cdist(x1, x3),
    F.normalize(x3, dim=1),
)
print(
    nn.GaussianNLLLoss()(a, b, torch.ones(3) * 0.5),
    nn.KLDivLoss(reduction="sum")(a, b),
    F.gaussian_nll_loss(a, b, torch.ones(3)),
)
lp = torch.randn(5, 1, 4).mul(0).log_softmax(2)
print(F.ctc_loss(lp, torch.tensor([[1, 2]]), torch.tensor([5]), torch.tensor([2])))


def nt_xent(z, t=0.5):
    n = z.size(0)
    z = F.normalize(z, dim=1)
    sim = z @ z.t() / t
    sim.fill_diagonal_(float("-inf"))
    labels = (torch.arange(n) + n // 2) % n
    return F.cross_entropy(sim, labels)


z = torch.linspace(-1, 1, 12).view(4, 3).cos().requires_grad_()
l = nt_xent(z)
l.backward()
print(l, z.grad)
print(
    F.softplus(a),
    F.gumbel_softmax(logits, hard=True).sum(1),
    F.hardtanh(a),
    F.logsigmoid(a),
    F.glu(torch.ones(2, 4)),
)
print(
    F.gelu(a, approximate="tanh"),
    F.silu(a),
    F.mish(a),
    F.elu(a),
    F.selu(a),
    F.celu(a),
    F.hardswish(a),
    F.relu6(a * 9),
    F.softsign(a),
    F.tanhshrink(a),
)
