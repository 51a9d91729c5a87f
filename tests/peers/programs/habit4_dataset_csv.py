import csv
import io

import torch
from torch.utils.data import (
    ConcatDataset,
    DataLoader,
    Dataset,
    RandomSampler,
    SequentialSampler,
    Subset,
    WeightedRandomSampler,
    random_split,
)

TEXT = "a,b,label\n1.0,2.0,0\n3.0,4.0,1\n5.0,6.0,0\n7.0,8.0,1\n9.0,10.0,1\n"


class CsvDataset(Dataset):
    def __init__(self, text, transform=None, target_transform=None):
        self.rows = list(csv.DictReader(io.StringIO(text)))
        self.transform = transform
        self.target_transform = target_transform

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, idx):
        if torch.is_tensor(idx):
            idx = idx.tolist()
        row = self.rows[idx]
        sample = {
            "x": torch.tensor([float(row["a"]), float(row["b"])]),
            "label": int(row["label"]),
            "id": str(idx),
        }
        if self.transform:
            sample["x"] = self.transform(sample["x"])
        return sample


ds = CsvDataset(TEXT, transform=lambda t: (t - 5) / 5)
for i_batch, batch in enumerate(DataLoader(ds, batch_size=2, shuffle=False)):
    print(i_batch, batch["x"].size(), batch["label"], batch["id"])
print(len(DataLoader(ds, batch_size=2, drop_last=True)), next(iter(DataLoader(ds)))["x"])
train, test = random_split(ds, [3, 2], generator=torch.Generator().manual_seed(42))
print(len(train), len(test), len(ConcatDataset([train, test])), Subset(ds, [0, 4])[1]["label"])
parts = random_split(range(10), [0.7, 0.3], generator=torch.Generator().manual_seed(0))
print([len(p) for p in parts], sorted(i for p in parts for i in p))
sampler = WeightedRandomSampler([0.0, 0.0, 1.0], num_samples=4, replacement=True)
print(list(sampler), list(SequentialSampler(ds)), len(RandomSampler(ds)))


def collate(batch):
    xs = [b["x"] for b in batch]
    return torch.stack(xs), torch.tensor([b["label"] for b in batch])


xs, ys = next(
    iter(DataLoader(ds, batch_size=5, collate_fn=collate, pin_memory=False, num_workers=0))
)
print(xs.mean(0), ys, ys.dtype)
loader = DataLoader(ds, sampler=SequentialSampler(ds), batch_size=3)
print([b["label"].tolist() for b in loader], loader.dataset is ds, loader.batch_size)
print(torch.utils.data.default_collate([(1, 2.0), (3, 4.0)]))


class Stream(torch.utils.data.IterableDataset):
    def __iter__(self):
        return iter(range(5))


print(list(DataLoader(Stream(), batch_size=2)))
