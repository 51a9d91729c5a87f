import torch
from torch.utils.data import DataLoader, Dataset


class Squares(Dataset):
    def __len__(self):
        return 10

    def __getitem__(self, i):
        return torch.tensor([float(i), float(i * i)]), i


if __name__ == "__main__":
    loader = DataLoader(Squares(), batch_size=4, num_workers=2)
    for x, y in loader:
        print(x, y)
    print(len(loader))
