from collections import OrderedDict, UserDict, defaultdict, namedtuple
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, default_collate, default_convert

Sample = namedtuple("Sample", ["image", "label"])


def one_hot(y):
    return torch.zeros(3, dtype=torch.float).scatter_(0, torch.tensor(y), value=1)


class Fixed(Mapping):
    def __init__(self, key, value):
        self.items_of = {key: value}

    def __getitem__(self, key):
        return self.items_of[key]

    def __iter__(self):
        return iter(self.items_of)

    def __len__(self):
        return 1


class Named(Dataset):
    def __init__(self, target_transform=None):
        self.target_transform = target_transform

    def __len__(self):
        return 4

    def __getitem__(self, index):
        label = index % 3
        if self.target_transform:
            label = self.target_transform(label)
        return Sample(image=torch.full((2,), float(index)), label=label)


for batch in DataLoader(Named(), batch_size=2):
    print(type(batch).__name__, batch.image, batch.label)
for batch in DataLoader(Named(one_hot), batch_size=4, pin_memory=True):
    print(batch.label)
rows = DataLoader(Named(), batch_size=3, collate_fn=lambda samples: Sample(*zip(*samples)))
print(next(iter(rows)))
print(default_collate([OrderedDict(a=1), OrderedDict(a=2)]))
print(default_collate([defaultdict(int, a=1.5), defaultdict(int, a=2.5)]))
print(default_collate([UserDict(a=1), UserDict(a=2)]))
print(repr(default_collate([MappingProxyType({"a": 1}), MappingProxyType({"a": 2})])))
print(default_collate([Fixed("a", 1), Fixed("a", 2)]), default_convert(Fixed("a", np.ones(1))))
print(default_collate([{"pair": Sample(1, "x")}, {"pair": Sample(2, "y")}]))
print(
    default_collate([b"a", b"b"]),
    default_collate([True, False]),
    default_collate([(1, [2.0]), (3, [4.0])]),
)
print(default_convert(OrderedDict(a=np.ones(1), b=Sample(np.zeros(1), "z"))))
loaded = DataLoader([OrderedDict(a=1, b=2)], collate_fn=lambda samples: samples[0])
print(next(iter(loaded)))
