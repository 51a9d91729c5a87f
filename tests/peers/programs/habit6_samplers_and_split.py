import torch
from torch.utils.data import (
    BatchSampler,
    ConcatDataset,
    DataLoader,
    Dataset,
    IterableDataset,
    RandomSampler,
    Sampler,
    SequentialSampler,
    Subset,
    SubsetRandomSampler,
    TensorDataset,
    WeightedRandomSampler,
    random_split,
)


class Squares(Dataset):
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        if i >= self.n:
            raise IndexError
        return i, torch.tensor(float(i) ** 2), {"name": f"item{i}", "pair": (i, -i)}


ds = Squares(7)
for idx, sq, info in DataLoader(ds, batch_size=3):
    print(idx, sq, info)
print(len(DataLoader(ds, batch_size=3, drop_last=True)), len(DataLoader(ds)))
print(list(BatchSampler(SequentialSampler(ds), 3, False)))
g = torch.Generator().manual_seed(1)
order = list(RandomSampler(ds, generator=g))
print(sorted(order), len(order))
print(len(list(RandomSampler(ds, replacement=True, num_samples=20))))
print(sorted(SubsetRandomSampler([1, 3, 5])))
weights = WeightedRandomSampler([0.0, 0.0, 1.0], 5, replacement=True)
print(list(weights), len(weights))
a, b = random_split(ds, [5, 2], generator=torch.Generator().manual_seed(0))
print(len(a), len(b), sorted(list(a.indices) + list(b.indices)))
c, d = random_split(ds, [0.7, 0.3])
print(len(c), len(d))
both = ConcatDataset(
    [Subset(ds, [0, 2]), TensorDataset(torch.arange(3), torch.arange(3), torch.arange(3))]
)
print(len(both), both[0][0], both[2][0], both.cumulative_sizes)
print(len(ds + ds))


class EvenFirst(Sampler):
    def __init__(self, source):
        self.source = source

    def __iter__(self):
        n = len(self.source)
        return iter([*range(0, n, 2), *range(1, n, 2)])

    def __len__(self):
        return len(self.source)


print([x[0].tolist() for x in DataLoader(ds, batch_size=4, sampler=EvenFirst(ds))])
print([x[0].tolist() for x in DataLoader(ds, batch_sampler=[[6, 0], [1, 2, 3]])])


class Stream(IterableDataset):
    def __iter__(self):
        yield from range(5)


print([b.tolist() for b in DataLoader(Stream(), batch_size=2)])
print(list(DataLoader(ds, batch_size=None))[2][1])
pad = lambda batch: torch.nn.utils.rnn.pad_sequence(
    [torch.arange(b[0] + 1) for b in batch], batch_first=True, padding_value=-1
)
print(next(iter(DataLoader(ds, batch_size=3, collate_fn=pad))))
