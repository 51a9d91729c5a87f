"""Work on several devices in parallel: each function in its own thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from typing import Any

from gpukit import _core


def parallel(fns: Iterable[Callable[[], Any]], devices: Iterable[Any]) -> list[Any]:
    """Call each function in a thread with its device as the current one; wait for all of it.

    Returns when the functions and the work they queued on their devices are done. C++ calls run
    without the GIL, so the threads work at the same time. The caller's `no_grad` holds in them.

    Args:
        fns: Functions without arguments.
        devices: A device for each of them.

    Returns:
        The functions' results, in order.

    Raises:
        ValueError: The numbers of devices and functions differ.
        TypeError: A function that cannot be called.
        Exception: What the first failing function raised; the others are finished first.

    Example:
        >>> import gpukit
        >>> gpukit.parallel([lambda: 1, lambda: 2], ["cpu", "cpu"])
        [1, 2]
    """
    work, places = list(fns), [_core.device(d) for d in devices]
    if len(work) != len(places):
        raise ValueError(f"parallel: {len(work)} functions, but {len(places)} devices")
    for fn in work:
        if not callable(fn):
            raise TypeError(f"parallel: fns must be functions, got {fn!r}")
    jobs = [_Job(fn, place) for fn, place in zip(work, places, strict=True)]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()
    for job in jobs:
        if job.error is not None:
            raise job.error
    return [job.result for job in jobs]


class _Job(threading.Thread):
    """One function on one device."""

    def __init__(self, fn: Callable[[], Any], place: _core.device) -> None:
        super().__init__(name=f"gpukit-parallel-{place}", daemon=True)
        self.fn = fn
        self.place = place
        self.records = _core.is_grad_enabled()
        self.result: Any = None
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            _core.set_grad_mode(self.records)
            with _as_current(self.place):
                self.result = self.fn()
            _core.synchronize(self.place)
        except BaseException as error:  # raised again in the caller's thread
            self.error = error


def _as_current(place: _core.device) -> Any:
    """The device as this thread's current CUDA device; the CPU needs nothing."""
    if place.type != "cuda":
        return nullcontext()
    from gpukit import cuda

    return cuda.device(place)
