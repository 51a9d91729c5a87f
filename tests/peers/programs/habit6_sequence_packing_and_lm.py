import torch
import torch.nn as nn
from torch.nn.utils.rnn import (
    pack_padded_sequence,
    pack_sequence,
    pad_packed_sequence,
    pad_sequence,
    unpad_sequence,
)


def fill(m):
    with torch.no_grad():
        for i, p in enumerate(m.parameters()):
            p.copy_(torch.sin(torch.arange(float(p.numel())) * 0.3 + i).view_as(p) * 0.4)
    return m


class LM(nn.Module):
    def __init__(self, v, e, h):
        super().__init__()
        self.emb = nn.Embedding(v, e, padding_idx=0)
        self.rnn = nn.LSTM(e, h, num_layers=2, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * h, v)

    def forward(self, x, lengths):
        e = self.emb(x)
        p = pack_padded_sequence(e, lengths, batch_first=True, enforce_sorted=False)
        o, (h, c) = self.rnn(p)
        o, lens = pad_packed_sequence(o, batch_first=True, total_length=x.size(1))
        return self.out(o), h, lens


seqs = [torch.tensor([1, 2, 3]), torch.tensor([4]), torch.tensor([2, 1, 4, 3])]
x = pad_sequence(seqs, batch_first=True)
lengths = torch.tensor([len(s) for s in seqs])
m = fill(LM(5, 3, 2))
logits, h, lens = m(x, lengths)
print(x, logits.shape, h.shape, lens)
target = torch.full_like(x, -100)
target[:, :-1] = x[:, 1:].masked_fill(x[:, 1:] == 0, -100)
loss = nn.functional.cross_entropy(logits.view(-1, 5), target.view(-1), ignore_index=-100)
loss.backward()
print(
    loss, m.emb.weight.grad[0], m.emb.weight.grad[2], m.rnn.weight_hh_l1_reverse.grad.abs().mean()
)
packed = pack_sequence([torch.tensor([1.0, 2.0, 3.0]), torch.tensor([4.0, 5.0])])
print(packed.data, packed.batch_sizes, packed)
padded, ls = pad_packed_sequence(packed)
print(padded, ls, unpad_sequence(padded, ls))
gru = fill(nn.GRU(3, 2))
out, hn = gru(torch.ones(4, 1, 3))
print(out.squeeze(1), hn)
state = None
for step in range(2):
    out, state = gru(torch.ones(2, 1, 3), state)
    state = state.detach()
print(state, torch.equal(out[-1], state[0]))
cell = fill(nn.LSTMCell(3, 2))
hx = cx = torch.zeros(1, 2)
for t in range(3):
    hx, cx = cell(torch.ones(1, 3) * t, (hx, cx))
print(hx, cx)
print(nn.RNN(3, 2, nonlinearity="relu"), [n for n, _ in nn.GRU(2, 2).named_parameters()])


def greedy(model, start, steps):
    tokens = [start]
    for _ in range(steps):
        logits, _, _ = model(torch.tensor([tokens]), torch.tensor([len(tokens)]))
        tokens.append(logits[0, -1].argmax(-1).item())
    return tokens


m.eval()
with torch.no_grad():
    print(greedy(m, 1, 4))
    probs = (logits[0, 0] / 0.7).softmax(-1)
    top = probs.sort(descending=True)
    keep = top.values.cumsum(-1) <= 0.6
    keep[0] = True
    print(top.indices[keep], top.values)
