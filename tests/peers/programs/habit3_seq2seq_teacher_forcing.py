import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, n, h):
        super().__init__()
        self.embedding = nn.Embedding(n, h)
        self.gru = nn.GRU(h, h, batch_first=True)

    def forward(self, x):
        return self.gru(self.embedding(x))


class AttnDecoder(nn.Module):
    def __init__(self, h, n):
        super().__init__()
        self.embedding = nn.Embedding(n, h)
        self.Wa, self.Ua, self.Va = nn.Linear(h, h), nn.Linear(h, h), nn.Linear(h, 1)
        self.gru = nn.GRU(2 * h, h, batch_first=True)
        self.out = nn.Linear(h, n)

    def forward(self, enc, hidden, target):
        inp = torch.empty(enc.size(0), 1, dtype=torch.long).fill_(0)
        outs, atts = [], []
        for i in range(target.size(1)):
            query = hidden.permute(1, 0, 2)
            scores = self.Va(torch.tanh(self.Wa(query) + self.Ua(enc))).squeeze(2).unsqueeze(1)
            weights = torch.softmax(scores, dim=-1)
            context = torch.bmm(weights, enc)
            o, hidden = self.gru(torch.cat((self.embedding(inp), context), dim=2), hidden)
            outs.append(self.out(o))
            atts.append(weights)
            inp = target[:, i].unsqueeze(1)
        return torch.cat(outs, dim=1), torch.cat(atts, dim=1)


enc, dec = Encoder(6, 4), AttnDecoder(4, 6)
params = list(enc.parameters()) + list(dec.parameters())
for i, p in enumerate(params):
    p.data = torch.sin(torch.arange(p.numel(), dtype=torch.float32) + i).view_as(p) * 0.4
opt = torch.optim.Adam(params, lr=0.02)
src = torch.tensor([[1, 2, 3], [4, 5, 1]])
tgt = torch.tensor([[3, 2, 1], [1, 5, 4]])
for step in range(4):
    e, h = enc(src)
    logits, att = dec(e, h, tgt)
    loss = nn.CrossEntropyLoss()(logits.view(-1, logits.size(-1)), tgt.view(-1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, round(loss.item(), 4))
print(att[0], logits.argmax(-1))
