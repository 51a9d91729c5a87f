import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Stream(IterableDataset):
    def __init__(self, start, end):
        self.start, self.end = start, end

    def __iter__(self):
        info = get_worker_info()
        if info is None:
            return iter(range(self.start, self.end))
        per = (self.end - self.start) // info.num_workers
        first = self.start + info.id * per
        return iter(range(first, first + per))


print(get_worker_info())
print(sorted(v for b in DataLoader(Stream(0, 8), batch_size=2, num_workers=2) for v in b.tolist()))
print([b.tolist() for b in DataLoader(Stream(0, 4), batch_size=2)])
