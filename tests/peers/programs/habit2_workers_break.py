import multiprocessing

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __len__(self):
        return 100

    def __getitem__(self, i):
        return {"image": np.full((3, 8, 8), i, dtype=np.float32), "name": f"image {i}"}


loader = DataLoader(Images(), batch_size=8, num_workers=2)
for i, batch in enumerate(loader):
    print(
        batch["image"].shape, batch["image"].dtype, batch["name"][:2], batch["image"].mean().item()
    )
    if i == 2:
        break
del batch
it = iter(loader)
print(next(it)["name"][0])
del it
