"""Bags of embeddings for text, embeddings of bounded norm, and CTC."""

import torch
from torch import nn
from torch.nn import functional as F


def set_weights(net):
    with torch.no_grad():
        for place, param in enumerate(net.parameters()):
            steps = torch.arange(param.numel(), dtype=torch.float32)
            spread = 1.0 / max(1, param.numel() // param.shape[0]) ** 0.5
            param.copy_((torch.sin(steps * 0.7 + place) * spread).reshape(param.shape))


def wave(*shape, step=0.37, start=0.0):
    count = 1
    for size in shape:
        count *= size
    return torch.sin(torch.arange(count, dtype=torch.float32) * step + start).reshape(shape)


class TextClassificationModel(nn.Module):
    def __init__(self, vocab_size, embed_dim, num_class):
        super().__init__()
        self.embedding = nn.EmbeddingBag(vocab_size, embed_dim, sparse=False)
        self.fc = nn.Linear(embed_dim, num_class)

    def forward(self, text, offsets):
        return self.fc(self.embedding(text, offsets))


model = TextClassificationModel(12, 4, 3)
print(model)
set_weights(model)
text = torch.tensor([1, 2, 4, 5, 4, 3, 2, 9])
offsets = torch.tensor([0, 4])
out = model(text, offsets)
print(out.detach())
F.cross_entropy(out, torch.tensor([0, 2])).backward()
print(model.embedding.weight.grad)
for mode in ("sum", "mean", "max"):
    bag = nn.EmbeddingBag(12, 3, mode=mode)
    set_weights(bag)
    print(mode, bag(torch.tensor([[1, 2, 3], [4, 4, 11]])).detach())
weights = torch.tensor([0.5, 1.0, 2.0, 1.0, 1.0, 0.0, 1.0, 3.0])
table = wave(12, 3)
print(F.embedding_bag(text, table, offsets, mode="sum", per_sample_weights=weights))
embedding = nn.Embedding(4, 3, max_norm=1.0)
with torch.no_grad():
    embedding.weight.copy_(wave(4, 3, step=2.0) * 2)
print(embedding(torch.tensor([0, 2])).detach(), embedding.weight.norm(dim=1))
log_probs = wave(6, 2, 5).log_softmax(2)
print(
    nn.CTCLoss()(
        log_probs, torch.tensor([[1, 2, 2], [3, 4, 1]]), torch.tensor([6, 5]), torch.tensor([3, 2])
    )
)
bilinear = nn.Bilinear(3, 2, 4)
set_weights(bilinear)
print(bilinear(wave(2, 3), wave(2, 2)).detach(), nn.Identity()(torch.ones(2)))
