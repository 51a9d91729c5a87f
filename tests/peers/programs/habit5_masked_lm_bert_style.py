import torch
from torch import nn


def fixed(module):
    with torch.no_grad():
        for i, p in enumerate(module.parameters()):
            p.copy_(
                torch.sin(torch.arange(p.numel(), dtype=torch.float32) * 0.7 + i).view_as(p) * 0.3
            )
    return module


class Tiny(nn.Module):
    def __init__(self, vocab=20, d=8):
        super().__init__()
        self.tok = nn.Embedding(vocab, d, padding_idx=0)
        self.pos = nn.Parameter(torch.zeros(1, 10, d))
        layer = nn.TransformerEncoderLayer(
            d, 2, 16, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
        )
        self.enc = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.out = nn.Linear(d, vocab)

    def forward(self, ids, pad):
        h = self.tok(ids) + self.pos[:, : ids.size(1)]
        return self.out(self.enc(h, src_key_padding_mask=pad))


model = fixed(Tiny())
ids = torch.tensor([[2, 5, 6, 7, 3, 0], [2, 9, 4, 8, 11, 3]])
labels = ids.clone()
mask = torch.zeros_like(ids, dtype=torch.bool)
mask[:, 2] = True
mask[1, 4] = True
labels[~mask] = -100
inputs = ids.masked_fill(mask, 1)
opt = torch.optim.AdamW(model.parameters(), lr=5e-3, betas=(0.9, 0.98), eps=1e-6)
crit = nn.CrossEntropyLoss(ignore_index=-100, label_smoothing=0.1)
for it in range(4):
    logits = model(inputs, ids == 0)
    loss = crit(logits.reshape(-1, 20), labels.reshape(-1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(it, round(loss.item(), 3), (logits.argmax(-1) == ids)[mask].float().mean().item() >= 0)
print(model.tok.weight.grad[0].abs().sum().item(), model.pos.grad[0, :, 0].ne(0).tolist())
