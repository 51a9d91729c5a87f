import string
import unicodedata

import torch
from torch import nn

all_letters = string.ascii_letters + " .,;'"
n_letters = len(all_letters)


def unicodeToAscii(s):
    return "".join(
        c
        for c in unicodedata.normalize("NFD", s)
        if unicodedata.category(c) != "Mn" and c in all_letters
    )


def lineToTensor(line):
    tensor = torch.zeros(len(line), 1, n_letters)
    for li, letter in enumerate(line):
        tensor[li][0][all_letters.find(letter)] = 1
    return tensor


print(unicodeToAscii("Ślusàrski"), lineToTensor("Jones").size())


class RNN(nn.Module):
    def __init__(self, input_size, hidden_size, output_size):
        super().__init__()
        self.hidden_size = hidden_size
        self.i2h = nn.Linear(input_size + hidden_size, hidden_size)
        self.i2o = nn.Linear(input_size + hidden_size, output_size)
        self.softmax = nn.LogSoftmax(dim=1)

    def forward(self, input, hidden):
        combined = torch.cat((input, hidden), 1)
        return self.softmax(self.i2o(combined)), self.i2h(combined)

    def initHidden(self):
        return torch.zeros(1, self.hidden_size)


rnn = RNN(n_letters, 8, 3)
for i, p in enumerate(rnn.parameters()):
    p.data.copy_(torch.sin(torch.arange(p.numel()).float() + i).view_as(p) * 0.2)
criterion = nn.NLLLoss()
for name, cat in [("Albert", 0), ("Satoshi", 1), ("Ivan", 2)] * 3:
    line = lineToTensor(name)
    hidden = rnn.initHidden()
    rnn.zero_grad()
    for i in range(line.size()[0]):
        output, hidden = rnn(line[i], hidden)
    loss = criterion(output, torch.tensor([cat], dtype=torch.long))
    loss.backward()
    for p in rnn.parameters():
        p.data.add_(p.grad.data, alpha=-0.05)
    top_n, top_i = output.topk(1)
    print(name, top_i[0].item(), "%.4f" % loss)
