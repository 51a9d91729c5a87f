import torch
import torch.nn as nn
import torch.nn.functional as F

text = "we are about to study the idea of a computational process we are".split()
vocab = sorted(set(text))
word_to_ix = {w: i for i, w in enumerate(vocab)}
pairs = [
    (text[i], text[j])
    for i in range(len(text))
    for j in range(max(0, i - 1), min(len(text), i + 2))
    if i != j
]


class SkipGram(nn.Module):
    def __init__(self, vocab_size, dim):
        super().__init__()
        self.u = nn.Embedding(vocab_size, dim)
        self.v = nn.Embedding(vocab_size, dim)
        self.u.weight.data.uniform_(-0.5, 0.5)
        self.v.weight.data.uniform_(0, 0)

    def forward(self, centre, context, negatives):
        u = self.u(centre)
        pos = F.logsigmoid((u * self.v(context)).sum(1))
        neg = F.logsigmoid(-torch.bmm(self.v(negatives), u.unsqueeze(2)).squeeze(2)).sum(1)
        return -(pos + neg).mean()


model = SkipGram(len(vocab), 4)
model.u.weight.data = torch.sin(torch.arange(len(vocab) * 4.0)).view(-1, 4)
opt = torch.optim.SGD(model.parameters(), lr=0.5)
c = torch.LongTensor([word_to_ix[a] for a, _ in pairs])
o = torch.LongTensor([word_to_ix[b] for _, b in pairs])
negs = (o[:, None] + torch.arange(1, 4)[None]) % len(vocab)
for epoch in range(4):
    opt.zero_grad()
    loss = model(c, o, negs)
    loss.backward()
    opt.step()
    print(epoch, "%.4f" % loss.item())
e = model.u.weight.detach()
sim = F.cosine_similarity(e[0].unsqueeze(0), e)
print(sim.argsort(descending=True)[:3].tolist(), e.norm(dim=1).mean())
