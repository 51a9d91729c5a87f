"""Batches for training: data sets, and a loader that prepares batches ahead."""

from __future__ import annotations

import importlib
import itertools
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from gpukit import _core
from gpukit._arguments import int_from
from gpukit._asserted import AssertedShapeError
from gpukit._core import Generator, Tensor
from gpukit._device import num_gpus
from gpukit._names.suggest import module_getattr
from gpukit.errors import ArgumentError, GpukitWarning
from gpukit.utils._ahead import ahead
from gpukit.utils._collate import default_collate, default_convert, of_kind
from gpukit.utils._datasets import (
    ChainDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    StackDataset,
)
from gpukit.utils._orders import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)
from gpukit.utils._pool import Pool, WorkerIterator, base_seed, check_context
from gpukit.utils._sampler import DistributedSampler
from gpukit.utils._worker import Job, fetched, get_worker_info, streamed

__all__ = [
    "BatchSampler",
    "ChainDataset",
    "ConcatDataset",
    "DataLoader",
    "Dataset",
    "DistributedSampler",
    "IterableDataset",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "StackDataset",
    "Subset",
    "SubsetRandomSampler",
    "TensorDataset",
    "WeightedRandomSampler",
    "default_collate",
    "default_convert",
    "get_worker_info",
    "random_split",
]


class TensorDataset(Dataset):
    """Samples that are rows of tensors: sample i is the tuple of the i-th rows.

    Args:
        tensors: Of one first size.

    Raises:
        ValueError: The first sizes differ, or there is no tensor.

    Example:
        >>> import gpukit
        >>> from gpukit.utils.data import TensorDataset
        >>> len(TensorDataset(gpukit.ones(5, 2), gpukit.zeros(5)))
        5
    """

    def __init__(self, *tensors: Tensor) -> None:
        if not tensors:
            raise ValueError("TensorDataset: at least one tensor is needed")
        for tensor in tensors:
            if not isinstance(tensor, Tensor):
                raise TypeError(
                    f"TensorDataset: tensors are needed, got {type(tensor).__name__}"
                    + _core.torch_advice(tensor)
                )
        sizes = [tensor.shape[0] if tensor.ndim else None for tensor in tensors]
        if None in sizes or len(set(sizes)) != 1:
            raise AssertedShapeError(f"TensorDataset: the first sizes must be equal, got {sizes}")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return int(self.tensors[0].shape[0])


def _check_dataset(function: str, dataset: Any) -> None:
    kind = type(dataset)
    if not (hasattr(kind, "__getitem__") and hasattr(kind, "__len__")):
        raise TypeError(
            f"{function}: dataset must have len() and numbers as indices, got {dataset!r:.80} "
            f"({kind.__name__})"
        )


class Subset(Dataset):
    """Some samples of a data set, by number.

    Example:
        >>> from gpukit.utils.data import Subset
        >>> Subset(["a", "b", "c"], [2, 0])[0]
        'c'
    """

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, index: Any) -> Any:
        return self.dataset[self.indices[index]]

    def __len__(self) -> int:
        return len(self.indices)


def random_split(
    dataset: Any, lengths: Sequence[float], generator: Generator | None = None
) -> list[Subset]:
    """Cut a data set into parts at random.

    Args:
        dataset: Anything with `len()` and numbers as indices.
        lengths: Numbers of samples, or shares that sum to 1.
        generator: Where the order comes from.

    Raises:
        ValueError: The lengths do not sum to the number of samples.

    Example:
        >>> from gpukit.utils.data import random_split
        >>> [len(part) for part in random_split(list(range(10)), [0.8, 0.2])]
        [8, 2]
    """
    _check_dataset("random_split", dataset)
    total = len(dataset)
    sizes = [int(n) for n in lengths]
    if abs(sum(lengths) - 1) < 1e-6 and all(0 <= n <= 1 for n in lengths):
        sizes = [int(total * share) for share in lengths]
        for number in range(total - sum(sizes)):
            sizes[number % len(sizes)] += 1
    if sum(sizes) != total:
        raise ValueError(
            f"random_split: lengths sum to {sum(sizes)}, but there are {total} samples"
        )
    order = _core.randperm(total, generator=generator).tolist()
    ends = [sum(sizes[: i + 1]) for i in range(len(sizes))]
    return [Subset(dataset, order[end - size : end]) for size, end in zip(sizes, ends, strict=True)]


# What the order and the workers are made of; torch refuses the same names.
_FIXED = frozenset(
    {"batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers"}
)


class DataLoader:
    """Goes through a data set in batches, which a thread prepares ahead.

    Args:
        dataset: Anything with `len()` and numbers as indices, or an IterableDataset.
        batch_size: Samples a batch; None gives samples one by one.
        shuffle: A new order each time, from `generator` or the process's.
        sampler: Numbers of samples in the order wanted, as DistributedSampler's; None means all.
        batch_sampler: Lists of numbers, a batch each; in place of batch_size, shuffle, sampler and
            drop_last.
        num_workers: Processes that prepare batches, which come through shared memory; 0 leaves
            it to a thread of this process.
        collate_fn: Makes a batch of a list of samples; by default `default_collate`, and
            `default_convert` without batches.
        pin_memory: Batches in page-locked memory, which GPUs read faster; without a GPU a warning.
        drop_last: Leave out a last batch that is not full.
        timeout: Seconds to wait for a worker's batch; 0 waits for ever.
        worker_init_fn: Called in each worker with its number, before it makes batches.
        multiprocessing_context: How workers start: "spawn", "forkserver" or "fork", or a context of
            multiprocessing. None is "spawn", and "fork" for what cannot be sent to a new process,
            as long as the GPU driver was not started.
        generator: Where the order comes from, and the seeds of the workers.
        prefetch_factor: Batches that each worker prepares ahead; None is 2.
        persistent_workers: Keep the workers for the next iteration.
        pin_memory_device: Not used.
        in_order: Accepted for compatibility with PyTorch: batches come in order in any case.
        device: Where batches are put; None leaves them where they are.
        prefetch: Batches prepared ahead without workers; 0 prepares each when it is asked for,
            without a thread.

    Raises:
        ValueError: A number is out of range, or arguments exclude each other; while iterating, a
            data set cannot be sent to a worker.
        RuntimeError: While iterating: a worker was killed, has ended, or took longer than timeout.

    Example:
        >>> import gpukit
        >>> from gpukit.utils.data import DataLoader, TensorDataset
        >>> loader = DataLoader(TensorDataset(gpukit.arange(5)), batch_size=2)
        >>> [batch.tolist() for (batch,) in loader]
        [[0, 1], [2, 3], [4]]
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = False,
        sampler: Any = None,
        batch_sampler: Any = None,
        num_workers: int = 0,
        collate_fn: Callable[[list[Any]], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,
        multiprocessing_context: Any = None,
        generator: Generator | None = None,
        *,
        prefetch_factor: Any = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
        device: Any = None,
        prefetch: int = 2,
    ) -> None:
        del in_order
        self._iterable = isinstance(dataset, IterableDataset)
        if not self._iterable:
            _check_dataset("DataLoader", dataset)
        _check_orders(self._iterable, batch_size, shuffle, sampler, batch_sampler, drop_last)
        self.dataset = dataset
        self.batch_size = _batch_size_of(batch_size) if batch_sampler is None else None
        self.shuffle = bool(shuffle)
        self._sampler, self._batch_sampler = sampler, batch_sampler
        self.num_workers = int_from("DataLoader", "num_workers", num_workers, 0)
        ahead_of_each = _ahead_of_each(prefetch_factor, self.num_workers)
        _check_workers(self.num_workers, timeout, persistent_workers)
        self.collate_fn = collate_fn or (default_collate if self._batched else default_convert)
        self.pin_memory = pin_memory and _can_pin()
        self.drop_last = drop_last
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = check_context(multiprocessing_context, self.num_workers)
        self.generator = generator
        self.prefetch_factor = ahead_of_each
        self.persistent_workers = persistent_workers
        self.pin_memory_device = pin_memory_device
        self.device = None if device is None else _core.device(device)
        self.prefetch = int_from("DataLoader", "prefetch", prefetch, 0)
        self._pool: Pool | None = None
        self.sampler, self.batch_sampler = self._orders()

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _FIXED and "batch_sampler" in self.__dict__:  # the last one that is set
            kind = type(self).__name__
            raise ArgumentError(
                f"{name} attribute should not be set after {kind} is initialized: the order is "
                f"made. Make a new {kind} with {name}="
            )
        super().__setattr__(name, value)

    def _orders(self) -> tuple[Any, Any]:
        """The samplers that were given, else those that say what this loader does."""
        sampler, batches = self._sampler, self._batch_sampler
        if sampler is None and not self._iterable:
            drawn = RandomSampler(self.dataset, generator=self.generator) if self.shuffle else None
            sampler = drawn or SequentialSampler(self.dataset)
        if batches is None and sampler is not None and self.batch_size is not None:
            batches = BatchSampler(sampler, self.batch_size, bool(self.drop_last))
        return sampler, batches

    def __len__(self) -> int:
        if self._batch_sampler is not None:
            return len(self._batch_sampler)
        samples = len(self.dataset if self._sampler is None else self._sampler)
        if self.batch_size is None:
            return samples
        return samples // self.batch_size if self.drop_last else -(-samples // self.batch_size)

    def __iter__(self) -> Iterator[Any]:
        if self.num_workers:
            return self._by_workers()
        batches = map(self._moved, self._batches())
        return batches if self.prefetch == 0 else ahead(batches, self.prefetch)

    def _order(self) -> Tensor:
        if self._sampler is not None:
            return _core.tensor(list(self._sampler), dtype=_core.int64)
        samples = len(self.dataset)
        if self.shuffle:
            return _core.randperm(samples, generator=self.generator)
        return _core.arange(samples)

    @property
    def _batched(self) -> bool:
        return self.batch_size is not None or self._batch_sampler is not None

    def _by_workers(self) -> Iterator[Any]:
        """The batches of worker processes."""
        seed = base_seed(self.generator)
        pool = self._pool
        if pool is None or not pool.stop.alive:
            job = Job(
                self.dataset,
                self._iterable,
                self._batched,
                self.batch_size,
                self.drop_last,
                self.collate_fn,
                self.worker_init_fn,
                self.num_workers,
            )
            pool = Pool(job, self.multiprocessing_context, seed)
        self._pool = pool if self.persistent_workers else None
        ahead_of_each = self.prefetch_factor or 2
        return WorkerIterator(pool, self._places(), ahead_of_each, self.timeout, self._moved)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_pool": None}

    def _places(self) -> Iterator[Any]:
        """The numbers of each batch's samples."""
        if self._iterable:
            yield from itertools.repeat(None)
        if self._batch_sampler is not None:
            yield from self._batch_sampler
            return
        places = iter(self._order().tolist() if self._sampler is None else self._sampler)
        size = self.batch_size
        if size is None:
            yield from places
            return
        while batch := list(itertools.islice(places, size)):
            if len(batch) == size or not self.drop_last:
                yield batch

    def _batches(self) -> Iterator[Any]:
        if self._iterable:
            return streamed(self.dataset, self.batch_size, self.drop_last, self.collate_fn)
        if self._batch_sampler is not None or self.batch_size is None:
            return map(self._batch, self._places())
        return self._in_order(self._order(), self.batch_size)

    def _in_order(self, order: Tensor, size: int) -> Iterator[Any]:
        tensors = self.collate_fn is default_collate and type(self.dataset) is TensorDataset
        random = self.shuffle or self._sampler is not None
        for number in range(len(self)):
            places = order[number * size : (number + 1) * size]
            if tensors:  # neighbours in an order that is not random are a view
                yield [_rows(tensor, places, random) for tensor in self.dataset.tensors]
            else:
                yield self._batch(places.tolist())

    def _batch(self, places: Any) -> Any:
        return fetched(self.dataset, places, self._batched, self.collate_fn)

    def _moved(self, batch: Any) -> Any:
        if isinstance(batch, Tensor):
            pinned = batch.pin_memory() if self.pin_memory and batch.is_cpu else batch
            return pinned if self.device is None else pinned.to(self.device, non_blocking=True)
        if isinstance(batch, Mapping):
            return of_kind(batch, {key: self._moved(value) for key, value in batch.items()})
        if isinstance(batch, tuple) and hasattr(batch, "_fields"):
            return type(batch)(*(self._moved(value) for value in batch))
        if isinstance(batch, (tuple, list)):
            return type(batch)(self._moved(value) for value in batch)
        return batch


def _ahead_of_each(prefetch_factor: Any, workers: int) -> int | None:
    """How many batches each worker prepares ahead; None without workers."""
    if prefetch_factor is None:
        return 2 if workers else None
    if workers == 0:
        raise ArgumentError(
            "prefetch_factor option could only be specified in multiprocessing. Give num_workers "
            "> 0, or leave prefetch_factor out; prefetch= is for the thread."
        )
    return int_from("DataLoader", "prefetch_factor", prefetch_factor, 1)


def _check_workers(workers: int, timeout: float, persistent: bool) -> None:
    """Raise ValueError for options of workers that do not fit."""
    if timeout < 0:
        raise ArgumentError(f"timeout option should be non-negative, got {timeout}")
    if persistent and workers == 0:
        raise ArgumentError("persistent_workers option needs num_workers > 0")


def _batch_size_of(value: Any) -> int | None:
    if value is None:
        return None
    try:
        return int_from("DataLoader", "batch_size", value, 1)
    except TypeError as error:  # torch's is a ValueError
        raise ArgumentError(str(error)) from None


def _check_orders(
    iterable: bool, batch_size: Any, shuffle: Any, sampler: Any, batch_sampler: Any, drop_last: bool
) -> None:
    """Raise ValueError for two orders at once."""
    if iterable and (shuffle or sampler is not None or batch_sampler is not None):
        raise ArgumentError(
            "DataLoader: an IterableDataset has its own order; leave out shuffle, sampler and "
            "batch_sampler"
        )
    if shuffle and sampler is not None:
        raise ArgumentError("DataLoader: shuffle=True and a sampler are two orders. Give one")
    if batch_sampler is not None and (
        batch_size != 1 or shuffle or sampler is not None or drop_last
    ):
        raise ArgumentError(
            "DataLoader: batch_sampler is in place of batch_size, shuffle, sampler and drop_last; "
            "leave those out"
        )
    if batch_sampler is None and batch_size is None and drop_last:
        raise ArgumentError("DataLoader: batch_size=None makes no batches; leave out drop_last")


def _can_pin() -> bool:
    """Whether there is a GPU for which memory could be pinned; where there is none, say so."""
    if num_gpus() > 0:
        return True
    warnings.warn(
        "DataLoader: pin_memory=True does nothing here, for there is no usable GPU.",
        GpukitWarning,
        stacklevel=3,
    )
    return False


def _rows(tensor: Tensor, places: Tensor, shuffled: bool) -> Tensor:
    """Rows in an order; those in their own order are a view."""
    if shuffled:
        return tensor.index_select(0, places.to(tensor.device))
    return tensor.narrow(0, int(places[0].item()), places.shape[0])


_PLACES = ("dataloader", "dataset", "distributed", "sampler")  # torch's, of the names above
_no_attribute = module_getattr(__name__)


def __getattr__(name: str) -> Any:
    if name in _PLACES:  # they take the names from here, so they come after it
        return importlib.import_module(f"{__name__}.{name}")
    return _no_attribute(name)
