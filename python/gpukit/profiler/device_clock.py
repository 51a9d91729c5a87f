"""When a GPU worked: events between operators, and the log of simulated devices.

An event is queued where a call begins and one where it has ended, if it queued work between. Their
distance is the time of that work on its stream. Where the device was faster than the program, it
includes the wait for the program between the events.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import gpukit
from gpukit import _core
from gpukit.errors import GpukitError
from gpukit.profiler.calls import Call, DeviceWork


@dataclass(slots=True)
class _Use:
    """What _core.device_use() says of one GPU."""

    work: int = 0
    switches: int = 0
    stream: int = 0


@dataclass(slots=True)
class _Span:
    """Work between two events on one stream."""

    owner: Call | None
    stream: int
    begin: Any
    end: Any


@dataclass(slots=True)
class _Clock:
    """One GPU: the last event on its stream, and what was queued until then."""

    index: int
    device: Any
    simulated: bool
    reference: Any
    host: int  # perf_counter_ns of the reference
    virtual_ms: float  # its place on the virtual clock
    use: _Use
    mark: Any = None
    stream: int = 0
    spans: list[_Span] = field(default_factory=list)

    def event(self) -> Any:
        with gpukit.cuda.device(self.device):
            return gpukit.cuda.Event(enable_timing=True)

    def record(self) -> Any:
        """An event on the stream that is current now."""
        stream = gpukit.cuda.current_stream(self.device)
        self.stream = stream.cuda_stream
        event = self.event()
        event.record(stream)
        return event


class DeviceClocks:
    """The clocks of the GPUs in use, asked at the begin and the end of each call."""

    def __init__(self) -> None:
        self._clocks: dict[int, _Clock] = {}
        self.untimed = 0
        self.lost = ""

    def start(self) -> None:
        """Begins with the GPUs that were used before, and the current one."""
        if not _core.session_is_open():
            return
        used = {index for index, use in enumerate(_core.device_use()) if use[0]}
        for index in sorted(used | {_core.current_cuda_index()}):
            if index < _core.cuda_device_count():
                self._open(index)

    def _open(self, index: int) -> None:
        device = _core.device("cuda", index)
        try:
            with gpukit.allow_sync():
                gpukit.synchronize(device)
                clock = _Clock(index, device, device.simulated, None, 0, 0.0, _use(index))
                clock.reference = clock.record()
                clock.reference.synchronize()
            clock.host = time.perf_counter_ns()
            if clock.simulated:
                clock.virtual_ms = _virtual_ms(index)
        except GpukitError as error:
            self.lost = self.lost or str(error)
            return
        self._clocks[index] = clock

    def entering(self, outer: Call | None) -> None:
        """Said where a call begins; what was queued until here is the outer one's."""
        for index, clock, use in self._in_use():
            event = None
            if use.work != clock.use.work:
                event = self._close(clock, use, outer)
            if index in self._clocks:
                self._mark(clock, use, event)

    def leaving(self, call: Call) -> None:
        """Said where a call ends; what was queued since the last word is its own."""
        for _, clock, use in self._in_use():
            if use.work != clock.use.work:
                event = self._close(clock, use, call)
                clock.mark, clock.use = event, use

    def _in_use(self) -> list[tuple[int, _Clock, _Use]]:
        uses = _core.device_use()
        for index in range(len(uses)):
            if index not in self._clocks and uses[index][0] and self._is_new(index):
                self._open(index)
        return [
            (index, clock, _Use(*uses[index]) if index < len(uses) else clock.use)
            for index, clock in self._clocks.items()
        ]

    @staticmethod
    def _is_new(index: int) -> bool:
        return _core.session_is_open() and index < _core.cuda_device_count()

    def _mark(self, clock: _Clock, use: _Use, event: Any) -> None:
        try:
            capturing = gpukit.cuda.is_current_stream_capturing()
            clock.mark = None if capturing else event or clock.record()
        except GpukitError as error:
            self._lose(clock, error)
        clock.use = use

    def _close(self, clock: _Clock, use: _Use, owner: Call | None) -> Any:
        """The event after the work since the last one; None if it cannot be timed."""
        begin, stream = clock.mark, clock.stream
        try:
            if gpukit.cuda.is_current_stream_capturing():
                self.untimed += 1
                return None
            end = clock.record()
        except GpukitError as error:
            self._lose(clock, error)
            return None
        switched = use.switches - clock.use.switches
        alone = use.stream == stream and switched <= int(clock.use.stream != stream)
        if begin is not None and alone and clock.stream == stream:
            clock.spans.append(_Span(owner, stream, begin, end))
        else:
            self.untimed += 1
        return end

    def _lose(self, clock: _Clock, error: GpukitError) -> None:
        self.lost = self.lost or str(error)
        self.untimed += len(clock.spans)
        self._clocks.pop(clock.index, None)

    def finish(self, start: int) -> list[DeviceWork]:
        """Waits, and returns the work in nanoseconds after `start`."""
        found: list[DeviceWork] = []
        for clock in list(self._clocks.values()):
            found += self._finish(clock, start)
        return found

    def _finish(self, clock: _Clock, start: int) -> list[DeviceWork]:
        try:
            with gpukit.allow_sync():
                gpukit.synchronize(clock.device)
                return _simulated(clock) if clock.simulated else _timed(clock, start)
        except GpukitError as error:
            self._lose(clock, error)
            return []


def _use(index: int) -> _Use:
    uses = _core.device_use()
    return _Use(*uses[index]) if index < len(uses) else _Use()


def _virtual_ms(index: int) -> float:
    from gpukit._simulation.library import virtual_clock_ms

    return virtual_clock_ms(index)


def _time_of(clock: _Clock, event: Any) -> float:
    """Milliseconds after the reference."""
    return float(clock.reference.elapsed_time(event))


def _timed(clock: _Clock, start: int) -> list[DeviceWork]:
    """The spans of a real GPU.

    Each begins after the host's call: the reference was waited for before the host's clock was
    read.
    """
    streams: dict[int, int] = {}
    found = []
    for span in clock.spans:
        begin, end = (
            clock.host - start + round(1e6 * _time_of(clock, event))
            for event in (span.begin, span.end)
        )
        number = streams.setdefault(span.stream, len(streams))
        name = span.owner.name if span.owner else "outside of operators"
        name = f"{name.removeprefix('gpukit::')} on {clock.device}"
        found.append(DeviceWork(name, clock.index, number, begin, end, False, 0, span.owner))
        if span.owner is not None:
            span.owner.work.append(found[-1])
    return found


def _simulated(clock: _Clock) -> list[DeviceWork]:
    """Launches and copies that the simulator logged since the reference, with their calls."""
    from gpukit._simulation import session

    logged = [
        DeviceWork(
            event.what,
            clock.index,
            event.stream,
            round(1e6 * (event.start_ms - clock.virtual_ms)),
            round(1e6 * (event.end_ms - clock.virtual_ms)),
            True,
            event.bytes,
        )
        for event in session.logged_events()
        if event.device == f"cuda:{clock.index}"
    ]
    logged = [work for work in logged if work.start >= -_ROUNDING]
    windows = [
        (span, round(1e6 * _time_of(clock, span.begin)), round(1e6 * _time_of(clock, span.end)))
        for span in clock.spans
    ]
    numbers = _stream_numbers(windows, logged)
    by_stream: dict[int, list[DeviceWork]] = {}
    for work in logged:
        by_stream.setdefault(work.stream, []).append(work)
    for span, begin, end in windows:
        for work in _within(by_stream.get(numbers.get(span.stream, -1), []), begin, end):
            if work.owner is None and span.owner is not None:
                work.owner = span.owner
                span.owner.work.append(work)
    return logged


# Event times are float32 milliseconds; a launch takes microseconds.
_ROUNDING = 500


def _within(works: list[DeviceWork], begin: int, end: int) -> list[DeviceWork]:
    from bisect import bisect_left

    slack = _ROUNDING + int(end * 2**-23)
    first = bisect_left(works, begin - slack, key=lambda work: work.start)
    found = []
    for work in works[first:]:
        if work.start > end:
            break
        if work.end <= end + slack:
            found.append(work)
    return found


def _stream_numbers(
    windows: list[tuple[_Span, int, int]], logged: list[DeviceWork]
) -> dict[int, int]:
    """The log's number of each stream: that whose work ends where most of its windows end."""
    ends: dict[int, dict[int, int]] = {}
    numbers_at: dict[int, set[int]] = {}
    for work in logged:
        numbers_at.setdefault(work.end // _ROUNDING, set()).add(work.stream)
    for span, _, end in windows:
        votes = ends.setdefault(span.stream, {})
        for key in (end // _ROUNDING - 1, end // _ROUNDING, end // _ROUNDING + 1):
            for number in numbers_at.get(key, ()):
                votes[number] = votes.get(number, 0) + 1
    pairs = [(-n, handle, number) for handle, votes in ends.items() for number, n in votes.items()]
    found: dict[int, int] = {}
    for _, handle, number in sorted(pairs):  # a number is one stream's
        if handle not in found and number not in found.values():
            found[handle] = number
    return found
