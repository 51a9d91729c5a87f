import torch
import torch.nn.functional as F
from torch import nn


class MF(nn.Module):
    def __init__(self, users, items, k):
        super().__init__()
        self.u = nn.Embedding(users, k)
        self.i = nn.Embedding(items, k)
        self.ub = nn.Embedding(users, 1)
        self.ib = nn.Embedding(items, 1)
        for e in (self.u, self.i):
            e.weight.data = torch.linspace(-0.1, 0.1, e.weight.numel()).view_as(e.weight)
        self.ub.weight.data.zero_()
        self.ib.weight.data.zero_()

    def forward(self, u, i):
        return (self.u(u) * self.i(i)).sum(1) + self.ub(u).squeeze() + self.ib(i).squeeze()


ratings = torch.tensor([[0, 0, 5], [0, 1, 3], [1, 0, 4], [2, 2, 1], [1, 2, 2]])
model = MF(3, 3, 2)
opt = torch.optim.Adam(model.parameters(), lr=0.1)
for epoch in range(30):
    pred = model(ratings[:, 0], ratings[:, 1])
    loss = F.mse_loss(pred, ratings[:, 2].float())
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"{loss.item():.2f}", model(torch.tensor([0]), torch.tensor([0])).shape)
bag = nn.EmbeddingBag(5, 2, mode="mean", padding_idx=0)
bag.weight.data = torch.arange(10.0).view(5, 2)
print(bag(torch.tensor([1, 2, 4, 0, 3]), torch.tensor([0, 2])), bag(torch.tensor([[1, 2], [0, 3]])))
s = nn.EmbeddingBag.from_pretrained(torch.eye(3), mode="sum", freeze=False)
out = s(
    torch.tensor([0, 1, 1]), torch.tensor([0, 1]), per_sample_weights=torch.tensor([0.5, 1.0, 2.0])
)
out.sum().backward()
print(out, s.weight.grad)
e = nn.Embedding.from_pretrained(torch.arange(6.0).view(3, 2))
print(
    e.weight.requires_grad, e(torch.tensor([[0, 2]])), e, F.embedding(torch.tensor([1]), e.weight)
)
neg = nn.Embedding(4, 2, max_norm=1.0)
neg.weight.data.fill_(3.0)
print(neg(torch.tensor([1])).norm(), neg.weight.data[0])


def recall_at_k(scores, relevant, k):
    top = scores.topk(k, dim=1).indices
    hits = relevant.gather(1, top).float().sum(1)
    return (hits / relevant.sum(1).clamp(min=1)).mean()


scores = torch.tensor([[0.1, 0.9, 0.3], [0.8, 0.1, 0.2]])
rel = torch.tensor([[0, 1, 1], [0, 1, 0]])
print(recall_at_k(scores, rel, 2))
dcg = (
    rel.gather(1, scores.argsort(1, descending=True)) / torch.log2(torch.arange(2, 5).float())
).sum(1)
print(dcg)
bpr = -F.logsigmoid(scores[:, 0] - scores[:, 1]).mean()
print(bpr, torch.sparse_coo_tensor if False else "dense")
