import torch
from torch.utils.data import DataLoader, Dataset


class Broken(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        if i == 3:
            raise ValueError("sample 3 is broken")
        return i


try:
    for batch in DataLoader(Broken(), batch_size=2, num_workers=1):
        print(batch)
except ValueError as error:
    lines = str(error).splitlines()
    print(lines[0])
    print(lines[1])
    print(lines[-1])
