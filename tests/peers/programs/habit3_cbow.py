import torch
import torch.nn as nn

raw_text = """We are about to study the idea of a computational process.""".split()
vocab = sorted(set(raw_text))
ix = {word: i for i, word in enumerate(vocab)}
data = []
for i in range(2, len(raw_text) - 2):
    context = [raw_text[i - 2], raw_text[i - 1], raw_text[i + 1], raw_text[i + 2]]
    data.append((context, raw_text[i]))
print(data[:2])


def make_context_vector(context, word_to_ix):
    idxs = [word_to_ix[w] for w in context]
    return torch.tensor(idxs, dtype=torch.long)


class CBOW(nn.Module):
    def __init__(self, n, d):
        super().__init__()
        self.embeddings = nn.Embedding(n, d)
        self.linear = nn.Linear(d, n)

    def forward(self, inputs):
        e = self.embeddings(inputs).sum(dim=0).view((1, -1))
        return nn.functional.log_softmax(self.linear(e), dim=1)


m = CBOW(len(vocab), 3)
for i, p in enumerate(m.parameters()):
    p.data = torch.cos(torch.arange(p.numel()) + i).view(p.size())
loss_function = nn.NLLLoss()
optimizer = torch.optim.SGD(m.parameters(), lr=0.01)
losses = []
for epoch in range(2):
    total_loss = torch.Tensor([0])
    for context, target in data:
        m.zero_grad()
        loss = loss_function(
            m(make_context_vector(context, ix)), torch.tensor([ix[target]], dtype=torch.long)
        )
        loss.backward()
        optimizer.step()
        total_loss += loss.data
    losses.append(total_loss)
print(losses)
