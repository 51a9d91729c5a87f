"""What a worker process of a DataLoader does."""

from __future__ import annotations

import contextlib
import itertools
import multiprocessing
import os
import pickle
import random
import signal
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import connection as connections
from multiprocessing.connection import Connection
from typing import Any, NoReturn

from gpukit import _core
from gpukit.utils import _messages

_CHECK_SECONDS = 5.0


@dataclass(frozen=True)
class WorkerInfo:
    """What `get_worker_info()` gives in a worker."""

    id: int
    num_workers: int
    seed: int
    dataset: Any


@dataclass(frozen=True)
class Job:
    """What a worker is given when it starts."""

    dataset: Any
    iterable: bool
    batched: bool
    batch_size: int | None
    drop_last: bool
    collate: Callable[[Any], Any]
    init: Callable[[int], Any] | None
    num_workers: int


_info: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """Return in a worker process its `id`, `num_workers`, `seed` and `dataset`; elsewhere None.

    Returns:
        An IterableDataset uses it to give each worker its share of the samples.

    Example:
        >>> from gpukit.utils.data import get_worker_info
        >>> get_worker_info() is None
        True
    """
    return _info


class Failure:
    """An exception of a worker, with its traceback as text."""

    def __init__(self, error: BaseException, where: str) -> None:
        self.kind = type(error)
        self.text = "".join(traceback.format_exception(error))
        self.where = where
        with contextlib.suppress(Exception):
            if pickle.loads(pickle.dumps(self.kind)) is self.kind:
                return
        self.kind = RuntimeError

    def reraise(self) -> NoReturn:
        """Raise an exception of the same class."""
        text = f"Caught {self.kind.__name__} {self.where}.\nOriginal {self.text}"
        if self.kind is KeyError:
            raise KeyError(_PlainText(text))
        try:
            error = self.kind(text)
        except Exception:  # its constructor takes something else
            raise RuntimeError(text) from None
        raise error


class _PlainText(str):
    """Text that a KeyError shows with its line ends."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def batches_of(job: Job) -> Callable[[Any], Any]:
    """A function that makes the batch of some numbers of samples."""
    if not job.iterable:
        return lambda places: fetched(job.dataset, places, job.batched, job.collate)
    batches = streamed(job.dataset, job.batch_size, job.drop_last, job.collate)
    return lambda _places: next(batches)


def fetched(dataset: Any, places: Any, batched: bool, collate: Callable[[Any], Any]) -> Any:
    """The batch of some numbers, or the sample of one."""
    if not batched:
        return collate(dataset[places])
    if getattr(dataset, "__getitems__", None):
        return collate(dataset.__getitems__(places))
    return collate([dataset[place] for place in places])


def streamed(
    dataset: Any, size: int | None, drop_last: bool, collate: Callable[[Any], Any]
) -> Iterator[Any]:
    """The batches of an IterableDataset."""
    samples = iter(dataset)
    if size is None:
        yield from map(collate, samples)
        return
    while batch := list(itertools.islice(samples, size)):
        if len(batch) == size or not drop_last:
            yield collate(batch)


def run_worker(
    connection: Connection,
    number: int,
    seed: int,
    job: Job | None,
    inherited: Sequence[Connection],
) -> None:
    """Make batches until the loader ends, or its process does. `job` is None if it is sent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that waits for us
    for other in inherited:  # a fork has the loader's ends: its end would not be noticed
        other.close()
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        _serve(connection, number, seed, job)


def _serve(connection: Connection, number: int, seed: int, job: Job | None) -> None:
    global _info
    where, loader = f"in DataLoader worker process {number}", os.getppid()
    failure: Failure | None = None
    fetch: Callable[[Any], Any] | None = None
    try:
        given: Job = _messages.receive(connection) if job is None else job
        _core.set_num_threads(1)
        _seed(seed)
        _info = WorkerInfo(number, given.num_workers, seed, given.dataset)
        if given.init is not None:
            given.init(number)
    except EOFError:
        raise
    except Exception as error:
        failure = Failure(error, where)
    while (message := _next_message(connection, loader)) is not None:
        epoch, index, places = message
        if index < 0:  # a new epoch
            fetch = None
            continue
        answer: Any = failure
        ended = False
        if failure is None:
            try:
                fetch = fetch or batches_of(given)
                answer = fetch(places)
            except StopIteration as error:  # of an IterableDataset: it has no more samples
                ended = given.iterable
                answer = None if ended else Failure(error, where)
            except Exception as error:
                answer = Failure(error, where)
        _answer(connection, (epoch, index, ended, answer), where)
        del answer


def _seed(seed: int) -> None:
    """Give each generator of the process its own state, as torch's workers do."""
    _core.manual_seed(seed)
    random.seed(seed)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed([seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF])


def _next_message(connection: Connection, loader: int) -> Any:
    """The next task; None if the loader's process is gone."""
    parent = multiprocessing.parent_process()
    watched: list[Any] = [connection] if parent is None else [connection, parent.sentinel]
    while True:
        ready = connections.wait(watched, _CHECK_SECONDS)
        if connection in ready:
            return _messages.receive(connection)
        if ready or os.getppid() != loader:
            return None


def _answer(connection: Connection, message: Any, where: str) -> None:
    try:
        packed = _messages.Packed(message)
    except Exception as error:  # a batch that cannot be pickled
        packed = _messages.Packed((*message[:3], Failure(error, where)))
    try:
        packed.send(connection)
    finally:
        packed.close()
