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
    default_collate,
    random_split,
)


class Words(Dataset):
    def __init__(self, words):
        self.words = words

    def __len__(self):
        return len(self.words)

    def __getitem__(self, index):
        word = self.words[index]
        return {"chars": torch.tensor([ord(c) for c in word]), "length": len(word), "word": word}


class BucketSampler(Sampler):
    def __init__(self, data, batch_size):
        self.order = sorted(range(len(data)), key=lambda i: data[i]["length"])
        self.batch_size = batch_size

    def __iter__(self):
        for i in range(0, len(self.order), self.batch_size):
            yield self.order[i : i + self.batch_size]

    def __len__(self):
        return (len(self.order) + self.batch_size - 1) // self.batch_size


def collate(batch):
    batch = sorted(batch, key=lambda item: -item["length"])
    chars = torch.nn.utils.rnn.pad_sequence([b["chars"] for b in batch], batch_first=True)
    return chars, torch.as_tensor([b["length"] for b in batch]), [b["word"] for b in batch]


data = Words(["a", "quick", "brown", "fox", "jumped", "over", "it"])
for chars, lengths, words in DataLoader(
    data, batch_sampler=BucketSampler(data, 3), collate_fn=collate
):
    print(chars.shape, lengths, words)
loader = DataLoader(data, batch_size=2, collate_fn=collate, drop_last=True)
print(
    len(loader),
    loader.batch_size,
    loader.drop_last,
    type(loader.sampler).__name__,
    loader.num_workers,
)
print(list(BatchSampler(SequentialSampler(range(10)), batch_size=4, drop_last=False)))
print(default_collate([{"a": 1, "b": (1.5, "x")}, {"a": 2, "b": (2.5, "y")}]))
print(default_collate([(torch.zeros(2), True), (torch.ones(2), False)]))


class Stream(IterableDataset):
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return iter(torch.arange(self.n))


print([b.tolist() for b in DataLoader(Stream(7), batch_size=3)])
print([b.tolist() for b in DataLoader(Stream(7), batch_size=3, drop_last=True)])
g = torch.Generator().manual_seed(42)
a, b = random_split(range(10), [7, 3], generator=g)
print(len(a), len(b), sorted([*a, *b]), a.indices == list(a), type(a).__name__)
parts = random_split(TensorDataset(torch.arange(10)), [0.5, 0.3, 0.2], generator=g)
print([len(p) for p in parts], type(parts[0][0]), parts[0][0][0].shape)
print(sorted(RandomSampler(range(5), generator=torch.Generator().manual_seed(0))))
print(sorted(SubsetRandomSampler([3, 5, 7], generator=torch.Generator().manual_seed(0))))
weights = WeightedRandomSampler([0.1, 0.9, 0.5], 6, generator=torch.Generator().manual_seed(0))
print(len(weights), set(weights) <= {0, 1, 2})
both = ConcatDataset([TensorDataset(torch.arange(3)), TensorDataset(torch.arange(10, 12))])
print(len(both), both[3], both[-1], both.cumulative_sizes)
print([x for (x,) in DataLoader(both, batch_size=2)])
print(Subset(range(100, 110), [1, 3])[1])
it = iter(DataLoader(range(3)))
print(next(it), next(it), next(it))
try:
    next(it)
except StopIteration:
    print("end")
for bad in (
    dict(batch_size=2, batch_sampler=BucketSampler(data, 2)),
    dict(shuffle=True, sampler=[0]),
):
    try:
        DataLoader(data, **bad)
    except ValueError as e:
        print("ValueError")
try:
    next(iter(DataLoader(data, batch_size=2)))
except RuntimeError as e:
    print("cannot stack")
