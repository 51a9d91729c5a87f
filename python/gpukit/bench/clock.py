"""One sample of a function's time on a device, taken so that it means what it says."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Protocol

import gpukit

# Two events with nothing between them are this far apart at most; less is not a time of work.
EVENT_RESOLUTION = 1e-6
_FLUSHED_ON_CPU = 128 << 20


@dataclass(frozen=True)
class Sample:
    """Times of one sample, in seconds a call.

    `wall` is the host clock from before the call until the device is done. `device` is the time
    between two events around the work, None where there are no events or no work between them.
    `naive` is what a stopwatch without synchronise would have shown.
    """

    wall: float
    device: float | None
    naive: float


class Clock(Protocol):
    """What the engine needs of a clock."""

    def sample(
        self, call: Callable[[], Any], inner: int = 1, setup: Callable[[], Any] | None = None
    ) -> Sample:
        """Times `inner` calls, after `setup` and after whatever it queued."""

    def unsynchronised(self, call: Callable[[], Any], setup: Callable[[], Any]) -> float | None:
        """Seconds that a stopwatch reads around one call while the work of `setup` is queued.

        None where calls return when their work is done: nothing can be queued then.
        """


def stopwatch_resolution() -> float:
    """Seconds between two values of `time.time()`: its tick, or a float's distance by now."""
    return max(time.get_clock_info("time").resolution, math.ulp(time.time()))


def cache_flush(device: Any) -> Callable[[], Any]:
    """Writes over more memory than the device's cache holds, so that inputs are read anew."""
    size = _FLUSHED_ON_CPU
    if device.type == "cuda":
        size = 2 * gpukit.cuda.get_device_properties(device).L2_cache_size
    filler = gpukit.empty(max(size, 1 << 20), dtype="uint8", device=device)
    return filler.zero_


class HostClock:
    """Times calls with the host clock; `wait` ends when the work of the calls has ended."""

    def __init__(
        self,
        wait: Callable[[], None] | None = None,
        flush: Callable[[], Any] | None = None,
    ) -> None:
        self._wait = wait
        self._flush = flush

    def _prepare(self, setup: Callable[[], Any] | None) -> None:
        if setup is not None:
            setup()
        if self._flush is not None:
            self._flush()
        if self._wait is not None:
            self._wait()

    def sample(
        self, call: Callable[[], Any], inner: int = 1, setup: Callable[[], Any] | None = None
    ) -> Sample:
        """Prepares, calls `inner` times, waits, and gives the time of one call."""
        self._prepare(setup)
        begin = perf_counter()
        for _ in range(inner):
            call()
        launched = perf_counter()
        if self._wait is not None:
            self._wait()
        end = perf_counter()
        return Sample((end - begin) / inner, None, (launched - begin) / inner)

    def unsynchronised(self, call: Callable[[], Any], setup: Callable[[], Any]) -> float | None:
        """Seconds that a stopwatch reads around one call while the work of `setup` is queued."""
        if self._wait is None:
            return None
        self._wait()
        setup()
        begin = perf_counter()
        call()
        seen = perf_counter() - begin
        self._wait()
        return seen


class EventClock(HostClock):
    """Times calls on a CUDA device with events beside the host clock."""

    def __init__(self, device: Any, flush: Callable[[], Any] | None = None) -> None:
        super().__init__(lambda: gpukit.synchronize(device), flush)
        self._device = device
        with gpukit.cuda.device(device):
            self._start = gpukit.cuda.Event(enable_timing=True)
            self._stop = gpukit.cuda.Event(enable_timing=True)

    def sample(
        self, call: Callable[[], Any], inner: int = 1, setup: Callable[[], Any] | None = None
    ) -> Sample:
        """Prepares and synchronises, then: start event, calls, stop event, wait."""
        with gpukit.cuda.device(self._device):
            self._prepare(setup)
            self._start.record()
            begin = perf_counter()
            for _ in range(inner):
                call()
            launched = perf_counter()
            self._stop.record()
            self._stop.synchronize()
            end = perf_counter()
            between = self._start.elapsed_time(self._stop) / 1e3
        device = between / inner if between > EVENT_RESOLUTION else None
        return Sample((end - begin) / inner, device, (launched - begin) / inner)


def clock_of(device: Any, *, flush_l2: bool = False) -> HostClock:
    """The clock for gpukit's work on a device."""
    flush = cache_flush(device) if flush_l2 else None
    return EventClock(device, flush) if device.type == "cuda" else HostClock(flush=flush)
