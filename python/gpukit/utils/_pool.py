"""The worker processes of a DataLoader, and the iterator that goes through their batches."""

from __future__ import annotations

import contextlib
import itertools
import multiprocessing
import os
import signal
import sys
import threading
import time
import types
import weakref
from collections.abc import Callable, Iterator
from multiprocessing import connection as connections
from multiprocessing.connection import Connection
from typing import Any

from gpukit import _core
from gpukit._core import Generator
from gpukit.errors import ArgumentError
from gpukit.utils import _messages
from gpukit.utils._worker import Failure, Job, run_worker

_hiding = threading.Lock()
_END_SECONDS = 1.0  # that a worker has for the sample it is at, when the loader ends


class Pool:
    """Worker processes. They end with it, with the process, and on `stop`."""

    def __init__(self, job: Job, context: Any, seed: int) -> None:
        context, packed = _start_method(job, context)
        unneeded_main = packed is not None and not packed.mentions(b"__main__")
        self.epoch = 0
        self.processes: list[Any] = []
        self.ends: list[Connection] = []
        self.stop = weakref.finalize(self, _stop, os.getpid(), self.processes, self.ends)
        try:
            for number in range(job.num_workers):
                ours, theirs = context.Pipe()
                by_fork = (None, ()) if packed else (job, (*self.ends, ours))
                process = context.Process(
                    target=run_worker,
                    args=(theirs, number, seed + number, *by_fork),
                    daemon=True,
                    name=f"gpukit-data-{number}",
                )
                with _main_hidden() if unneeded_main else contextlib.nullcontext():
                    process.start()
                theirs.close()
                self.processes.append(process)
                self.ends.append(ours)
                if packed is not None:
                    with contextlib.suppress(OSError):  # it has ended: seen by receive()
                        packed.send(ours)
        except BaseException:
            self.stop()
            raise
        finally:
            if packed is not None:
                packed.close()

    def send(self, number: int, message: Any) -> None:
        """Give a worker a message. Whether it has ended is seen when its answer is waited for."""
        with contextlib.suppress(OSError):
            _messages.send(self.ends[number], message)

    def receive(self, numbers: set[int], timeout: float) -> tuple[int, Any]:
        """The next message of one of some workers, with its number.

        Raises:
            RuntimeError: None came in time, or a worker has ended.
        """
        by_end: dict[Any, int] = {self.ends[n]: n for n in numbers}
        by_sentinel: dict[Any, int] = {self.processes[n].sentinel: n for n in numbers}
        ready = connections.wait([*by_end, *by_sentinel], timeout or None)
        if not ready:
            raise RuntimeError(
                f"DataLoader timed out after {timeout} seconds. Give it a larger timeout, or find "
                "what the data set waits for."
            )
        for end in ready:
            if end in by_end:
                try:
                    return by_end[end], _messages.receive(self.ends[by_end[end]])
                except (EOFError, ConnectionResetError):
                    self.raise_death(by_end[end])
        self.raise_death(by_sentinel[ready[0]])
        raise AssertionError  # not reached

    def raise_death(self, number: int) -> None:
        """Raise the error for a worker that has ended by itself."""
        process = self.processes[number]
        process.join(_END_SECONDS)
        code = process.exitcode
        if code is not None and code < 0:
            name = signal.strsignal(-code) or str(-code)
            raise RuntimeError(
                f"DataLoader worker (pid {process.pid}) is killed by signal: {name}. If the system "
                "ran out of memory, use fewer workers, smaller batches or a smaller "
                "prefetch_factor; in a container, give it more memory and shared memory "
                "(docker run --shm-size=8g). num_workers=0 shows errors of the data set itself."
            )
        raise RuntimeError(
            f"DataLoader worker (pid {process.pid}) exited unexpectedly with exit code {code}. "
            "A worker imports the main module again: its code that starts the training must be "
            "under if __name__ == '__main__':. If it is, num_workers=0 shows errors of the data "
            "set itself."
        )


def _stop(owner: int, processes: list[Any], ends: list[Connection]) -> None:
    """End workers: those that do not end by themselves soon are terminated."""
    if os.getpid() != owner:  # a fork of the process: they are not its children
        return
    for end in ends:
        with contextlib.suppress(OSError):  # it has ended
            _messages.send(end, None)
        end.close()
    limit = time.monotonic() + _END_SECONDS
    for process in processes:
        process.join(max(0.0, limit - time.monotonic()))
        if process.is_alive():
            process.terminate()
            process.join()
    processes.clear()
    ends.clear()


def check_context(context: Any, num_workers: int) -> Any:
    """A context of multiprocessing, or None for the one that suits.

    Raises:
        ValueError: There are no workers, or no start method has that name.
        TypeError: It is something else.
    """
    if context is None:
        return None
    if num_workers == 0:
        raise ArgumentError(
            "multiprocessing_context can only be used with multi-process loading (num_workers > "
            f"0), but got num_workers={num_workers}"
        )
    if isinstance(context, str):
        valid = multiprocessing.get_all_start_methods()
        if context not in valid:
            raise ArgumentError(
                "multiprocessing_context option should specify a valid start method in "
                f"{valid!r}, but got multiprocessing_context={context!r}"
            )
        return multiprocessing.get_context(context)
    if not isinstance(context, multiprocessing.context.BaseContext):
        raise TypeError(
            "multiprocessing_context option should be a valid context object or a string "
            f"specifying the start method, but got multiprocessing_context={context}"
        )
    return context


def _start_method(job: Job, context: Any) -> tuple[Any, _messages.Packed | None]:
    """How workers start, with the job in shared memory unless they are forked.

    New processes by default: threads, locks and the GPU driver stay out of them. A job that cannot
    be sent goes by fork, where that is safe.
    """
    may_fork = "fork" in multiprocessing.get_all_start_methods()
    if context is not None and context.get_start_method() == "fork":
        if _core.session_is_open():
            raise RuntimeError(
                "DataLoader: multiprocessing_context='fork' after the GPU driver was started: a "
                "forked child cannot use it. Leave the argument out, or begin to iterate before "
                "the first use of a GPU."
            )
        return context, None
    packed, reason, advice = None, "", "Move what it names to the top level of a module"
    try:
        packed = _messages.Packed(job)
        if context is None and packed.mentions(b"__main__") and not _main_can_be_imported():
            packed.close()
            packed, reason = None, "its classes are in a main program that cannot be imported"
            advice = "Write them into a file and import it"
    except Exception as error:  # whatever pickling a data set of the user raises
        reason = f"it cannot be pickled ({error})"
    if packed is not None:
        return context or multiprocessing.get_context("spawn"), packed
    if context is None and may_fork and not _core.session_is_open():
        return multiprocessing.get_context("fork"), None
    also = "" if _core.session_is_open() else ", pass multiprocessing_context='fork'"
    raise ArgumentError(
        f"DataLoader: num_workers={job.num_workers} sends the data set, collate_fn and "
        f"worker_init_fn to new processes, and {reason}. {advice}{also}, or use num_workers=0."
    )


@contextlib.contextmanager
def _main_hidden() -> Iterator[None]:
    """Where nothing that is sent is of the main program, a new process need not run it again."""
    with _hiding:
        main = sys.modules["__main__"]
        sys.modules["__main__"] = types.ModuleType("__main__")
        try:
            yield
        finally:
            sys.modules["__main__"] = main


def _main_can_be_imported() -> bool:
    """Whether a new process can import the main program: not that of a notebook or of -c."""
    main = sys.modules.get("__main__")
    return getattr(main, "__spec__", None) is not None or hasattr(main, "__file__")


def base_seed(generator: Generator | None) -> int:
    """What the seeds of the workers count from: a number of the loader's generator."""
    return int(_core.randint(0, 2**63 - 1, (), generator=generator).item())


class WorkerIterator:
    """Batches of worker processes, in order."""

    def __init__(
        self,
        pool: Pool,
        places: Iterator[Any],
        prefetch: int,
        timeout: float,
        finish: Callable[[Any], Any],
    ) -> None:
        self._pool = pool
        self._places = places
        self._timeout = timeout
        self._finish = finish
        pool.epoch += 1
        self._epoch = pool.epoch
        count = len(pool.processes)
        for number in range(count):
            pool.send(number, (self._epoch, -1, None))
        self._turns = itertools.cycle(range(count))
        self._open = set(range(count))  # workers that have more samples
        self._worker_of: dict[int, int] = {}  # batches that were asked for
        self._arrived: dict[int, tuple[bool, Any]] = {}
        self._sent = self._next = 0
        for _ in range(prefetch * count):
            self._ask()

    def __iter__(self) -> WorkerIterator:
        return self

    def __next__(self) -> Any:
        if self._epoch != self._pool.epoch:
            raise RuntimeError(
                "DataLoader: with persistent_workers=True a later iteration took the workers of "
                "this one"
            )
        while self._next < self._sent:
            ended, batch = self._batch(self._next)
            self._next += 1
            if ended:
                continue
            self._ask()
            if isinstance(batch, Failure):
                batch.reraise()
            return self._finish(batch)
        raise StopIteration

    def _ask(self) -> None:
        """Ask for one more batch, of the next worker that has samples."""
        if not self._open:
            return
        try:
            places = next(self._places)
        except StopIteration:
            return
        number = next(turn for turn in self._turns if turn in self._open)
        self._worker_of[self._sent] = number
        self._pool.send(number, (self._epoch, self._sent, places))
        self._sent += 1

    def _batch(self, index: int) -> tuple[bool, Any]:
        """A batch that was asked for; True if its worker had no more samples instead."""
        while index not in self._arrived:
            waited = set(self._worker_of.values())
            number, (epoch, found, ended, batch) = self._pool.receive(waited, self._timeout)
            if epoch != self._epoch:
                continue  # asked for by an iteration that was left early
            del self._worker_of[found]
            if ended and number in self._open:
                self._open.discard(number)
                self._ask()
            self._arrived[found] = (ended, batch)
        return self._arrived.pop(index)
