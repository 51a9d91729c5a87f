import torch
from torch.utils.data import DataLoader, Dataset, get_worker_info


class Numbers(Dataset):
    def __init__(self, n):
        self.data = torch.arange(n, dtype=torch.float32)

    def __len__(self):
        return len(self.data)

    def __getitem__(self, i):
        info = get_worker_info()
        return self.data[i] * 2, 0 if info is None else info.num_workers


def collate(batch):
    values, workers = zip(*batch)
    return torch.stack(values), torch.tensor(workers)


def init(worker_id):
    torch.set_num_threads(1)


if __name__ == "__main__":
    loader = DataLoader(
        Numbers(10), batch_size=4, num_workers=2, collate_fn=collate, worker_init_fn=init
    )
    for epoch in range(2):
        total = 0.0
        for values, workers in loader:
            total += values.sum().item()
            assert set(workers.tolist()) == {2}
        print(epoch, total)
    loader = DataLoader(
        Numbers(10), batch_size=5, num_workers=2, persistent_workers=True, prefetch_factor=2
    )
    print([v.tolist() for v, _ in loader])
    print([v.tolist() for v, _ in loader])
