import torch
import torch.nn as nn
import torch.nn.functional as F


def noise(*shape):
    n = 1
    for s in shape:
        n *= s
    return (
        (torch.sin(torch.arange(n, dtype=torch.float32) * 12.9898) * 43758.5453 / 1e4)
        .sin()
        .mul(1.5)
        .view(*shape)
    )


def fixed(module):
    with torch.no_grad():
        for i, p in enumerate(module.parameters()):
            p.copy_(
                torch.sin(torch.arange(p.numel(), dtype=torch.float32) * 0.7 + i).view_as(p) * 0.3
            )
    return module


class NTXent(nn.Module):
    def __init__(self, temperature=0.5):
        super().__init__()
        self.temperature = temperature

    def forward(self, a, b):
        z = F.normalize(torch.cat([a, b]), dim=1)
        sim = z @ z.t() / self.temperature
        n = sim.shape[0]
        sim.fill_diagonal_(float("-inf"))
        target = torch.arange(n).roll(n // 2)
        return F.cross_entropy(sim, target)


def info_nce(q, keys):
    logits = torch.mm(F.normalize(q), F.normalize(keys).T) / 0.1
    return F.cross_entropy(logits, torch.arange(q.size(0)))


def supcon(features, labels, temperature=0.1):
    features = F.normalize(features, p=2, dim=1)
    labels = labels.contiguous().view(-1, 1)
    mask = torch.eq(labels, labels.T).float()
    logits = torch.div(features @ features.T, temperature)
    logits = logits - logits.max(dim=1, keepdim=True)[0].detach()
    keep = torch.scatter(torch.ones_like(mask), 1, torch.arange(len(labels)).view(-1, 1), 0)
    mask = mask * keep
    logp = logits - torch.log((torch.exp(logits) * keep).sum(1, keepdim=True))
    return -((mask * logp).sum(1) / mask.sum(1)).mean()


def barlow(a, b, lambd=5e-3):
    a = (a - a.mean(0)) / a.std(0)
    b = (b - b.mean(0)) / b.std(0)
    c = torch.mm(a.T, b) / a.size(0)
    on = torch.diagonal(c).add(-1).pow(2).sum()
    n = c.size(0)
    off = c.flatten()[:-1].view(n - 1, n + 1)[:, 1:].flatten().pow(2).sum()
    return on + lambd * off


def clip_loss(image, text, scale):
    logits = scale.exp() * image @ text.t()
    labels = torch.arange(len(logits))
    return (F.cross_entropy(logits, labels) + F.cross_entropy(logits.T, labels)) / 2


net = fixed(nn.Sequential(nn.Linear(5, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 4)))
x = noise(6, 5)
a, b = net(x + 0.1 * noise(6, 5).flip(0)), net(x + 0.1 * noise(6, 5).flip(1))
print(NTXent()(a, b), info_nce(a, b), barlow(a, b))
print(supcon(a, torch.tensor([0, 1, 0, 1, 2, 2])))
scale = nn.Parameter(torch.ones([]) * torch.tensor(1 / 0.07).log())
print(scale, clip_loss(F.normalize(a, dim=-1), F.normalize(b, dim=-1), scale))
print(
    F.triplet_margin_loss(a, b, b.roll(1, 0)),
    nn.TripletMarginLoss(margin=0.5, p=1, swap=True)(a, b, b.flip(0)),
)
print(F.cosine_embedding_loss(a, b, torch.tensor([1, -1, 1, -1, 1, -1]), margin=0.2))
print(
    nn.TripletMarginWithDistanceLoss(distance_function=lambda u, v: 1 - F.cosine_similarity(u, v))(
        a, b, b.roll(2, 0)
    )
)
print(
    F.margin_ranking_loss(a[:, 0], b[:, 0], torch.ones(6)),
    F.hinge_embedding_loss(a[:, 1], torch.ones(6).neg(), margin=2.0),
)
print(
    F.multilabel_soft_margin_loss(a, (b > 0).float()),
    F.multi_margin_loss(a, torch.tensor([0, 1, 2, 3, 0, 1])),
)
print(F.pairwise_distance(a, b), F.pdist(a).shape, F.cosine_similarity(a, b))
ema = nn.Sequential(nn.Linear(5, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 4))
ema.load_state_dict(net.state_dict())
opt = torch.optim.SGD(net.parameters(), lr=0.1)
queue = F.normalize(noise(4, 12), dim=0)
pointer = torch.zeros(1, dtype=torch.long)
for step in range(3):
    q = F.normalize(net(x), dim=1)
    with torch.no_grad():
        for p, k in zip(net.parameters(), ema.parameters()):
            k.data = k.data * 0.99 + p.data * 0.01
        k = F.normalize(ema(x), dim=1)
    pos = torch.einsum("nc,nc->n", [q, k]).unsqueeze(-1)
    neg = torch.einsum("nc,ck->nk", [q, queue.clone().detach()])
    loss = F.cross_entropy(torch.cat([pos, neg], 1) / 0.2, torch.zeros(6, dtype=torch.long))
    opt.zero_grad()
    loss.backward()
    opt.step()
    at = int(pointer)
    queue[:, at : at + 6] = k.T
    pointer[0] = (at + 6) % 12
    print(step, round(loss.item(), 4), pointer)
