import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, Subset, random_split


class Points(Dataset):
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, index):
        return torch.tensor([float(index), index**2]), index % 2


class Records(Dataset):
    def __len__(self):
        return 3

    def __getitem__(self, i):
        return {"x": np.full(2, i, dtype=np.float32), "y": 0.5 * i, "name": f"row {i}"}


for x, y in DataLoader(Points(5), batch_size=2):
    print(x, y)
print(next(iter(DataLoader(Records(), batch_size=3))))
train, test = random_split(Points(10), [0.8, 0.2], generator=torch.Generator().manual_seed(0))
print(len(train), len(test), len(DataLoader(train, batch_size=3, drop_last=True)))
loader = DataLoader(Points(6), batch_size=4, shuffle=True, num_workers=0)
print(sorted(int(v) for x, _ in loader for v in x[:, 0]), loader.batch_size, len(loader.dataset))
print(Subset(Points(5), [1, 3])[1], list(DataLoader([1, 2, 3], batch_size=2)))
print(next(iter(DataLoader(Points(2), batch_size=2, collate_fn=len))))
