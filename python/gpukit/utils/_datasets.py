"""Data sets, and data sets made of others."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterable, Iterator
from typing import Any

from gpukit._asserted import AssertedError
from gpukit.errors import ArgumentError


class Dataset:
    """Base of data sets: write `__len__` and `__getitem__`.

    Example:
        >>> from gpukit.utils.data import Dataset
        >>> class Squares(Dataset):
        ...     def __len__(self):
        ...         return 3
        ...
        ...     def __getitem__(self, index):
        ...         return index * index
        >>> Squares()[2]
        4
    """

    def __class_getitem__(cls, item: Any) -> Any:
        return cls

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no __getitem__")

    def __add__(self, other: Any) -> ConcatDataset:
        return ConcatDataset([self, other])


class IterableDataset(Dataset):
    """Base of data sets that come one sample after the other: write `__iter__`.

    Example:
        >>> from gpukit.utils.data import DataLoader, IterableDataset
        >>> class Count(IterableDataset):
        ...     def __iter__(self):
        ...         return iter(range(5))
        >>> [batch.tolist() for batch in DataLoader(Count(), batch_size=2)]
        [[0, 1], [2, 3], [4]]
    """

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError(f"{type(self).__name__} has no __iter__")

    def __add__(self, other: Any) -> ChainDataset:  # type: ignore[override]
        return ChainDataset([self, other])


class ConcatDataset(Dataset):
    """The samples of several data sets, one after the other; also `first + second`.

    Args:
        datasets: Data sets with `len()` and numbers as indices.

    Raises:
        ValueError: There is none, or an index is out of range.
        TypeError: One of them is an IterableDataset.

    Example:
        >>> from gpukit.utils.data import ConcatDataset
        >>> both = ConcatDataset(["ab", "cde"])
        >>> len(both), both[3], both[-1]
        (5, 'd', 'e')
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertedError("ConcatDataset: datasets is empty; it must hold at least one")
        if any(isinstance(each, IterableDataset) for each in self.datasets):
            raise TypeError("ConcatDataset: takes no IterableDataset; use ChainDataset")
        self.cumulative_sizes = list(itertools.accumulate(map(len, self.datasets)))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, index: int) -> Any:
        if index < 0:
            if -index > len(self):
                raise ArgumentError(f"ConcatDataset: index {index} of {len(self)} samples")
            index += len(self)
        number = bisect.bisect_right(self.cumulative_sizes, index)
        if number == len(self.datasets):
            raise IndexError(f"ConcatDataset: index {index} of {len(self)} samples")
        before = self.cumulative_sizes[number - 1] if number else 0
        return self.datasets[number][index - before]


class ChainDataset(IterableDataset):
    """The samples of several IterableDatasets, one after the other.

    Args:
        datasets: IterableDatasets.

    Raises:
        TypeError: One of them is no IterableDataset, found when it is its turn.

    Example:
        >>> from gpukit.utils.data import ChainDataset, IterableDataset
        >>> class Letters(IterableDataset):
        ...     def __iter__(self):
        ...         return iter("ab")
        >>> list(ChainDataset([Letters(), Letters()]))
        ['a', 'b', 'a', 'b']
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = datasets

    def __iter__(self) -> Iterator[Any]:
        for each in self.datasets:
            if not isinstance(each, IterableDataset):
                raise TypeError(f"ChainDataset: takes IterableDatasets, got {type(each).__name__}")
            yield from each

    def __len__(self) -> int:
        return sum(len(each) for each in self.datasets)


class StackDataset(Dataset):
    """Samples put together of those of several data sets, by number.

    Args:
        args: Data sets of one length; a sample is a tuple.
        kwargs: The same by name; a sample is a dict.

    Raises:
        ValueError: There is none, both kinds are given, or the lengths differ.

    Example:
        >>> from gpukit.utils.data import StackDataset
        >>> StackDataset(image="ab", label=[0, 1])[1]
        {'image': 'b', 'label': 1}
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if bool(args) == bool(kwargs):
            raise ArgumentError(
                "StackDataset: give data sets either by place or by name, and at least one"
            )
        self.datasets: Any = args or kwargs
        lengths = {len(each) for each in (args or kwargs.values())}
        if len(lengths) != 1:
            raise ArgumentError(f"StackDataset: the lengths must be equal, got {sorted(lengths)}")
        (self._length,) = lengths

    def __getitem__(self, index: Any) -> Any:
        if isinstance(self.datasets, dict):
            return {name: each[index] for name, each in self.datasets.items()}
        return tuple(each[index] for each in self.datasets)

    def __len__(self) -> int:
        return self._length
