from collections import Counter

import torch
import torch.nn.functional as F
import torch.optim as optim
from torch import nn

text = "we are about to study the idea of a computational process we study".split()
vocab = sorted(set(text))
word_to_ix = {w: i for i, w in enumerate(vocab)}
CONTEXT = 2
data = []
for i in range(CONTEXT, len(text) - CONTEXT):
    data.append(([text[j] for j in range(i - CONTEXT, i + CONTEXT + 1) if j != i], text[i]))
print(data[:1], len(vocab))


class CBOW(nn.Module):
    def __init__(self, vocab_size, dim):
        super(CBOW, self).__init__()
        self.embeddings = nn.Embedding(vocab_size, dim)
        self.linear1 = nn.Linear(dim, vocab_size)

    def forward(self, inputs):
        embeds = self.embeddings(inputs).sum(dim=0).view((1, -1))
        return F.log_softmax(self.linear1(embeds), dim=1)


model = CBOW(len(vocab), 3)
with torch.no_grad():
    for p in model.parameters():
        p.copy_(torch.linspace(-0.5, 0.5, p.numel()).view_as(p))
loss_function = nn.NLLLoss()
optimizer = optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    total_loss = torch.Tensor([0])
    for context, target in data:
        ids = torch.tensor([word_to_ix[w] for w in context], dtype=torch.long)
        model.zero_grad()
        loss = loss_function(model(ids), torch.tensor([word_to_ix[target]], dtype=torch.long))
        loss.backward()
        optimizer.step()
        total_loss += loss.data
    print(epoch, total_loss)
print(model.embeddings.weight[word_to_ix["study"]])
e = model.embeddings.weight.detach()
sims = F.cosine_similarity(e[0].unsqueeze(0), e, dim=1)
print(sims.topk(3).indices, model.embeddings)
neg = torch.multinomial(torch.tensor([0.0, 1.0, 0.0]), 2, replacement=True)
print(neg)
padded = nn.Embedding(4, 2, padding_idx=0)
print(
    padded.weight[0],
    padded(torch.tensor([[0, 1]])).shape,
    nn.Embedding.from_pretrained(torch.eye(2))(torch.tensor([1])),
)
