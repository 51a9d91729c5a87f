import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import (
    PackedSequence,
    pack_padded_sequence,
    pack_sequence,
    pad_packed_sequence,
    pad_sequence,
)

corpus = "the quick brown fox jumps over the lazy dog the fox sleeps".split()
vocab = {w: i for i, w in enumerate(dict.fromkeys(corpus))}
window = 2
pairs = [
    (vocab[corpus[i]], vocab[corpus[j]])
    for i in range(len(corpus))
    for j in range(max(0, i - window), min(len(corpus), i + window + 1))
    if i != j
]
print(len(vocab), len(pairs), pairs[:4])


def filled(module, k=1.0, scale=0.3):
    for i, p in enumerate(module.parameters()):
        p.data.copy_(
            (torch.sin(torch.arange(p.numel(), dtype=torch.float) * k + i) * scale).view_as(p)
        )
    return module


class SkipGramNeg(nn.Module):
    def __init__(self, V, d):
        super().__init__()
        self.in_embed = nn.Embedding(V, d)
        self.out_embed = nn.Embedding(V, d)

    def forward(self, c, o, neg):
        vc, uo, un = self.in_embed(c), self.out_embed(o), self.out_embed(neg)
        pos = F.logsigmoid((vc * uo).sum(-1))
        negs = F.logsigmoid(-torch.bmm(un, vc.unsqueeze(2))).squeeze(2).sum(1)
        return -(pos + negs).mean()


c, o = torch.tensor(pairs).unbind(1)
neg = (c.unsqueeze(1) + torch.arange(3, 6)) % len(vocab)
model = filled(SkipGramNeg(len(vocab), 6), 1.9)
optim = torch.optim.Adagrad(model.parameters(), lr=0.1)
for epoch in range(5):
    optim.zero_grad()
    loss = model(c, o, neg)
    loss.backward()
    optim.step()
    print("%d %.4f" % (epoch, loss.item()))
emb = F.normalize(model.in_embed.weight.data, dim=1)
sim = emb @ emb.t()
print(["%.4f" % v for v in sim.diag()], F.cosine_similarity(emb[0], emb[1], dim=0))

# --- packed sequences
seqs = [torch.arange(1, 6), torch.arange(2, 4), torch.tensor([7, 3, 1])]
lengths = torch.tensor([len(s) for s in seqs])
padded = pad_sequence(seqs, batch_first=True, padding_value=0)
print(padded)
print(pad_sequence(seqs).shape)
embed = filled(nn.Embedding(10, 4, padding_idx=0), 1.1)
embed.weight.data[0].zero_()
lstm = filled(nn.LSTM(4, 5, num_layers=2, bidirectional=True, batch_first=True), 2.7)
print(lstm)
print([n for n, _ in lstm.named_parameters()][:8])
packed = pack_padded_sequence(embed(padded), lengths, batch_first=True, enforce_sorted=False)
print(packed.data.shape, packed.batch_sizes, packed.sorted_indices, packed.unsorted_indices)
out, (h, cc) = lstm(packed)
print(isinstance(out, PackedSequence), h.shape, cc.shape)
unpacked, lens = pad_packed_sequence(out, batch_first=True)
print(unpacked.shape, lens)
print(unpacked[1].detach().abs().sum(1))
# last hidden state of each sequence = concat(forward last, backward first)
hcat = torch.cat([h[-2], h[-1]], dim=1)
last_fw = unpacked[torch.arange(3), lengths - 1, :5]
print(torch.allclose(hcat[:, :5], last_fw), torch.allclose(hcat[:, 5:], unpacked[:, 0, 5:]))
one, (h1, _) = lstm(embed(seqs[2]).unsqueeze(0))
print(
    torch.allclose(one[0], unpacked[2, :3], atol=1e-6), torch.allclose(h1[:, 0], h[:, 2], atol=1e-6)
)
ps = pack_sequence(sorted(seqs, key=len, reverse=True))
print(ps.data, ps.batch_sizes)

# attention mask over pads, masked mean
mask = padded != 0
scores = (unpacked @ hcat.unsqueeze(2)).squeeze(2)
alpha = F.softmax(scores.masked_fill(~mask, -float("inf")), dim=1)
print(alpha)
mean = (unpacked * mask.unsqueeze(-1)).sum(1) / lengths.unsqueeze(1)
print(mean.shape, f"{mean.norm():.4f}")

# tagging loss ignoring pad
tagger = filled(nn.Linear(10, 4), 0.7)
tags = torch.where(mask, padded % 4, torch.tensor(-100))
logits = tagger(unpacked)
l1 = F.cross_entropy(logits.view(-1, 4), tags.view(-1))
l2 = F.cross_entropy(logits.transpose(1, 2), tags, reduction="none")
print(f"{l1:.4f} {l2.sum() / mask.sum():.4f}", l2.shape, (l2 == 0).sum())
cell = filled(nn.LSTMCell(4, 3))
hx, cx = torch.zeros(2, 3), torch.zeros(2, 3)
for t in range(3):
    hx, cx = cell(embed(padded[:2, t]), (hx, cx))
print(
    hx,
    cell,
    filled(nn.GRUCell(4, 3))(embed(padded[:2, 0])).shape,
    nn.RNN(4, 3, nonlinearity="relu"),
    sep="\n",
)
