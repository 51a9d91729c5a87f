"""The handle of an operation that runs in the background."""

from __future__ import annotations

import threading

from gpukit import _traffic
from gpukit.errors import DistributedError


class Work:
    """An operation that was begun with `async_op=True`, `isend` or `irecv`.

    The tensors must not be used until `wait()` has returned.

    Example:
        >>> import gpukit.distributed as dist
        >>> import gpukit
        >>> dist.init_process_group("mpi")
        >>> work = dist.all_reduce(gpukit.ones(2), async_op=True)
        >>> work.wait()
        True
        >>> dist.destroy_process_group()
    """

    def __init__(self, description: str, size: int = 0) -> None:
        self._description = description
        self._bytes = size
        self._done = threading.Event()
        self._error: BaseException | None = None
        self._source = -1

    def finish(self, error: BaseException | None = None) -> None:
        """Called once, by the thread that does the work."""
        self._error = error
        self._done.set()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until it is done; raise what went wrong.

        Args:
            timeout: seconds or a timedelta, at most; None means forever.

        Raises:
            DistributedError: it is not done in time, or it failed.
        """
        seconds = getattr(timeout, "total_seconds", lambda: timeout)()
        with _traffic.timed(self._description, self._bytes):
            is_done = self._done.wait(seconds)
        if not is_done:
            raise DistributedError(f"wait: {self._description} is not done after {seconds:g} s")
        if self._error is not None:
            raise self._error
        return True

    def is_completed(self) -> bool:
        """Whether it has ended, well or not."""
        return self._done.is_set()

    def is_success(self) -> bool:
        """Whether it has ended well."""
        return self._done.is_set() and self._error is None

    def exception(self) -> BaseException | None:
        """What went wrong, once it has ended."""
        return self._error

    def set_source(self, rank: int) -> None:
        """Called before finish(), by irecv."""
        self._source = rank

    def source_rank(self) -> int:
        """Of irecv: who sent it; -1 before it has arrived."""
        return self._source


def done(description: str) -> Work:
    """Work that needed nothing."""
    work = Work(description)
    work.finish()
    return work
