import torch
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.arange(6.0))
loader = DataLoader(data, batch_size=2, num_workers=2, persistent_workers=True, prefetch_factor=4)
print(loader.num_workers, loader.prefetch_factor, loader.persistent_workers)
for epoch in range(2):
    print(epoch, [b[0].tolist() for b in loader])
for kwargs in (
    {"num_workers": -1},
    {"prefetch_factor": 2},
    {"persistent_workers": True},
    {"timeout": -1},
    {"num_workers": 1, "multiprocessing_context": "nothing"},
):
    try:
        DataLoader(data, **kwargs)
        print("no error")
    except ValueError as error:
        print(kwargs, "ValueError")
print(DataLoader(data).prefetch_factor, DataLoader(data, num_workers=1).prefetch_factor)
