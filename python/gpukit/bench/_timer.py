"""d2l's habit, made honest: a stopwatch that waits for the device before it reads the clock."""

from __future__ import annotations

from time import perf_counter
from types import TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import Self


class timer:
    """Prints how long a block took, with the device's work in it.

    Args:
        name: printed before the time.
        device: the device to wait for; default every GPU in use, those of torch, CuPy and JAX too.

    Example:
        >>> import gpukit
        >>> with gpukit.bench.timer("sum") as t:  # doctest: +ELLIPSIS
        ...     _ = gpukit.ones(10).sum()
        sum: ... sec
        >>> t.seconds >= 0
        True
    """

    def __init__(self, name: str | None = None, device: Any = None) -> None:
        self.name = name
        self.device = device
        self.seconds: float | None = None

    def __enter__(self) -> Self:
        self._wait()
        self._begin = perf_counter()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None:
            return
        self._wait()
        self.seconds = perf_counter() - self._begin
        label = "" if self.name is None else f"{self.name}: "
        print(f"{label}{self.seconds:.4f} sec")  # noqa: T201

    def _wait(self) -> None:
        import gpukit
        from gpukit.bench.foreign import wait_for_arrays, wait_for_queues

        if self.device is not None:
            gpukit.synchronize(self.device)
            return
        wait_for_queues()
        wait_for_arrays()
        if gpukit.cuda.is_initialized():
            for index in range(gpukit.cuda.device_count()):
                gpukit.synchronize(gpukit.device("cuda", index))
