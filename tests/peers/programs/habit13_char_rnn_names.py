# Classifying names with a character-level RNN (from the tutorial, my own data)
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
import string

import torch
import torch.nn as nn
from torch.autograd import Variable

all_letters = string.ascii_lowercase + " .,;'"
n_letters = len(all_letters)
category_lines = {
    "Italian": ["rossi", "bianchi", "ferrari", "esposito", "romano"],
    "Japanese": ["tanaka", "suzuki", "watanabe", "yamamoto", "ito"],
    "Scottish": ["macdonald", "campbell", "stewart", "ross", "murray"],
}
all_categories = list(category_lines.keys())
n_categories = len(all_categories)


def letterToIndex(letter):
    return all_letters.find(letter)


def lineToTensor(line):
    tensor = torch.zeros(len(line), 1, n_letters)
    for li, letter in enumerate(line):
        tensor[li][0][letterToIndex(letter)] = 1
    return tensor


print(lineToTensor("ito").size(), lineToTensor("ito").nonzero().tolist())


class RNN(nn.Module):
    def __init__(self, input_size, hidden_size, output_size):
        super(RNN, self).__init__()
        self.hidden_size = hidden_size
        self.i2h = nn.Linear(input_size + hidden_size, hidden_size)
        self.i2o = nn.Linear(input_size + hidden_size, output_size)
        self.softmax = nn.LogSoftmax(dim=1)

    def forward(self, input, hidden):
        combined = torch.cat((input, hidden), 1)
        hidden = nn.functional.tanh(self.i2h(combined))
        output = self.i2o(combined)
        output = self.softmax(output)
        return output, hidden

    def initHidden(self):
        return Variable(torch.zeros(1, self.hidden_size))


n_hidden = 24
rnn = RNN(n_letters, n_hidden, n_categories)
print(rnn)
for i, (name, p) in enumerate(rnn.named_parameters()):
    p.data = torch.linspace(-0.3, 0.3, p.numel()).mul(7.0 + i).sin().mul(0.3).view(p.size())
    print(name, tuple(p.size()), "%.4f" % p.data.norm())

input = Variable(lineToTensor("rossi"))
output, next_hidden = rnn(input[0], rnn.initHidden())
print(output)


def categoryFromOutput(output):
    top_n, top_i = output.data.topk(1)
    category_i = top_i[0][0].item()
    return all_categories[category_i], category_i


print(categoryFromOutput(output))
criterion = nn.NLLLoss()
learning_rate = 0.1


def train(category_tensor, line_tensor):
    hidden = rnn.initHidden()
    rnn.zero_grad()
    for i in range(line_tensor.size()[0]):
        output, hidden = rnn(line_tensor[i], hidden)
    loss = criterion(output, category_tensor)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(rnn.parameters(), 3)
    for p in rnn.parameters():
        p.data.add_(p.grad.data, alpha=-learning_rate)
    return output, loss.item()


current_loss = 0
all_losses = []
for it in range(1, 181):
    ci = it % n_categories
    line = category_lines[all_categories[ci]][(it // n_categories) % 5]
    output, loss = train(torch.tensor([ci], dtype=torch.long), lineToTensor(line))
    current_loss += loss
    if it % 30 == 0:
        guess, _ = categoryFromOutput(output)
        print("%3d %.1f %-9s %s" % (it, loss, line, guess == all_categories[ci]))
        all_losses.append(current_loss / 30)
        current_loss = 0
print([round(l, 1) for l in all_losses])

confusion = torch.zeros(n_categories, n_categories)
with torch.no_grad():
    for ci, cat in enumerate(all_categories):
        for line in category_lines[cat]:
            hidden = rnn.initHidden()
            for x in lineToTensor(line):
                output, hidden = rnn(x, hidden)
            confusion[ci][categoryFromOutput(output)[1]] += 1
for i in range(n_categories):
    confusion[i] = confusion[i] / confusion[i].sum()
print(confusion)
