import torch
from torch import nn

chars = "helo"
encode = {c: i for i, c in enumerate(chars)}
seq = torch.LongTensor([encode[c] for c in "hello"])
onehot = nn.functional.one_hot(seq[:-1], num_classes=4).float()
rnn = nn.RNN(4, 8, batch_first=True)
head = nn.Linear(8, 4)
for p in [*rnn.parameters(), *head.parameters()]:
    p.data = torch.linspace(-0.3, 0.3, p.numel()).reshape(p.shape)
optimizer = torch.optim.Adam(
    [{"params": rnn.parameters()}, {"params": head.parameters(), "lr": 0.05}], lr=0.01
)
criterion = nn.CrossEntropyLoss()
for epoch in range(5):
    out, hidden = rnn(onehot.unsqueeze(0), torch.zeros(1, 1, 8))
    logits = head(out).view(-1, 4)
    loss = criterion(logits, seq[1:])
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(rnn.parameters(), 0.5)
    optimizer.step()
    print(f"epoch {epoch}: {loss.item():.4f}")
_, predicted = logits.max(dim=1)
print("".join(chars[i] for i in predicted), hidden.size())
lstm = nn.LSTM(4, 3, num_layers=2)
for p in lstm.parameters():
    nn.init.constant_(p, 0.1)
out, (h, c) = lstm(onehot.unsqueeze(1))
print(out.shape, h, c[-1])
