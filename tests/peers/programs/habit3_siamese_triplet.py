import torch
import torch.nn.functional as F
from torch import nn

net = nn.Linear(2, 2)
net.weight.data = torch.tensor([[1.0, 0.5], [-0.5, 1.0]])
net.bias.data.zero_()
a = net(torch.tensor([[1.0, 0.0], [0.0, 1.0]]))
p = net(torch.tensor([[0.9, 0.1], [0.1, 0.9]]))
n = net(torch.tensor([[0.0, 1.0], [1.0, 0.0]]))
print(
    nn.TripletMarginLoss(margin=1.0, p=2)(a, p, n),
    F.pairwise_distance(a, n),
    F.cosine_similarity(a, p),
)
d = F.pairwise_distance(a, n)
y = torch.tensor([1.0, 0.0])
loss = torch.mean((1 - y) * d.pow(2) + y * torch.clamp(2.0 - d, min=0.0).pow(2))
loss.backward()
print(loss, net.weight.grad)
z = F.normalize(torch.cat([a, p]).detach(), dim=1)
sim = z @ z.t() / 0.5
sim.fill_diagonal_(float("-inf"))
targets = torch.tensor([2, 3, 0, 1])
print(sim, F.cross_entropy(sim, targets))
print(
    F.margin_ranking_loss(d.detach(), d.detach() * 2, torch.ones(2)),
    F.hinge_embedding_loss(d.detach(), torch.tensor([1.0, -1.0])),
)
print(
    F.triplet_margin_with_distance_loss(
        a, p, n, distance_function=lambda u, v: 1 - F.cosine_similarity(u, v)
    )
)
