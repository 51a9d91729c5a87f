"""Samplers: in which order the samples of a data set come, and in which batches."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from gpukit import _core
from gpukit._arguments import bool_of, int_from
from gpukit._core import Generator, Tensor
from gpukit.errors import ArgumentError


class Sampler:
    """Base of samplers: write `__iter__`, which gives numbers of samples, and `__len__`.

    Args:
        data_source: Accepted for compatibility with PyTorch; not used.

    Example:
        >>> from gpukit.utils.data import DataLoader, Sampler
        >>> class Backwards(Sampler):
        ...     def __iter__(self):
        ...         return iter([2, 1, 0])
        ...
        ...     def __len__(self):
        ...         return 3
        >>> [batch.tolist() for batch in DataLoader([10, 11, 12], 2, sampler=Backwards())]
        [[12, 11], [10]]
    """

    def __init__(self, data_source: Any = None) -> None:
        pass

    def __class_getitem__(cls, item: Any) -> Any:
        return cls

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError(f"{type(self).__name__} has no __iter__")


class SequentialSampler(Sampler):
    """The samples in their order.

    Args:
        data_source: A data set with `len()`.

    Example:
        >>> from gpukit.utils.data import SequentialSampler
        >>> list(SequentialSampler("abc"))
        [0, 1, 2]
    """

    def __init__(self, data_source: Any) -> None:
        super().__init__()
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler):
    """The samples in an order that is drawn each time.

    Args:
        data_source: A data set with `len()`.
        replacement: Draw each number independently.
        num_samples: How many numbers; None is all of the data set. Without replacement further
            numbers begin a new order.
        generator: Where the order comes from; None is the process's.

    Raises:
        ValueError: num_samples is below 1.
        TypeError: replacement is not a bool.

    Example:
        >>> from gpukit.utils.data import RandomSampler
        >>> sorted(RandomSampler("abc"))
        [0, 1, 2]
    """

    def __init__(
        self,
        data_source: Any,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Generator | None = None,
    ) -> None:
        super().__init__()
        self.data_source = data_source
        self.replacement = bool_of("RandomSampler", "replacement", replacement)
        self._num_samples = (
            None if num_samples is None else _count_of("RandomSampler", "num_samples", num_samples)
        )
        self.generator = generator

    @property
    def num_samples(self) -> int:
        """How many numbers come."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        size, count = len(self.data_source), self.num_samples
        if self.replacement:
            yield from _core.randint(0, size, (count,), generator=self.generator).tolist()
            return
        left = count
        while left > 0 and size > 0:
            order = _core.randperm(size, generator=self.generator).tolist()
            yield from order[:left]
            left -= size

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler):
    """Given numbers in an order that is drawn each time.

    Args:
        indices: The numbers.
        generator: Where the order comes from; None is the process's.

    Example:
        >>> from gpukit.utils.data import SubsetRandomSampler
        >>> sorted(SubsetRandomSampler([5, 3, 8]))
        [3, 5, 8]
    """

    def __init__(self, indices: Sequence[int], generator: Generator | None = None) -> None:
        super().__init__()
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        for place in _core.randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[place]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler):
    """Numbers drawn by weights.

    Args:
        weights: One for each sample, 0 or more; they need not sum to 1.
        num_samples: How many numbers.
        replacement: False draws each number at most once.
        generator: Where the numbers come from; None is the process's.

    Raises:
        ValueError: num_samples is below 1, replacement is not a bool, or weights have several
            dimensions.

    Example:
        >>> from gpukit.utils.data import WeightedRandomSampler
        >>> list(WeightedRandomSampler([0.0, 1.0, 0.0], 3))
        [1, 1, 1]
    """

    def __init__(
        self,
        weights: Sequence[float] | Tensor,
        num_samples: int,
        replacement: bool = True,
        generator: Generator | None = None,
    ) -> None:
        super().__init__()
        op = "WeightedRandomSampler"
        self.num_samples = _count_of(op, "num_samples", num_samples)
        if not isinstance(replacement, bool):
            raise ArgumentError(f"{op}: replacement must be a bool, got {replacement!r}")
        self.weights = _core.as_tensor(weights, dtype=_core.float64)
        if self.weights.ndim != 1:
            raise ArgumentError(
                f"{op}: weights must have 1 dimension, their shape is {tuple(self.weights.shape)}"
            )
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        drawn = _core.multinomial(
            self.weights, self.num_samples, self.replacement, generator=self.generator
        )
        return iter(drawn.tolist())

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler):
    """Lists of a sampler's numbers, a batch each.

    Args:
        sampler: A sampler, or any iterable of numbers.
        batch_size: Numbers in a list.
        drop_last: Leave out a last list that is shorter.

    Raises:
        ValueError: batch_size is not an int above 0, or drop_last is not a bool.

    Example:
        >>> from gpukit.utils.data import BatchSampler, SequentialSampler
        >>> list(BatchSampler(SequentialSampler("abcde"), 2, drop_last=False))
        [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler: Iterable[int], batch_size: int, drop_last: bool) -> None:
        super().__init__()
        self.batch_size = _count_of("BatchSampler", "batch_size", batch_size)
        if not isinstance(drop_last, bool):
            raise ArgumentError(f"BatchSampler: drop_last must be a bool, got {drop_last!r}")
        self.sampler = sampler
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        numbers = iter(self.sampler)
        while batch := list(itertools.islice(numbers, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        count = len(self.sampler)  # type: ignore[arg-type]
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)


def _count_of(op: str, name: str, value: Any) -> int:
    """An int above 0; torch raises ValueError for what is none too."""
    try:
        return int_from(op, name, value, 1)
    except TypeError as error:
        raise ArgumentError(str(error)) from None
