import random

import torch
from torch.utils.data import DataLoader, Dataset


class Noise(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        return torch.utils.data.get_worker_info().seed, torch.initial_seed(), torch.rand(1), i


def seed_worker(worker_id):
    random.seed(torch.initial_seed() % 2**32)


g = torch.Generator()
g.manual_seed(0)
seen = [b for b in DataLoader(Noise(), num_workers=2, worker_init_fn=seed_worker, generator=g)]
g.manual_seed(0)
again = [b for b in DataLoader(Noise(), num_workers=2, worker_init_fn=seed_worker, generator=g)]
print([int(b[1] - b[0]) for b in seen], [int(b[0] - seen[0][0]) for b in seen])
print(all(torch.equal(a[2], b[2]) for a, b in zip(seen, again)))
