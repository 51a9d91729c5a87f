"""gpukit.DeviceLog: values kept on the device while they are made, fetched in one copy."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from gpukit import _core
from gpukit._arguments import int_from
from gpukit._tensors.transfer import TransferFuture
from gpukit.errors import LogFullError, ShapeError

if TYPE_CHECKING:
    import numpy as np

_POLICIES = ("grow", "ring", "error")


class DeviceLog:
    """A log on a device: `append` never waits, `flush` is one asynchronous copy.

    Reading a loss with `.item()` at each step makes Python wait for the GPU each time. Appended
    to a log it stays where it is, and a thousand of them come back in one copy.

    Args:
        capacity: rows of the buffer, at least 1.
        width: numbers a row, at least 1.
        dtype: dtype of the numbers, float32 by default.
        device: where the log is; the default device when None.
        policy: what happens when it is full: "grow" doubles the buffer on the device, "ring"
            overwrites the oldest rows, "error" raises LogFullError (which is an IndexError too).

    Example:
        >>> import gpukit
        >>> log = gpukit.DeviceLog(capacity=2)
        >>> for step in range(3):
        ...     log.append(gpukit.tensor(float(step)))
        >>> log.numpy().tolist()
        [0.0, 1.0, 2.0]
    """

    def __init__(
        self,
        capacity: int = 1024,
        width: int = 1,
        *,
        dtype: Any = None,
        device: Any = None,
        policy: str = "grow",
    ) -> None:
        capacity = int_from("DeviceLog", "capacity", capacity, 1)
        width = int_from("DeviceLog", "width", width, 1)
        if policy not in _POLICIES:
            known = ", ".join(_POLICIES)
            raise ValueError(f"DeviceLog: policy must be one of {known}, got {policy!r}")
        self._width = width
        self._policy = policy
        # Nothing is read before it was written: no kernel fills it.
        self._buffer = _core.empty(capacity, width, dtype=dtype or _core.float32, device=device)
        self._flat = self._buffer.reshape(-1)
        self._count = 0
        self._news = threading.Condition()

    @property
    def capacity(self) -> int:
        """Rows of the buffer."""
        return int(self._buffer.shape[0])

    def append(self, value: Any, *more: Any) -> None:
        """Add a row: `width` numbers or tensors of one element. Never waits for the device.

        Args:
            value: A number or a tensor of one element.
            *more: The other columns, in the same form.

        Raises:
            ShapeError: It is not one value for each column, or one has more elements.
            LogFullError: The log is full and its policy is "error".
        """
        values = (value, *more)
        if len(values) != self._width:
            raise ShapeError(
                f"DeviceLog.append: {len(values)} values for {self._width} columns; "
                f"give {self._width} or make the log with width={len(values)}"
            )
        for column, entry in enumerate(values):
            if isinstance(entry, _core.Tensor) and entry.numel() != 1:
                raise ShapeError(
                    f"DeviceLog.append: value {column} has {entry.numel()} elements "
                    f"(shape {tuple(entry.shape)}); reduce it first, e.g. with .mean()"
                )
        first = self._next_row() * self._width  # first: it may grow the buffer
        for column, entry in enumerate(values):
            self._store(self._flat[first + column], entry)
        with self._news:
            self._count += 1
            self._news.notify_all()

    def _next_row(self) -> int:
        if self._count >= self.capacity:
            if self._policy == "error":
                raise LogFullError(
                    f"DeviceLog.append: the log is full ({self.capacity} rows). Use a larger "
                    "capacity, policy='grow' or policy='ring', or clear() it"
                )
            if self._policy == "grow":
                self._grow()
        return self._count % self.capacity

    def _grow(self) -> None:
        old = self._buffer
        self._buffer = _core.empty(
            2 * old.shape[0], self._width, dtype=old.dtype, device=old.device
        )
        self._flat = self._buffer.reshape(-1)
        self._buffer[: old.shape[0]].copy_(old)

    @staticmethod
    def _store(place: _core.Tensor, entry: Any) -> None:
        if isinstance(entry, _core.Tensor):
            value = entry.detach()
            place.copy_(value if value.ndim == 0 else value.reshape(()), non_blocking=True)
        else:
            place.fill_(entry)

    def flush(self) -> TransferFuture[_core.Tensor]:
        """Return a future of all rows on the CPU, oldest first: one non-blocking copy.

        Its result has the shape (rows,), or (rows, width) when width is not 1. The log keeps its
        rows; `clear` drops them.
        """
        # Rows that are appended meanwhile may overwrite the buffer's.
        return TransferFuture(self._ordered().clone().to("cpu", non_blocking=True))

    def _ordered(self) -> _core.Tensor:
        """All rows, oldest first; the buffer's own memory where their order allows it."""
        rows = self._buffer[: min(self._count, self.capacity)]
        oldest = self._count % self.capacity if self._count > self.capacity else 0
        if oldest:
            rows = _core.cat([rows[oldest:], rows[:oldest]])
        return rows[:, 0] if self._width == 1 else rows

    def numpy(self) -> np.ndarray[Any, Any]:
        """Return all rows, oldest first, as a new NumPy array. Waits for them."""
        rows = self._ordered()
        array: np.ndarray[Any, Any]
        array = rows.cpu().numpy() if rows.device.type == "cuda" else rows.clone().numpy()
        return array

    def clear(self) -> None:
        """Forget all rows; the buffer stays."""
        self._count = 0

    def __len__(self) -> int:
        return self._count if self._policy != "ring" else min(self._count, self.capacity)

    def __repr__(self) -> str:
        return (
            f"<gpukit.DeviceLog {len(self)} of {self.capacity} rows, width {self._width}, "
            f"{self._buffer.device}, policy {self._policy!r}>"
        )

    @contextmanager
    def live(self, every: int = 100, print_fn: Callable[[Any], Any] = print) -> Iterator[DeviceLog]:
        """Print every `every`-th row from a thread at the side while the block runs.

        `print_fn` gets the row: a number when the width is 1, else a list. Neither the block nor
        `append` waits for it. An exception of `print_fn` is raised at the end of the block.

        Args:
            every: How many rows apart, 1 or more.
            print_fn: A function of the row.

        Raises:
            ValueError: every is below 1.
        """
        every = int_from("DeviceLog.live", "every", every, 1)
        printer = _Printer(self, every, print_fn, self._stream())
        printer.start()
        try:
            yield self
        finally:
            printer.finish()

    def _stream(self) -> _core.Stream | None:
        """The stream that appends; None on the CPU."""
        device = self._buffer.device
        return _core.current_stream(device) if device.type == "cuda" else None


class _Printer(threading.Thread):
    """Prints rows of a log as they come."""

    def __init__(
        self,
        log: DeviceLog,
        every: int,
        print_fn: Callable[[Any], Any],
        stream: _core.Stream | None,
    ) -> None:
        super().__init__(name="gpukit-devicelog", daemon=True)
        self._log = log
        self._every = every
        self._print = print_fn
        self._stream = stream
        self._next = len(log) + every
        self._done = False
        self._failure: BaseException | None = None

    def run(self) -> None:
        from gpukit.cuda import stream

        try:
            with stream(self._stream):
                while self._wait_for_row():
                    self._print_row()
        except BaseException as error:
            self._failure = error

    def _wait_for_row(self) -> bool:
        """Wait for the next row; False if the block ended first."""
        news = self._log._news  # noqa: SLF001
        with news:
            news.wait_for(lambda: self._done or self._log._count >= self._next)  # noqa: SLF001
            return self._log._count >= self._next  # noqa: SLF001

    def _print_row(self) -> None:
        log = self._log
        row = log._buffer[(self._next - 1) % log.capacity]  # noqa: SLF001
        values = row.to("cpu", non_blocking=True).tolist()
        self._print(values[0] if len(values) == 1 else values)
        self._next += self._every

    def finish(self) -> None:
        with self._log._news:  # noqa: SLF001
            self._done = True
            self._log._news.notify_all()  # noqa: SLF001
        self.join()
        if self._failure is not None:
            raise self._failure
