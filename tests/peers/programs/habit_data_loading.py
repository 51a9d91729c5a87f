import torch
from torch.utils.data import ConcatDataset, DataLoader, Dataset, Subset, TensorDataset, random_split


class Squares(Dataset):
    def __init__(self, n, transform=None):
        self.n = n
        self.transform = transform

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        x = torch.tensor([float(i)])
        if self.transform:
            x = self.transform(x)
        return x, i * i


loader = DataLoader(Squares(5), batch_size=2, shuffle=False, num_workers=0, pin_memory=False)
for epoch in range(1):
    for batch_idx, (x, y) in enumerate(loader):
        print(batch_idx, x, y)
print(len(loader), len(loader.dataset))
x, y = next(iter(DataLoader(Squares(4, transform=lambda v: v * 10), batch_size=4)))
print(x.squeeze(), y.dtype)
train, val = random_split(Squares(10), [7, 3], generator=torch.Generator().manual_seed(0))
print(len(train), len(val))
both = ConcatDataset([Squares(2), Subset(Squares(9), [4, 5])])
print([item[1] for item in both])


def collate(batch):
    xs, ys = zip(*batch)
    return torch.cat(xs), torch.LongTensor(ys)


for xs, ys in DataLoader(both, batch_size=3, collate_fn=collate, drop_last=True):
    print(xs, ys)
ds = TensorDataset(torch.arange(6).view(3, 2), torch.tensor([0, 1, 0]))
print(ds[1], len(ds), sorted(int(y) for _, y in DataLoader(ds, shuffle=True)))
print(next(iter(DataLoader([{"a": 1, "b": [2.0, 3.0]}, {"a": 4, "b": [5.0, 6.0]}], batch_size=2))))
