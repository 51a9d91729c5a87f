import torch
from torch import nn, optim
from torch.nn.utils.rnn import (
    PackedSequence,
    pack_padded_sequence,
    pad_packed_sequence,
    pad_sequence,
)


def fixed(module):
    with torch.no_grad():
        for i, p in enumerate(module.parameters()):
            p.copy_(
                torch.sin(torch.arange(p.numel(), dtype=torch.float32) * 0.7 + i).view_as(p) * 0.3
            )
    return module


class Encoder(nn.Module):
    def __init__(self, vocab, emb, hid, dropout=0.0):
        super().__init__()
        self.embedding = nn.Embedding(vocab, emb)
        self.rnn = nn.GRU(emb, hid, bidirectional=True)
        self.fc = nn.Linear(hid * 2, hid)
        self.dropout = nn.Dropout(dropout)

    def forward(self, src, src_len):
        embedded = self.dropout(self.embedding(src))
        packed = pack_padded_sequence(embedded, src_len.to("cpu"), enforce_sorted=False)
        packed_out, hidden = self.rnn(packed)
        outputs, lens = pad_packed_sequence(packed_out)
        hidden = torch.tanh(self.fc(torch.cat((hidden[-2, :, :], hidden[-1, :, :]), dim=1)))
        return outputs, hidden, lens


class Attention(nn.Module):
    def __init__(self, hid):
        super().__init__()
        self.attn = nn.Linear(hid * 3, hid)
        self.v = nn.Linear(hid, 1, bias=False)

    def forward(self, hidden, outputs, mask):
        src_len = outputs.shape[0]
        hidden = hidden.unsqueeze(1).repeat(1, src_len, 1)
        outputs = outputs.permute(1, 0, 2)
        energy = torch.tanh(self.attn(torch.cat((hidden, outputs), dim=2)))
        attention = self.v(energy).squeeze(2).masked_fill(mask == 0, -1e10)
        return nn.functional.softmax(attention, dim=1)


sequences = [torch.tensor(s) for s in ([4, 2, 7], [3, 1], [5, 6, 2, 1, 8])]
lengths = torch.tensor([len(s) for s in sequences])
src = pad_sequence(sequences)
print(src, lengths)
enc, att = fixed(Encoder(10, 6, 4)), fixed(Attention(4))
outputs, hidden, lens = enc(src, lengths)
print(outputs.shape, hidden, lens)
mask = (src != 0).permute(1, 0)
a = att(hidden, outputs, mask)
print(a, a.sum(1))
packed = pack_padded_sequence(enc.embedding(src), lengths, enforce_sorted=False)
print(
    type(packed).__name__,
    isinstance(packed, PackedSequence),
    packed.batch_sizes,
    packed.sorted_indices,
)
print(packed.data.shape, packed.unsorted_indices, packed._fields)
optimizer = optim.Adam([*enc.parameters(), *att.parameters()], lr=1e-2)
criterion = nn.MSELoss()
for step in range(4):
    optimizer.zero_grad()
    outputs, hidden, _ = enc(src, lengths)
    a = att(hidden, outputs, mask)
    weighted = torch.bmm(a.unsqueeze(1), outputs.transpose(0, 1)).squeeze(1)
    loss = criterion(weighted.mean(1), torch.tensor([0.0, 0.5, 1.0]))
    loss.backward()
    norm = nn.utils.clip_grad_norm_(enc.parameters(), max_norm=1.0)
    optimizer.step()
    print(step, f"{loss.item():.4f}", f"{norm:.4f}")
try:
    pack_padded_sequence(src.float().unsqueeze(-1), lengths, enforce_sorted=True)
except RuntimeError as e:
    print("sort first")
print(sum(p.numel() for p in enc.parameters() if p.requires_grad))
print([(n, tuple(p.shape)) for n, p in enc.rnn.named_parameters()])
