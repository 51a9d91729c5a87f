"""One sample of a function's time on a device, taken so that it means what it says."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Protocol

import gpukit
from gpukit import _core

# Two events with nothing between them are this far apart at most; less is not a time of work.
EVENT_RESOLUTION = 1e-6
_FLUSHED_ON_CPU = 128 << 20


@dataclass(frozen=True)
class Sample:
    """Times of one sample, in seconds per call.

    `wall` is the host clock from before the call until the device is done. `device` is the time
    between two events around the work, None where there are no events or no work between them.
    `naive` is what a stopwatch without synchronise would have shown.
    """

    wall: float
    device: float | None
    naive: float


class Clock(Protocol):
    """The interface of a clock; samples of an earlier `generation` are invalid."""

    generation: int

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
    """Overwrites more memory than the device's cache holds, so that inputs come from memory."""
    size = _FLUSHED_ON_CPU
    if device.type == "cuda":
        size = 2 * gpukit.cuda.get_device_properties(device).L2_cache_size
    filler = gpukit.empty(max(size, 1 << 20), dtype="uint8", device=device)
    return filler.zero_


class DeviceClock:
    """Times calls, and waits for every device that they used, whether it was named or not.

    `used` are the GPUs that calls gave work to, found after each. A GPU that is known before a call
    is timed by events too; with the first use of another one `generation` grows, and samples of
    before are worth nothing. `wait` is called with the last result where `keeps_answers` says so,
    else with None; it waits for what is not gpukit's.
    """

    def __init__(
        self,
        devices: Iterable[Any] = (),
        *,
        flush_l2: bool = False,
        wait: Callable[[Any], None] | None = None,
        keeps_answers: bool = False,
    ) -> None:
        self.used: set[int] = set()
        self.generation = 0
        self.keeps_answers = keeps_answers
        self._wait = wait
        self._flush_l2 = flush_l2
        self._flushes: list[Callable[[], Any]] = []
        self._events: dict[int, _Events] = {}
        self._waited: dict[int, int] = {}
        for device in devices:
            self._know(device)
        if flush_l2 and not self._events:
            self._flushes = [cache_flush(gpukit.cpu())]

    def _know(self, device: Any) -> None:
        if device.type != "cuda" or device.index in self._events:
            return
        if self._flush_l2:
            flush = cache_flush(device)
            self._flushes = [*self._flushes, flush] if self._events else [flush]
        self._events[device.index] = _Events(device)

    def devices(self) -> list[Any]:
        """The GPUs that are timed: those that were named, and those that calls used."""
        return [self._events[index].device for index in sorted(self._events)]

    def _prepare(self, setup: Callable[[], Any] | None) -> None:
        if setup is not None:
            setup()
        for flush in self._flushes:
            flush()
        with gpukit.allow_sync():  # here and below: bench's own waits, not those of the function
            self._wait_for_queued()
        if self._wait is not None:
            self._wait(None)

    def _wait_for_queued(self) -> None:
        """Until nothing is left of what any call, also an earlier one, gave to a GPU."""
        for index, (work, _, _) in enumerate(_core.device_use()):
            if self._waited.get(index) != work:
                self._synchronize(index)
                self._waited[index] = work

    def _synchronize(self, index: int) -> None:
        """A GPU that is gone, or that a simulation of before had, concerns only who uses it."""
        if not gpukit.cuda.is_initialized() or index >= gpukit.cuda.device_count():
            return
        try:
            gpukit.synchronize(gpukit.device("cuda", index))
        except gpukit.DeviceError:
            if index in self.used:
                raise

    def sample(
        self, call: Callable[[], Any], inner: int = 1, setup: Callable[[], Any] | None = None
    ) -> Sample:
        """Prepares and synchronises, then: start events, calls, stop events, wait."""
        answer: Any = None
        self._prepare(setup)
        events = list(self._events.values())
        for pair in events:
            pair.start_now()
        before = _core.device_use()
        begin = perf_counter()
        if self.keeps_answers:
            for _ in range(inner):
                answer = None  # the next call may reuse its memory
                answer = call()
        else:
            for _ in range(inner):
                call()
        launched = perf_counter()
        for pair in events:
            pair.stop_now()
        alone = self._take_use(before, events)
        with gpukit.allow_sync():
            if alone:
                for pair in events:
                    pair.stop.synchronize()
            else:
                self._wait_for_queued()
        if self._wait is not None:
            self._wait(answer)
        end = perf_counter()
        if not alone:  # work on other streams is after the first stop events
            self._stop_again(events)
        between = max((pair.seconds() for pair in events), default=0.0)
        device = between / inner if between > EVENT_RESOLUTION else None
        return Sample((end - begin) / inner, device, (launched - begin) / inner)

    @staticmethod
    def _stop_again(events: Sequence[_Events]) -> None:
        with gpukit.allow_sync():
            for pair in events:
                pair.stop_now()
                pair.stop.synchronize()

    def _take_use(self, before: Sequence[Any], events: Sequence[_Events]) -> bool:
        """Notes the GPUs that were given work; True when all of it was between the events."""
        alone = True
        after = _core.device_use()
        timed = {pair.device.index: pair.stream.cuda_stream for pair in events}
        for index, use in enumerate(after):
            earlier = before[index] if index < len(before) else (0, 0, 0)
            if use[0] == earlier[0]:
                continue
            self.used.add(index)
            alone &= use[1] == earlier[1] and use[2] == timed.get(index)
            if index not in self._events:
                self._know(gpukit.device("cuda", index))
                self.generation += 1
        return alone

    def unsynchronised(self, call: Callable[[], Any], setup: Callable[[], Any]) -> float | None:
        """Seconds that a stopwatch reads around one call while the work of `setup` is queued.

        None where calls return when their work is done: nothing can be queued then.
        """
        if not self._events and self._wait is None:
            return None
        self._prepare(None)
        setup()
        begin = perf_counter()
        call()
        seen = perf_counter() - begin
        self._prepare(None)
        return seen


class _Events:
    """The two events of a device, on the stream that is current now."""

    def __init__(self, device: Any) -> None:
        self.device = device
        self.stream = gpukit.cuda.current_stream(device)
        with gpukit.cuda.device(device):
            self.start = gpukit.cuda.Event(enable_timing=True)
            self.stop = gpukit.cuda.Event(enable_timing=True)

    def start_now(self) -> None:
        self.stream = gpukit.cuda.current_stream(self.device)
        self.start.record(self.stream)

    def stop_now(self) -> None:
        self.stop.record(self.stream)

    def seconds(self) -> float:
        return float(self.start.elapsed_time(self.stop)) / 1e3


def clock_of(device: Any, *, flush_l2: bool = False) -> DeviceClock:
    """The clock for gpukit's work that is expected on a device."""
    return DeviceClock([] if device is None else [device], flush_l2=flush_l2)
