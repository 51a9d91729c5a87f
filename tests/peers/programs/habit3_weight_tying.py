import torch
import torch.nn as nn
import torch.nn.functional as F


class TiedLM(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.decoder = nn.Linear(dim, vocab, bias=False)
        self.decoder.weight = self.emb.weight

    def forward(self, x):
        return self.decoder(self.emb(x).mean(1))


model = TiedLM(5, 3)
model.emb.weight.data = torch.arange(15, dtype=torch.float).view(5, 3) / 10
print(len(list(model.parameters())), sum(p.numel() for p in model.parameters()))
print(list(model.state_dict().keys()))
logits = model(torch.tensor([[0, 1], [2, 3]]))
loss = F.cross_entropy(logits, torch.tensor([1, 4]))
loss.backward()
print(loss, model.emb.weight.grad)
print(model.decoder.weight is model.emb.weight)
tied_ae_w = nn.Parameter(torch.eye(2) * 0.5)
x = torch.tensor([[1.0, -1.0]])
rec = F.linear(torch.relu(F.linear(x, tied_ae_w)), tied_ae_w.t())
F.mse_loss(rec, x).backward()
print(tied_ae_w.grad)
