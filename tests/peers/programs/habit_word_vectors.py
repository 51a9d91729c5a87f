import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

text = "we are what we repeatedly do excellence then is not an act but a habit".split()
vocab = sorted(set(text))
word_to_ix = {w: i for i, w in enumerate(vocab)}
ngrams = [([text[i], text[i + 1]], text[i + 2]) for i in range(len(text) - 2)]


class NGram(nn.Module):
    def __init__(self, vocab_size, dim, context):
        super(NGram, self).__init__()
        self.embeddings = nn.Embedding(vocab_size, dim)
        self.linear1 = nn.Linear(context * dim, 16)
        self.linear2 = nn.Linear(16, vocab_size)

    def forward(self, inputs):
        embeds = self.embeddings(inputs).view((1, -1))
        out = F.relu(self.linear1(embeds))
        return F.log_softmax(self.linear2(out), dim=1)


model = NGram(len(vocab), 4, 2)
with torch.no_grad():
    for p in model.parameters():
        p.copy_(torch.linspace(-0.5, 0.5, p.numel()).view_as(p))
loss_function = nn.NLLLoss()
optimizer = optim.SGD(model.parameters(), lr=0.05)
for epoch in range(2):
    total = torch.Tensor([0])
    for context, target in ngrams:
        ixs = torch.tensor([word_to_ix[w] for w in context], dtype=torch.long)
        model.zero_grad()
        loss = loss_function(model(ixs), torch.tensor([word_to_ix[target]], dtype=torch.long))
        loss.backward()
        optimizer.step()
        total += loss.data
    print(epoch, total)
print(model.embeddings.weight[word_to_ix["act"]])
