import random

import torch
from torch.utils.data import (
    BatchSampler,
    DataLoader,
    IterableDataset,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
    get_worker_info,
)


class BucketBatchSampler(Sampler):
    def __init__(self, lengths, batch_size, bucket=4, shuffle=False):
        self.lengths = torch.as_tensor(lengths)
        self.batch_size, self.bucket, self.shuffle = batch_size, bucket, shuffle

    def __iter__(self):
        order = torch.argsort(self.lengths, stable=True)
        chunks = [c.tolist() for c in order.split(self.batch_size)]
        if self.shuffle:
            random.Random(0).shuffle(chunks)
        yield from chunks

    def __len__(self):
        return (len(self.lengths) + self.batch_size - 1) // self.batch_size


lengths = [5, 2, 9, 4, 4, 7, 1, 3, 8]
data = [torch.full((n,), n) for n in lengths]
s = BucketBatchSampler(lengths, 4)
loader = DataLoader(
    data,
    batch_sampler=s,
    collate_fn=lambda b: torch.nn.utils.rnn.pad_sequence(b, batch_first=True, padding_value=-1),
)
print(len(loader), loader.batch_size, loader.drop_last, loader.batch_sampler is s)
for b in loader:
    print(b.shape, (b == -1).sum().item(), b[:, 0].tolist())
edges = torch.tensor([2, 4, 8])
print(
    torch.bucketize(torch.tensor(lengths), edges),
    torch.bucketize(torch.tensor(lengths), edges, right=True),
)
print(list(BatchSampler(SequentialSampler(range(7)), batch_size=3, drop_last=False)))
print(list(BatchSampler(SequentialSampler(range(7)), 3, True)))
labels = torch.tensor([0, 0, 0, 0, 0, 0, 1, 1, 2])
count = torch.bincount(labels)
w = 1.0 / count[labels].float()
ws = WeightedRandomSampler(w, num_samples=300, replacement=True)
got = labels[torch.tensor(list(ws))]
print(len(ws), (torch.bincount(got, minlength=3) > 60).all(), count, w)
print(sorted(SubsetRandomSampler([4, 7, 2])))
print(
    sorted(RandomSampler(range(5))), len(RandomSampler(range(5), replacement=True, num_samples=12))
)
try:
    DataLoader(data, batch_sampler=s, shuffle=True)
except ValueError as e:
    print("ValueError", e)
try:
    DataLoader(data, sampler=SequentialSampler(data), shuffle=True)
except ValueError as e:
    print("ValueError", e)
try:
    WeightedRandomSampler(w, num_samples=0)
except ValueError as e:
    print("ValueError")


class Stream(IterableDataset):
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        info = get_worker_info()
        assert info is None
        return (torch.tensor([i, i * i]) for i in range(self.n))


print([b.tolist() for b in DataLoader(Stream(5), batch_size=2)])
try:
    len(Stream(3))
except TypeError as e:
    print("TypeError", e)
g = torch.Generator()
g.manual_seed(3)
a = [b.tolist() for b in DataLoader(list(range(6)), batch_size=2, shuffle=True, generator=g)]
g.manual_seed(3)
b = [b.tolist() for b in DataLoader(list(range(6)), batch_size=2, shuffle=True, generator=g)]
print(a == b, sorted(i for part in a for i in part))
