"""Which samples a rank takes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from gpukit import _core
from gpukit._arguments import int_from, int_of
from gpukit.errors import ArgumentError
from gpukit.utils._orders import Sampler


class DistributedSampler(Sampler):
    """Numbers of samples for one rank: every `num_replicas`-th, in the same order on all ranks.

    The padding, `drop_last` and the share of each rank are torch's. With `shuffle=True` the order
    comes from gpukit's generator, seeded by seed + epoch: the same on every rank and machine, but
    another one than torch's of that seed.

    Args:
        dataset: anything with `len()`.
        num_replicas: how many ranks; None means the process group's.
        rank: which one; None is this process's.
        shuffle: a new order each epoch, for which `set_epoch` must be called.
        seed: the same on every rank.
        drop_last: drop the samples that would make the ranks uneven; False repeats the first
            ones, so that every rank has the same number.

    Raises:
        ArgumentError: rank is not below num_replicas, or there is no sample.
        DistributedError: they are not given, and there is no process group.

    Example:
        >>> from gpukit.utils.data import DistributedSampler
        >>> list(DistributedSampler(range(5), num_replicas=2, rank=1, shuffle=False))
        [1, 3, 0]
    """

    def __init__(
        self,
        dataset: Any,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        from gpukit import distributed

        name = "DistributedSampler"
        size = distributed.get_world_size() if num_replicas is None else num_replicas
        place = distributed.get_rank() if rank is None else rank
        self.num_replicas = int_from(name, "num_replicas", size, 1)
        self.rank = int_from(name, "rank", place, 0)
        if self.rank >= self.num_replicas:
            raise ArgumentError(f"{name}: rank is {self.rank}; use 0 to {self.num_replicas - 1}")
        if len(dataset) == 0:
            raise ArgumentError(f"{name}: dataset has no samples")
        self.dataset = dataset
        self.shuffle = shuffle
        self.seed = int_of(name, "seed", seed)
        self.drop_last = drop_last
        self.epoch = 0
        uneven = len(dataset) % self.num_replicas
        missing = uneven if drop_last and len(dataset) >= self.num_replicas else 0
        self.num_samples = math.ceil((len(dataset) - missing) / self.num_replicas)
        self.total_size = self.num_samples * self.num_replicas

    def __len__(self) -> int:
        return self.num_samples

    def __iter__(self) -> Iterator[int]:
        order = self._order()
        if len(order) < self.total_size:
            repeats = math.ceil(self.total_size / len(order))
            order = (order * repeats)[: self.total_size]
        return iter(order[self.rank : self.total_size : self.num_replicas])

    def _order(self) -> list[int]:
        count = len(self.dataset)
        if not self.shuffle:
            return list(range(count))
        generator = _core.Generator()
        generator.manual_seed(self.seed + self.epoch)
        return list(_core.randperm(count, generator=generator).tolist())

    def set_epoch(self, epoch: int) -> None:
        """Choose the order of an epoch; without it every epoch has that of the first.

        Args:
            epoch: its number.
        """
        self.epoch = int_from("DistributedSampler.set_epoch", "epoch", epoch, 0)
