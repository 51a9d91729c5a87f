import random
import string

import torch
import torch.nn as nn
import torch.nn.functional as F


def fixed(module):
    with torch.no_grad():
        for i, p in enumerate(module.parameters()):
            p.copy_(
                torch.sin(torch.arange(p.numel(), dtype=torch.float32) * 0.7 + i).view_as(p) * 0.3
            )
    return module


random.seed(0)
text = "hello world hello there "
chars = sorted(set(text))
stoi = {c: i for i, c in enumerate(chars)}
itos = {i: c for c, i in stoi.items()}
data = torch.tensor([stoi[c] for c in text], dtype=torch.long)
print(chars, data)


def one_hot(line):
    t = torch.zeros(len(line), 1, len(chars))
    for i, c in enumerate(line):
        t[i][0][stoi[c]] = 1
    return t


class RNN(nn.Module):
    def __init__(self, n_in, n_hidden, n_out):
        super().__init__()
        self.hidden_size = n_hidden
        self.i2h = nn.Linear(n_in + n_hidden, n_hidden)
        self.i2o = nn.Linear(n_in + n_hidden, n_out)
        self.o2o = nn.Linear(n_hidden + n_out, n_out)
        self.dropout = nn.Dropout(0.0)
        self.softmax = nn.LogSoftmax(dim=1)

    def forward(self, x, hidden):
        combined = torch.cat((x, hidden), 1)
        hidden = self.i2h(combined)
        output = self.o2o(torch.cat((hidden, self.i2o(combined)), 1))
        return self.softmax(self.dropout(output)), hidden

    def init_hidden(self):
        return torch.zeros(1, self.hidden_size)


rnn = fixed(RNN(len(chars), 16, len(chars)))
criterion = nn.NLLLoss()
for iteration in range(3):
    hidden = rnn.init_hidden()
    rnn.zero_grad()
    loss = torch.Tensor([0])
    inputs, targets = one_hot(text[:-1]), data[1:].unsqueeze(-1)
    for i in range(inputs.size(0)):
        output, hidden = rnn(inputs[i], hidden)
        loss += criterion(output, targets[i])
    loss.backward()
    for p in rnn.parameters():
        p.data.add_(p.grad.data, alpha=-0.005)
    print(iteration, f"{loss.item() / inputs.size(0):.4f}")
rnn.eval()


class LSTMModel(nn.Module):
    def __init__(self, vocab, hidden=16, layers=2):
        super().__init__()
        self.emb = nn.Embedding(vocab, hidden)
        self.lstm = nn.LSTM(hidden, hidden, layers, batch_first=True, dropout=0.0)
        self.fc = nn.Linear(hidden, vocab)

    def forward(self, x, state=None):
        out, state = self.lstm(self.emb(x), state)
        return self.fc(out), state


model = fixed(LSTMModel(len(chars)))
opt = torch.optim.Adam(model.parameters(), lr=0.03)
xb, yb = data[:-1].unsqueeze(0), data[1:].unsqueeze(0)
state = None
for step in range(40):
    logits, state = model(xb, state)
    state = tuple(s.detach() for s in state)
    loss = F.cross_entropy(logits.view(-1, len(chars)), yb.reshape(-1))
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1)
    opt.step()
    if step % 13 == 0:
        print(step, f"{loss:.3f}")


@torch.no_grad()
def generate(model, start, n):
    model.eval()
    x, state, out = torch.tensor([[stoi[c] for c in start]]), None, start
    for _ in range(n):
        logits, state = model(x, state)
        x = logits[:, -1].argmax(-1, keepdim=True)
        out += itos[x.item()]
    return out


print(repr(generate(model, "h", 12)))
windows = data.unfold(0, 8, 4)
print(windows.shape, windows[0], "".join(itos[int(i)] for i in windows[1]))
print("".join(itos[i] for i in data.tolist()), string.ascii_lowercase.find("t"))
