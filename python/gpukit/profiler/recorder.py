"""The observer that a profile is made with: it writes down what its thread calls."""

from __future__ import annotations

import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from gpukit import _core
from gpukit.profiler.calls import (
    DERIVATIVE,
    MODULE,
    OPERATOR,
    RANGE,
    WAIT,
    Call,
    DeviceWork,
    MemorySample,
)
from gpukit.profiler.device_clock import DeviceClocks

# Calls that say what a tensor is, and compute nothing.
DESCRIPTIONS = frozenset(
    """
    data data_ptr dim element_size get_device grad has_names is_contiguous is_floating_point
    is_pinned layout ndim ndimension nelement numel requires_grad_ set_data set_grad
    set_requires_grad shape size storage_offset stride
    """.split()  # noqa: SIM905
)
_PACKAGE = str(Path(__file__).parent.parent) + "/"
_MAX_FRAMES = 64


@dataclass(frozen=True)
class Options:
    """The options of a profile; `gpus` as ProfilerActivity.CUDA."""

    gpus: bool = False
    shapes: bool = False
    memory: bool = False
    stack: bool = False
    flops: bool = False
    modules: bool = False


@dataclass
class Recording:
    """The records between start and end, in time.perf_counter_ns()."""

    options: Options
    thread: int
    thread_name: str
    start: int
    epoch: int  # time.time_ns() at the start
    end: int = 0
    calls: list[Call] = field(default_factory=list)
    device_work: list[DeviceWork] = field(default_factory=list)
    memory: list[MemorySample] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class _Thread(threading.local):
    """The recorders of this thread, oldest first."""

    def __init__(self) -> None:
        self.recorders: list[Recorder] = []


_this_thread = _Thread()


def recorders() -> list[Recorder]:
    """Those that record this thread now."""
    return _this_thread.recorders


class Recorder:
    """Records the calling thread from start() to stop(). Costs nothing before and after."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._open: list[Call | None] = []
        self._sequence: dict[int, int] = {}
        self._clocks = DeviceClocks()
        self._waits: Any = None
        self._waited: dict[tuple[str, int, str, str], tuple[int, float]] = {}
        self._last = 0  # the end of the latest call
        self._bytes: dict[int, int] = {}

    def start(self) -> None:
        """Begins, in this thread."""
        from gpukit._devices.watch import DEVICE_KINDS

        if self._options.gpus:
            self._clocks.start()
        self._waits = _core.WaitLog("report", 0, list(DEVICE_KINDS))
        self._waits.start()
        thread = threading.current_thread()
        self.recording = Recording(
            self._options,
            threading.get_native_id(),
            thread.name,
            time.perf_counter_ns(),
            time.time_ns(),
        )
        self._last = self.recording.start
        if self._options.memory:
            self._allocated()
        self._observation = _core.observe(self, work=self._options.flops, nodes=True)
        self._home = _this_thread.recorders
        self._home.append(self)

    def stop(self) -> Recording:
        """Ends, waits for the GPUs, and returns the records."""
        self._observation.stop()
        self._home.remove(self)
        while self._open:
            self._close()
        self._note_waits(None)
        recording = self.recording
        recording.end = time.perf_counter_ns()
        self._waits.stop()
        self._waits = None  # an observer may end where the lock of wait logs is held
        if self._options.gpus:
            recording.device_work = self._clocks.finish(recording.start)
            recording.notes += self._lost()
        return recording

    def _lost(self) -> list[str]:
        notes = []
        if self._clocks.untimed:
            notes.append(
                f"{self._clocks.untimed} pieces of device work have no time: they ran on another "
                "stream, in a graph that was being captured, or on a device first used meanwhile"
            )
        if self._clocks.lost:
            notes.append(f"Times of a device were lost: {self._clocks.lost}")
        return notes

    # Callbacks of gpukit._core.observe.

    def before_operator(self, call: Any) -> None:
        """An operator or a module is called."""
        is_module = call.operator.kind == MODULE
        unwanted = not self._options.modules if is_module else call.name in DESCRIPTIONS
        if unwanted:
            self._open.append(None)
            return
        arguments = call.arguments
        kind = MODULE if is_module else OPERATOR
        opened = self._begin(kind, _name_of(call, arguments))
        opened.place = call.place
        if self._options.shapes:
            opened.shapes, opened.types = _described(arguments)
        self._enter(opened)

    def after_operator(self, call: Any) -> None:
        """It has ended."""
        closed = self._close(call)
        if closed is not None and closed.kind == OPERATOR:
            for node in call.nodes:
                closed.sequence = self._sequence[hash(node)] = closed.number

    def before_derivative(self, call: Any) -> None:
        """A node's derivative is computed."""
        opened = self._begin(DERIVATIVE, call.name)
        opened.sequence = self._sequence.get(hash(call.node), -1)
        if self._options.shapes and call.gradient is not None:
            opened.shapes, opened.types = _described({"gradient": call.gradient})
        outer = self._outer()
        opened.place = outer.place if outer is not None else ("", 0, "")
        self._enter(opened)

    def after_derivative(self, call: Any) -> None:
        """It has ended."""
        self._close(call)

    # Calls from record_function and profile.step.

    def open_range(self, name: str, frame: FrameType | None) -> Call:
        """A range of the program begins."""
        opened = self._begin(RANGE, name)
        if frame is not None:
            opened.place = _location_of(frame)
        self._enter(opened)
        return opened

    def close_range(self, opened: Call) -> None:
        """It ends; calls in it that an error left open end with it."""
        if opened in self._open:
            self._note_waits(None)
            while self._close() is not opened:
                pass

    def _begin(self, kind: str, name: str) -> Call:
        number = len(self.recording.calls)
        opened = Call(kind, name, self._outer(), number)
        self.recording.calls.append(opened)
        if self._options.stack:
            opened.stack = stack_of(sys._getframe(2))  # noqa: SLF001
        return opened

    def _outer(self) -> Call | None:
        return next((call for call in reversed(self._open) if call is not None), None)

    def _enter(self, opened: Call) -> None:
        outer = self._outer()
        self._note_waits(None)
        if self._options.memory:
            opened.cpu_bytes, opened.gpu_bytes = self._allocated()
        if self._options.gpus:
            self._clocks.entering(outer)
        self._open.append(opened)
        opened.start = self._last = time.perf_counter_ns()

    def _close(self, call: Any = None) -> Call | None:
        """The innermost call has ended."""
        end = time.perf_counter_ns()
        closed = self._open.pop()
        if closed is None:
            return None
        closed.end = end
        if self._options.gpus:
            self._clocks.leaving(closed)
        if self._options.memory:
            cpu, gpu = self._allocated()
            closed.cpu_bytes, closed.gpu_bytes = cpu - closed.cpu_bytes, gpu - closed.gpu_bytes
        if call is not None and self._options.flops:
            closed.flops = sum(call.work["flops"].values())
        self._note_waits(closed)
        self._last = end
        return closed

    def _note_waits(self, closed: Call | None) -> None:
        """The waits since the last look: in the call that ended, or before the next one."""
        if not _core.session_is_open():
            return
        for file, line, function, kind, count, _, seconds in self._waits.rows():
            key = (file, line, function, kind)
            before = self._waited.get(key, (0, 0.0))
            if count == before[0]:
                continue
            self._waited[key] = (count, seconds)
            self._add_wait(closed, key, count - before[0], round(1e9 * (seconds - before[1])))

    def _add_wait(
        self, closed: Call | None, key: tuple[str, int, str, str], count: int, length: int
    ) -> None:
        if closed is not None:
            start, end = max(self._last, closed.end - length), closed.end
        else:
            start = self._last
            end = min(start + length, time.perf_counter_ns())
            self._last = end
        number = len(self.recording.calls)
        wait = Call(WAIT, f"wait ({key[3]})", closed or self._outer(), number, start, end, key[:3])
        wait.note = f"{count} of them, placed " + (
            "at the end of the operator" if closed else "after the previous operator"
        )
        self.recording.calls.append(wait)

    def _allocated(self) -> tuple[int, int]:
        """Bytes on the CPU and on all GPUs; a change is noted for the timeline."""
        devices = [(-1, _core.device("cpu"))]
        if _core.session_is_open():
            count = _core.cuda_device_count()
            devices += [(index, _core.device("cuda", index)) for index in range(count)]
        cpu = gpu = 0
        for index, device in devices:
            total = _core.memory_stats(device)["allocated_bytes"]
            if total != self._bytes.get(index):
                change = total - self._bytes.get(index, total)
                now = time.perf_counter_ns()
                self.recording.memory.append(MemorySample(now, index, total, change))
                self._bytes[index] = total
            if index < 0:
                cpu = total
            else:
                gpu += total
        return cpu, gpu


def _name_of(call: Any, arguments: dict[str, Any]) -> str:
    """Torch's name of an optimizer's step or a module, else the operator's."""
    if call.operator.kind == MODULE:
        return f"nn.Module: {type(next(iter(arguments.values()), None)).__name__}"
    if call.name == "optimizer_step":
        name = type(arguments.get("optimizer")).__name__
        return f"Optimizer.step#{name}.step"
    return f"gpukit::{call.name}"


def _described(arguments: dict[str, Any]) -> tuple[list[Any], list[str]]:
    """Shapes and types of arguments, as torch reports them: [] for anything but a tensor."""
    shapes: list[Any] = []
    types = []
    for value in arguments.values():
        if isinstance(value, _core.Tensor):
            shapes.append(list(value.shape))
            types.append(str(value.dtype).removeprefix("gpukit."))
        elif isinstance(value, (list, tuple)) and value and isinstance(value[0], _core.Tensor):
            shapes.append([list(each.shape) for each in value if isinstance(each, _core.Tensor)])
            types.append("TensorList")
        else:
            shapes.append([])
            types.append("" if value is None else "Scalar")
    return shapes, types


def stack_of(frame: FrameType | None) -> list[str]:
    """The user's frames as "file(line): function", the innermost first."""
    found: list[str] = []
    while frame is not None and len(found) < _MAX_FRAMES:
        code = frame.f_code
        if not code.co_filename.startswith((_PACKAGE, "<frozen")):
            found.append(f"{code.co_filename}({frame.f_lineno}): {code.co_name}")
        frame = frame.f_back
    return found


def _location_of(frame: FrameType) -> tuple[str, int, str]:
    """The program's line: ranges that gpukit's own functions open stand where these are called."""
    while frame.f_code.co_filename.startswith(_PACKAGE) and frame.f_back is not None:
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name
