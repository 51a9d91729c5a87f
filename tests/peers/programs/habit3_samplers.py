import torch
from torch.utils.data import (
    BatchSampler,
    ConcatDataset,
    DataLoader,
    Dataset,
    RandomSampler,
    Sampler,
    SequentialSampler,
    Subset,
    SubsetRandomSampler,
    TensorDataset,
    WeightedRandomSampler,
    random_split,
)


class Numbers(Dataset):
    def __len__(self):
        return 10

    def __getitem__(self, i):
        return i, torch.tensor([i, i * i], dtype=torch.float32)


class EvenFirst(Sampler):
    def __init__(self, source):
        self.source = source

    def __iter__(self):
        n = len(self.source)
        return iter([i for i in range(n) if i % 2 == 0] + [i for i in range(n) if i % 2])

    def __len__(self):
        return len(self.source)


ds = Numbers()
print([i.tolist() for i, _ in DataLoader(ds, batch_size=4, sampler=EvenFirst(ds))])
print(
    list(BatchSampler(SequentialSampler(ds), batch_size=3, drop_last=False)),
    len(BatchSampler(SequentialSampler(ds), 3, True)),
)
print(
    [
        b[0].tolist()
        for b in DataLoader(ds, batch_sampler=BatchSampler(SequentialSampler(ds), 5, False))
    ]
)
print(sorted(RandomSampler(ds)), len(RandomSampler(ds, replacement=True, num_samples=4)))
print(
    sorted(SubsetRandomSampler([3, 5, 7])),
    len(list(WeightedRandomSampler([0.0, 1.0, 0.0], 5))),
    set(WeightedRandomSampler([0.0, 1.0, 0.0], 5)),
)
train, val = random_split(ds, [7, 3], generator=torch.Generator().manual_seed(0))
print(len(train), len(val), sorted(train.indices + val.indices))
a, b = random_split(range(10), [0.7, 0.3])
print(len(a), len(b))
both = ConcatDataset([Subset(ds, [0, 1]), TensorDataset(torch.arange(3), torch.ones(3, 2))])
print(len(both), both[4], both.cumulative_sizes)
for x, y in DataLoader(
    TensorDataset(torch.arange(4.0).view(4, 1), torch.tensor([0, 1, 0, 1])),
    batch_size=3,
    drop_last=True,
):
    print(x, y)


def collate(batch):
    ids, xs = zip(*batch)
    return list(ids), torch.stack(xs).sum(0)


print(list(DataLoader(ds, batch_size=5, collate_fn=collate)))
loader = DataLoader(ds, batch_size=2, shuffle=True)
print(len(loader), loader.batch_size, next(iter(loader))[1].shape, len(loader.dataset))
