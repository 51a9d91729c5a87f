"""Data sets for the worker processes of a DataLoader, which import them from here."""

from __future__ import annotations

import os
import signal
import time
from typing import Any

import numpy as np

import gpukit
from gpukit.utils.data import Dataset, IterableDataset, get_worker_info


class Described(Dataset):
    """Samples that say where they were made."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.large = gpukit.arange(5000.0)  # goes to the workers in shared memory

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> dict[str, Any]:
        info = get_worker_info()
        assert info is not None
        assert info.num_workers == 2
        assert info.dataset is self
        return {
            "index": index,
            "worker": info.id,
            "process": os.getpid(),
            "seeds": (info.seed, gpukit.initial_seed()),
            "image": np.full((3, 20, 20), index, np.float32),
            "row": self.large + index,
            "name": "sample " * 300,
            "draw": gpukit.rand(1),
            "threads": gpukit.get_num_threads(),
        }


class Failing(Dataset):
    """Samples of which some do what goes wrong in programs."""

    def __len__(self) -> int:
        return 6

    def __getitem__(self, index: int) -> Any:
        if index == 1:
            raise KeyError("no such picture")
        if index == 2:
            raise TwoPartsError("a", "b")
        if index == 3:
            return lambda: None  # cannot be pickled
        if index == 4:
            os.kill(os.getpid(), signal.SIGKILL)
        return index


class TwoPartsError(Exception):
    """An exception that cannot be made of its text."""

    def __init__(self, first: str, second: str) -> None:
        super().__init__(first, second)


class Slow(Dataset):
    """Samples that take longer than anyone waits."""

    def __len__(self) -> int:
        return 2

    def __getitem__(self, index: int) -> int:
        time.sleep(60 * index)
        return index


class Stream(IterableDataset):
    """The numbers below a limit, shared out to the workers."""

    def __init__(self, limit: int) -> None:
        self.limit = limit

    def __iter__(self) -> Any:
        info = get_worker_info()
        first, step = (0, 1) if info is None else (info.id, info.num_workers)
        return iter(range(first, self.limit, step))


def fail_in(worker: int) -> None:
    """A worker_init_fn that fails in one worker."""
    if worker == 1:
        raise ValueError("worker 1 has no data")


def same(batch: Any) -> Any:
    """A collate_fn that changes nothing."""
    return batch
