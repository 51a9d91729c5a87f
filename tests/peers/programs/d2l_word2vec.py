"""d2l 14.4: skip-gram with negative sampling."""

import torch
from torch import nn


def set_weights(net):
    with torch.no_grad():
        for place, param in enumerate(net.parameters()):
            steps = torch.arange(param.numel(), dtype=torch.float32)
            spread = 1.0 / max(1, param.numel() // param.shape[0]) ** 0.5
            param.copy_((torch.sin(steps * 0.7 + place) * spread).reshape(param.shape))


def skip_gram(center, contexts_and_negatives, embed_v, embed_u):
    v = embed_v(center)
    u = embed_u(contexts_and_negatives)
    return torch.bmm(v, u.permute(0, 2, 1))


class SigmoidBCELoss(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, inputs, target, mask=None):
        out = nn.functional.binary_cross_entropy_with_logits(
            inputs, target, weight=mask, reduction="none"
        )
        return out.mean(dim=1)


embed = nn.Embedding(num_embeddings=20, embedding_dim=4)
print(f"Parameter embedding_weight ({embed.weight.shape}, dtype={embed.weight.dtype})")
print(embed)
x = torch.tensor([[1, 2, 3], [4, 5, 6]])
print(embed(x).shape)
print(
    skip_gram(
        torch.ones((2, 1), dtype=torch.long), torch.ones((2, 4), dtype=torch.long), embed, embed
    ).shape
)
loss = SigmoidBCELoss()
pred = torch.tensor([[1.1, -2.2, 3.3, -4.4]] * 2)
label = torch.tensor([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]])
mask = torch.tensor([[1, 1, 1, 1], [1, 1, 0, 0]])
print(loss(pred, label, mask) * mask.shape[1] / mask.sum(axis=1))
net = nn.Sequential(nn.Embedding(20, 4), nn.Embedding(20, 4))
set_weights(net)
optimizer = torch.optim.Adam(net.parameters(), lr=0.05)
center = torch.tensor([[3], [7]])
context = torch.tensor([[1, 2, 3, 4], [5, 6, 7, 0]])
for _ in range(4):
    optimizer.zero_grad()
    l = loss(
        skip_gram(center, context, net[0], net[1]).reshape(label.shape).float(), label.float(), mask
    )
    l.sum().backward()
    optimizer.step()
    print(f"{l.sum():.4f}")
W = embed.weight.data.fill_(1.0)
cos = torch.mv(W, W[3]) / torch.sqrt(torch.sum(W * W, dim=1) * torch.sum(W[3] * W[3]) + 1e-9)
print(torch.topk(cos, k=3)[0].cpu().numpy().astype("float32"))
