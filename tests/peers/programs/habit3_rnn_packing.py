import torch
from torch import nn
from torch.nn.utils.rnn import (
    pack_padded_sequence,
    pack_sequence,
    pad_packed_sequence,
    pad_sequence,
)

seqs = [torch.tensor([1, 2, 3, 4]), torch.tensor([5, 6]), torch.tensor([7, 8, 9])]
lengths = torch.tensor([len(s) for s in seqs])
padded = pad_sequence(seqs, batch_first=True, padding_value=0)
print(padded, lengths)
emb = nn.Embedding(10, 3, padding_idx=0)
with torch.no_grad():
    emb.weight[1:] = torch.sin(torch.arange(27.0)).view(9, 3)
lstm = nn.LSTM(3, 2, batch_first=True, bidirectional=True)
for i, p in enumerate(lstm.parameters()):
    p.data = torch.cos(torch.arange(p.numel(), dtype=torch.float) * 0.7 + i).view_as(p) * 0.5
packed = pack_padded_sequence(emb(padded), lengths, batch_first=True, enforce_sorted=False)
print(packed.batch_sizes, packed.sorted_indices, packed.data.shape)
out, (h, c) = lstm(packed)
unpacked, lens = pad_packed_sequence(out, batch_first=True)
print(unpacked, lens)
print(torch.cat((h[-2], h[-1]), dim=1))
loss = unpacked.sum()
loss.backward()
print(emb.weight.grad[0], emb.weight.grad[1])
p2 = pack_sequence([torch.tensor([1.0, 2.0, 3.0]), torch.tensor([4.0, 5.0])])
print(p2.data, p2.batch_sizes)
last = unpacked[torch.arange(3), lens - 1]
print(last.shape)
