import torch
from torch.nn.utils.rnn import (
    pack_padded_sequence,
    pack_sequence,
    pad_packed_sequence,
    pad_sequence,
)
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
    default_collate,
    random_split,
)


class Seqs(Dataset):
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        if i >= self.n:
            raise IndexError(i)
        return {
            "ids": torch.arange(1, i % 4 + 2),
            "label": i % 2,
            "name": f"item{i}",
            "score": i / 2,
        }


def collate(batch):
    lens = torch.tensor([len(b["ids"]) for b in batch])
    return (
        pad_sequence([b["ids"] for b in batch], batch_first=True, padding_value=0),
        lens,
        torch.tensor([b["label"] for b in batch]),
    )


ds = Seqs(10)
for ids, lens, lab in DataLoader(ds, batch_size=4, collate_fn=collate):
    print(ids, lens, lab)


class Fixed(Dataset):
    def __getitem__(self, i):
        return {
            "x": torch.full((2,), float(i)),
            "meta": {"id": i, "name": str(i)},
            "pair": (i, float(i)),
        }

    def __len__(self):
        return 5


for b in DataLoader(Fixed(), batch_size=2, drop_last=True):
    print(b)


class EvenFirst(Sampler):
    def __init__(self, ds):
        self.ds = ds

    def __iter__(self):
        return iter(sorted(range(len(self.ds)), key=lambda i: (i % 2, i)))

    def __len__(self):
        return len(self.ds)


print(
    [
        b["meta"]["id"].tolist()
        for b in DataLoader(Fixed(), sampler=EvenFirst(Fixed()), batch_size=2)
    ]
)
print(
    list(BatchSampler(SequentialSampler(range(10)), batch_size=3, drop_last=False)),
    len(BatchSampler(SequentialSampler(range(10)), 3, True)),
)
a, b = random_split(Fixed(), [3, 2], generator=torch.Generator().manual_seed(42))
print(type(a).__name__, len(a), len(b), sorted(a.indices + b.indices))
tr, va, te = random_split(range(10), [0.5, 0.3, 0.2])
print(len(tr), len(va), len(te))
print(
    sorted(RandomSampler(range(5))),
    len(list(SubsetRandomSampler([4, 7, 9]))),
    len(list(WeightedRandomSampler([0.1, 0.9], 6))),
)
cat = ConcatDataset([Subset(range(100), [5, 6, 7]), range(3)])
print(len(cat), [cat[i] for i in range(6)], cat.cumulative_sizes, cat[-1])


class It(IterableDataset):
    def __iter__(self):
        yield from (torch.tensor(i * i) for i in range(5))


for x in DataLoader(It(), batch_size=2):
    print(x)
try:
    len(DataLoader(It()))
except TypeError as e:
    print("refused")
print(
    default_collate([(1, "a", [1, 2]), (2, "b", [3, 4])]),
    default_collate([torch.zeros(2), torch.ones(2)]),
)
try:
    DataLoader(ds, batch_size=4, shuffle=True, sampler=EvenFirst(ds))
except ValueError as e:
    print("refused")
try:
    next(iter(DataLoader(ds, batch_size=4)))
except RuntimeError as e:
    print("refused")
dl = DataLoader(ds, batch_size=4, shuffle=True, num_workers=0, pin_memory=False)
print(
    len(dl),
    dl.batch_size,
    dl.drop_last,
    dl.num_workers,
    type(dl.sampler).__name__,
    type(dl.dataset).__name__,
    dl.dataset is ds,
)
seqs = [torch.tensor([4, 5, 6]), torch.tensor([1]), torch.tensor([2, 3])]
pk = pack_padded_sequence(
    pad_sequence(seqs, batch_first=True), [3, 1, 2], batch_first=True, enforce_sorted=False
)
print(pk)
print(pad_packed_sequence(pk, batch_first=True), pk.data.shape, pk.batch_sizes)
print(pack_sequence(sorted(seqs, key=len, reverse=True)))
print(pad_sequence(seqs), pad_sequence(seqs, True, -1, padding_side="left"))
x, y = next(
    iter(
        DataLoader(TensorDataset(torch.arange(6).view(3, 2), torch.tensor([0, 1, 0])), batch_size=2)
    )
)
print(x, y, list(TensorDataset(torch.arange(2)))[0])
try:
    TensorDataset(torch.zeros(3), torch.zeros(4))
except (AssertionError, ValueError):
    print("sizes differ")
