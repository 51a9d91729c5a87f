"""Recorded calls and device work as events under torch's names, and their sums by name."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from gpukit.profiler.calls import DERIVATIVE, MODULE, OPERATOR, RANGE, Call, DeviceWork
from gpukit.profiler.formats import memory_text, time_text

if TYPE_CHECKING:
    from gpukit.profiler.recorder import Recording


class DeviceType(enum.Enum):
    """Where an event ran.

    Example:
        >>> import gpukit
        >>> from gpukit.profiler import DeviceType, profile
        >>> with profile() as p:
        ...     y = gpukit.ones(3)
        >>> p.events()[0].device_type is DeviceType.CPU
        True
    """

    CPU = 0
    CUDA = 1


class Interval(NamedTuple):
    """Microseconds after the profile's start."""

    start: float
    end: float

    def elapsed_us(self) -> float:
        """Its length."""
        return self.end - self.start


class _Times:
    """What events and their sums share: averages, and times as text."""

    count: int
    cpu_time_total: float
    self_cpu_time_total: float
    device_time_total: float
    self_device_time_total: float

    @property
    def cpu_time(self) -> float:
        """Microseconds of the host a call."""
        return self.cpu_time_total / self.count if self.count else 0.0

    @property
    def device_time(self) -> float:
        """Microseconds of the device a call."""
        return self.device_time_total / self.count if self.count else 0.0

    cuda_time = device_time

    @property
    def cuda_time_total(self) -> float:
        """device_time_total."""
        return self.device_time_total

    @property
    def self_cuda_time_total(self) -> float:
        """self_device_time_total."""
        return self.self_device_time_total

    @property
    def cpu_time_str(self) -> str:
        """cpu_time with its unit."""
        return time_text(self.cpu_time)

    @property
    def cpu_time_total_str(self) -> str:
        """cpu_time_total with its unit."""
        return time_text(self.cpu_time_total)

    @property
    def self_cpu_time_total_str(self) -> str:
        """self_cpu_time_total with its unit."""
        return time_text(self.self_cpu_time_total)

    @property
    def device_time_str(self) -> str:
        """device_time with its unit."""
        return time_text(self.device_time)

    @property
    def device_time_total_str(self) -> str:
        """device_time_total with its unit."""
        return time_text(self.device_time_total)

    @property
    def self_device_time_total_str(self) -> str:
        """self_device_time_total with its unit."""
        return time_text(self.self_device_time_total)


class FunctionEvent(_Times):
    """One call, or one piece of a GPU's work. Times in microseconds, memory in bytes.

    `simulated` is True of work on a simulated device: its times are of a model's virtual clock.

    Example:
        >>> import gpukit
        >>> with gpukit.profiler.profile() as p:
        ...     y = gpukit.ones(3)
        >>> event = p.events()[0]
        >>> event.name, event.count, event.time_range.elapsed_us() == event.cpu_time
        ('gpukit::ones', 1, True)
    """

    def __init__(self, name: str, number: int, start: float, end: float, thread: int) -> None:
        self.name = self.key = self.trace_name = name
        self.id = number
        self.time_range = Interval(start, end)
        self.thread = thread
        self.count = 1
        self.kind = OPERATOR
        self.cpu_children: list[FunctionEvent] = []
        self.cpu_parent: FunctionEvent | None = None
        self.kernels: list[FunctionEvent] = []
        self.input_shapes: list[Any] = []
        self.stack: list[str] = []
        self.sequence_nr = -1
        self.fwd_thread: int | None = None
        self.node_id = -1
        self.is_legacy = self.is_remote = False
        self.scope = 0
        self.device_type = DeviceType.CPU
        self.device_index = -1
        self.device_resource_id = thread
        self.is_user_annotation = False
        self.is_async = False
        self.simulated = False
        self.flops = 0
        self.self_cpu_time_total = self.cpu_time_total = end - start
        self.self_device_time_total = self.device_time_total = 0.0
        self.cpu_memory_usage = self.self_cpu_memory_usage = 0
        self.device_memory_usage = self.self_device_memory_usage = 0

    def __repr__(self) -> str:
        place = "simulated device" if self.simulated else self.device_type.name
        return (
            f"<FunctionEvent id={self.id} name={self.name} on={place} "
            f"cpu_time={self.cpu_time_str} device_time={self.device_time_str} "
            f"cpu_memory={memory_text(self.cpu_memory_usage)} input_shapes={self.input_shapes}>"
        )


class FunctionEventAvg(_Times):
    """All events of one name (and shapes, and stack, where these were asked for) together.

    Example:
        >>> import gpukit
        >>> with gpukit.profiler.profile() as p:
        ...     y = gpukit.ones(3) + gpukit.ones(3)
        >>> row = p.key_averages()[0]
        >>> row.key, row.count, row.cpu_time_total == 2 * row.cpu_time
        ('gpukit::ones', 2, True)
    """

    def __init__(self, first: FunctionEvent) -> None:
        self.key = self.name = first.key
        self.kind = first.kind
        self.input_shapes = first.input_shapes
        self.stack = first.stack
        self.device_type = first.device_type
        self.is_user_annotation = first.is_user_annotation
        self.scope = first.scope
        self.node_id = first.node_id
        self.is_async = self.is_legacy = self.is_remote = False
        self.simulated = first.simulated
        self.cpu_parent = first.cpu_parent
        self.count = self.flops = 0
        self.cpu_time_total = self.self_cpu_time_total = 0.0
        self.device_time_total = self.self_device_time_total = 0.0
        self.cpu_memory_usage = self.self_cpu_memory_usage = 0
        self.device_memory_usage = self.self_device_memory_usage = 0

    def add(self, other: FunctionEvent) -> None:
        """Adds an event's count, times, bytes and flops."""
        self.count += other.count
        for name in _SUMMED:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def __repr__(self) -> str:
        return (
            f"<FunctionEventAvg key={self.key} count={self.count} "
            f"self_cpu_time={self.self_cpu_time_total_str} cpu_time={self.cpu_time_str} "
            f"self_device_time={self.self_device_time_total_str} "
            f"device_time={self.device_time_str} input_shapes={self.input_shapes}>"
        )


_SUMMED = (
    "flops",
    "cpu_time_total",
    "self_cpu_time_total",
    "device_time_total",
    "self_device_time_total",
    "cpu_memory_usage",
    "self_cpu_memory_usage",
    "device_memory_usage",
    "self_device_memory_usage",
)


def events_of(recordings: Iterable[Recording], *, cpu: bool, gpus: bool) -> list[FunctionEvent]:
    """The events of recordings, each recording's in the order of their beginning."""
    found: list[FunctionEvent] = []
    for recording in recordings:
        found += _of_one(recording, len(found), cpu=cpu, gpus=gpus)
    return found


def _of_one(recording: Recording, first: int, *, cpu: bool, gpus: bool) -> list[FunctionEvent]:
    calls = {
        id(call): _of_call(call, first + number, recording)
        for number, call in enumerate(recording.calls)
    }
    for call in recording.calls:
        _link(calls[id(call)], call, calls)
    for call in reversed(recording.calls):  # inner ones first
        _add_to_parent(calls[id(call)])
    work = [
        _of_work(each, first + len(calls) + number, calls)
        for number, each in enumerate(recording.device_work)
    ]
    host = sorted(calls.values(), key=lambda event: event.time_range.start)
    return (host if cpu else []) + (work if gpus else [])


def _of_call(call: Call, number: int, recording: Recording) -> FunctionEvent:
    start, end = (1e-3 * (when - recording.start) for when in (call.start, call.end))
    event = FunctionEvent(call.name, number, start, end, recording.thread)
    event.kind = call.kind
    event.input_shapes = call.shapes
    event.stack = call.stack
    event.sequence_nr = call.sequence
    event.scope = {RANGE: 7, DERIVATIVE: 1}.get(call.kind, 0)
    event.is_user_annotation = call.kind == RANGE
    event.flops = int(call.flops)
    if call.kind == DERIVATIVE and call.sequence >= 0:
        event.fwd_thread = recording.thread
    event.cpu_memory_usage = event.self_cpu_memory_usage = call.cpu_bytes
    event.device_memory_usage = event.self_device_memory_usage = call.gpu_bytes
    own = sum(work.end - work.start for work in call.work)
    event.self_device_time_total = event.device_time_total = 1e-3 * own
    event.simulated = any(work.simulated for work in call.work)
    return event


def _link(event: FunctionEvent, call: Call, calls: dict[int, FunctionEvent]) -> None:
    parent = calls.get(id(call.parent))
    if parent is not None:
        event.cpu_parent = parent
        parent.cpu_children.append(event)


def _add_to_parent(event: FunctionEvent) -> None:
    parent = event.cpu_parent
    if parent is None:
        return
    parent.self_cpu_time_total -= event.cpu_time_total
    parent.device_time_total += event.device_time_total
    parent.self_cpu_memory_usage -= event.cpu_memory_usage
    parent.self_device_memory_usage -= event.device_memory_usage
    if parent.kind != RANGE:
        parent.flops -= event.flops
    parent.simulated = parent.simulated or event.simulated


def _of_work(work: DeviceWork, number: int, calls: dict[int, FunctionEvent]) -> FunctionEvent:
    start, end = 1e-3 * work.start, 1e-3 * work.end
    event = FunctionEvent(work.name, number, start, end, work.stream)
    event.kind = "device"
    event.device_type = DeviceType.CUDA
    event.device_index = work.device
    event.is_async = True
    event.simulated = work.simulated
    event.cpu_time_total = event.self_cpu_time_total = 0.0
    event.device_time_total = event.self_device_time_total = end - start
    owner = calls.get(id(work.owner))
    if owner is not None:
        owner.kernels.append(event)
    return event


def in_averages(event: FunctionEvent) -> bool:
    """Modules are for the trace; their operators are summed."""
    return event.kind != MODULE
