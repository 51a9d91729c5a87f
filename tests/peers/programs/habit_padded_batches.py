import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

seqs = [torch.tensor([1, 2, 3]), torch.tensor([4]), torch.tensor([5, 6])]
padded = pad_sequence(seqs, batch_first=True, padding_value=-1)
print(padded, padded.shape)
lengths = torch.tensor([len(s) for s in seqs])
mask = torch.arange(padded.size(1))[None, :] < lengths[:, None]
print(mask, mask.sum(1))
order = lengths.argsort(descending=True)
print(lengths[order], padded[order])
packed = pack_padded_sequence(padded[order].float(), lengths[order], batch_first=True)
print(packed.batch_sizes, packed.data)
unpacked, sizes = pad_packed_sequence(packed, batch_first=True)
print(unpacked, sizes)
mean = (padded * mask).sum(1) / lengths
print(mean)
