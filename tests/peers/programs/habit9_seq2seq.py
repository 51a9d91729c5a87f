import torch
import torch.nn as nn
import torch.nn.functional as F

SOS, EOS = (0, 1)


class Lang:
    def __init__(self, name):
        self.name, self.word2index, self.word2count, self.index2word, self.n_words = (
            name,
            {},
            {},
            {0: "SOS", 1: "EOS"},
            2,
        )

    def addSentence(self, s):
        for w in s.split(" "):
            if w not in self.word2index:
                self.word2index[w] = self.n_words
                self.word2count[w] = 1
                self.index2word[self.n_words] = w
                self.n_words += 1
            else:
                self.word2count[w] += 1


pairs = [
    ["je suis la", "i am here"],
    ["tu es grand", "you are tall"],
    ["je suis grand", "i am tall"],
]
fr, en = (Lang("fra"), Lang("eng"))
for a, b in pairs:
    fr.addSentence(a)
    en.addSentence(b)
print(fr.name, fr.n_words, en.word2index)


class EncoderRNN(nn.Module):
    def __init__(self, n, h, p=0.1):
        super().__init__()
        self.embedding = nn.Embedding(n, h)
        self.gru = nn.GRU(h, h, batch_first=True)
        self.dropout = nn.Dropout(p)

    def forward(self, x):
        return self.gru(self.dropout(self.embedding(x)))


class BahdanauAttention(nn.Module):
    def __init__(self, h):
        super().__init__()
        self.Wa = nn.Linear(h, h)
        self.Ua = nn.Linear(h, h)
        self.Va = nn.Linear(h, 1)

    def forward(self, query, keys):
        scores = self.Va(torch.tanh(self.Wa(query) + self.Ua(keys))).squeeze(2).unsqueeze(1)
        w = F.softmax(scores, dim=-1)
        return (torch.bmm(w, keys), w)


class AttnDecoderRNN(nn.Module):
    def __init__(self, h, n):
        super().__init__()
        self.embedding = nn.Embedding(n, h)
        self.attention = BahdanauAttention(h)
        self.gru = nn.GRU(2 * h, h, batch_first=True)
        self.out = nn.Linear(h, n)

    def forward(self, eo, hid, target=None):
        inp = torch.empty(eo.size(0), 1, dtype=torch.long).fill_(SOS)
        outs, atts = ([], [])
        for i in range(4):
            q = hid.permute(1, 0, 2)
            ctx, w = self.attention(q, eo)
            o, hid = self.gru(torch.cat((self.embedding(inp), ctx), dim=2), hid)
            o = self.out(o)
            outs.append(o)
            atts.append(w)
            inp = (
                target[:, i].unsqueeze(1)
                if target is not None
                else o.topk(1)[1].squeeze(-1).detach()
            )
        return (F.log_softmax(torch.cat(outs, dim=1), dim=-1), hid, torch.cat(atts, dim=1))


enc, dec = (EncoderRNN(fr.n_words, 6, 0.0), AttnDecoderRNN(6, en.n_words))
print(enc, dec, sep="\n")
for i, p in enumerate([*enc.parameters(), *dec.parameters()]):
    p.data = torch.sin(torch.arange(float(p.numel())) * 0.83 + i).view(p.shape) * 0.5
X = torch.tensor([[fr.word2index[w] for w in a.split()] + [EOS] for a, _ in pairs])
Y = torch.tensor([[en.word2index[w] for w in b.split()] + [EOS] for _, b in pairs])
print(X, Y)
oe, od = (torch.optim.Adam(enc.parameters(), lr=0.02), torch.optim.Adam(dec.parameters(), lr=0.02))
crit = nn.NLLLoss()
for ep in range(8):
    oe.zero_grad()
    od.zero_grad()
    eo, eh = enc(X)
    do, _, _ = dec(eo, eh, Y)
    loss = crit(do.view(-1, do.size(-1)), Y.view(-1))
    loss.backward()
    oe.step()
    od.step()
    if ep % 2 == 0:
        print("(%d %d%%) %.4f" % (ep, ep / 8 * 100, loss))
with torch.no_grad():
    eo, eh = enc(X[:1])
    do, dh, att = dec(eo, eh)
    _, topi = do.topk(1)
    print([en.index2word[i.item()] for i in topi.squeeze()], att.shape, att, dh.shape)
lstm = nn.LSTM(3, 4, num_layers=2, bidirectional=True, dropout=0.2, batch_first=True, proj_size=2)
print(
    lstm, [n for n, _ in lstm.named_parameters()][:6], [tuple(w.shape) for w in lstm.all_weights[0]]
)
lstm.eval()
o, (h, c) = lstm(torch.zeros(2, 5, 3))
print(o.shape, h.shape, c.shape, lstm.weight_hh_l0.shape, lstm.flatten_parameters())
print(
    nn.RNN(2, 3, nonlinearity="relu"),
    nn.GRUCell(2, 3),
    nn.LSTMCell(2, 3, bias=False),
    nn.RNNCell(2, 3),
)
cell = nn.LSTMCell(2, 3)
for p in cell.parameters():
    nn.init.constant_(p, 0.1)
h, c = cell(torch.ones(1, 2))
print(h, c, cell(torch.ones(1, 2), (h, c))[0])
try:
    lstm(torch.zeros(2, 5, 7))
except RuntimeError as e:
    print("refused")
try:
    nn.GRU(2, 3)(torch.zeros(2, 5, 2), torch.zeros(1, 4, 3))
except RuntimeError as e:
    print("refused")
pk = nn.utils.rnn.pack_padded_sequence(torch.ones(2, 3, 2), torch.tensor([3, 2]), batch_first=True)
g = nn.GRU(2, 2, batch_first=True)
for p in g.parameters():
    nn.init.constant_(p, 0.1)
po, ph = g(pk)
print(po, ph, type(po).__name__)
u, l = nn.utils.rnn.pad_packed_sequence(po, batch_first=True, padding_value=-1.0)
print(u.detach(), l)
