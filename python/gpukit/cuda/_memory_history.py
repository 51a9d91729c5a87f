"""Who allocated which memory of a GPU, noted while it is recorded.

An observer sees the results of operators and the gradients of derivatives, and so which line made
which block. That a block was released is known from the device's total: it drops while no tensor
of Python has the block. Which of several such blocks was released first is inferred from the order
in which their tensors went.
"""

from __future__ import annotations

import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from gpukit import _core

ALLOC, FREE, OTHER = "alloc", "free", "other"
_PACKAGE = str(Path(__file__).parent.parent) + "/"
_MAX_FRAMES = 32
_MAX_DEPTH = 3
Place = tuple[str, int, str]
NOWHERE: Place = ("", 0, "")


@dataclass(frozen=True)
class MemoryEvent:
    """A block that was allocated or released, or a change of unknown origin.

    Attributes:
        action: "alloc", "free", or "other": bytes (negative when released) of no known block.
        device: index of the GPU.
        bytes: of the block, or the change.
        total: bytes allocated on the device after the event.
        time: time.time() of the moment when it was noticed.
        operator: what allocated, "" for other.
        frames: (file, line, function) of the program, the innermost first.
        block: a number that no other living block has.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1):
        ...     gpukit.cuda.record_memory_history()
        ...     x = gpukit.ones(1000, device="cuda")
        ...     event = gpukit.cuda.memory_history().events[-1]
        ...     gpukit.cuda.record_memory_history(None)
        >>> event.action, event.bytes, event.operator
        ('alloc', 4000, 'ones')
    """

    action: str
    device: int
    bytes: int
    total: int
    time: float
    operator: str
    frames: tuple[Place, ...]
    block: int

    @property
    def place(self) -> Place:
        """The innermost frame of the program."""
        return self.frames[0] if self.frames else NOWHERE


@dataclass(eq=False)
class Block:
    """A block that lives. `tensors` is how many of Python's tensors have it."""

    number: int
    device: int
    bytes: int
    operator: str
    frames: tuple[Place, ...]
    tensors: int = 0


@dataclass
class _Device:
    """The books of one GPU."""

    unknown: int = 0  # bytes of blocks of unknown origin
    total: int = 0
    count: int = 0  # allocations so far
    blocks: dict[int, Block] = field(default_factory=dict)
    known: int = 0  # bytes of these blocks
    dropped: dict[int, Block] = field(default_factory=dict)  # that no tensor of Python has


class MemoryRecorder:
    """The observer. All threads are recorded."""

    def __init__(self, max_entries: int | None, stacks: bool) -> None:
        self.events: deque[MemoryEvent] = deque(maxlen=max_entries)
        self._stacks = stacks
        self._devices: dict[int, _Device] = {}
        self._lock = threading.RLock()  # a weak reference may end where the lock is held
        self._observation: Any = None

    def start(self) -> None:
        """Begins; blocks that exist already have no owner."""
        for index in _indices():
            stats = _stats(index)
            total = stats["allocated_bytes"]
            self._devices[index] = _Device(total, total, stats["allocation_count"])
        self._observation = _core.observe(self, all_threads=True)

    def stop(self) -> None:
        """Ends; the events stay."""
        if self._observation is not None:
            self._observation.stop()
            self._observation = None

    def blocks(self) -> list[Block]:
        """Those that live now, by device and in the order of their allocation."""
        self.look()
        with self._lock:
            return [block for device in self._devices.values() for block in device.blocks.values()]

    def before_operator(self, _: Any) -> None:
        """Notes what was released since the last call."""
        self.look()

    def after_operator(self, call: Any) -> None:
        """Notes what the call allocated: its results have it."""
        self._note(call.name, call.result, call.place)

    def after_derivative(self, call: Any) -> None:
        """Notes the gradients."""
        self._note(call.name, [gradient for _, gradient in call.given], None)

    def _note(self, operator: str, result: Any, place: Place | None) -> None:
        with self._lock:
            fresh = {index: self._grown(index) for index in _indices()}
            if any(fresh.values()):
                frames: tuple[Place, ...] | None = None
                for tensor in _tensors(result, _MAX_DEPTH):
                    if tensor.device.type == "cuda" and fresh.get(tensor.device.index or 0):
                        frames = frames or self._frames(place)
                        self._add(tensor, operator, frames)
            else:
                for tensor in _tensors(result, _MAX_DEPTH):
                    self._share(tensor)
            self.look()

    def _grown(self, index: int) -> bool:
        """True when the device has allocated since it was asked last."""
        device = self._devices.setdefault(index, _Device())
        count, device.count = device.count, _stats(index)["allocation_count"]
        return device.count != count

    def _add(self, tensor: _core.Tensor, operator: str, frames: tuple[Place, ...]) -> None:
        number, size = _core.block_of(tensor)[:2]
        index = tensor.device.index or 0
        device = self._devices[index]
        block = device.blocks.get(number)
        if block is not None and block.tensors == 0:  # its place was taken: it was released
            self._release(device, block)
            block = None
        if block is None and size:
            block = Block(number, index, size, operator, frames)
            device.blocks[number] = block
            device.known += size
            total = device.known + device.unknown
            self._event(ALLOC, block, size, total)
        if block is not None:
            self._watch(tensor, block)

    def _share(self, tensor: _core.Tensor) -> None:
        """Another tensor of a block that is known: a view, or a gradient that was read."""
        if tensor.device.type != "cuda":
            return
        device = self._devices.get(tensor.device.index or 0)
        block = device.blocks.get(_core.block_of(tensor)[0]) if device else None
        if block is not None:
            self._watch(tensor, block)

    def _watch(self, tensor: _core.Tensor, block: Block) -> None:
        block.tensors += 1
        device = self._devices[block.device]
        device.dropped.pop(block.number, None)
        weakref.finalize(tensor, self._forget, block).atexit = False

    def _forget(self, block: Block) -> None:
        block.tensors -= 1
        device = self._devices[block.device]
        if block.tensors == 0 and device.blocks.get(block.number) is block:
            device.dropped[block.number] = block

    def look(self) -> None:
        """Compares the books with the devices' totals."""
        with self._lock:
            for index in _indices():
                self._balance(index, self._devices.setdefault(index, _Device()))

    def _balance(self, index: int, device: _Device) -> None:
        total = _stats(index)["allocated_bytes"]
        if total == device.known + device.unknown:
            return
        excess = device.known + device.unknown - total
        exact = [block for block in device.dropped.values() if block.bytes == excess]
        for block in exact[:1] or list(device.dropped.values()):
            if total + block.bytes <= device.known + device.unknown:
                self._release(device, block)
        change = total - device.known - device.unknown
        if change:
            device.unknown += change
            block = Block(0, index, change, "", ())
            self._event(OTHER, block, change, total)

    def _release(self, device: _Device, block: Block) -> None:
        device.dropped.pop(block.number, None)
        if device.blocks.pop(block.number, None) is not None:
            device.known -= block.bytes
            self._event(FREE, block, block.bytes, device.known + device.unknown)

    def _event(self, action: str, block: Block, size: int, total: int) -> None:
        self.events.append(
            MemoryEvent(
                action,
                block.device,
                size,
                total,
                time.time(),
                block.operator,
                block.frames,
                block.number,
            )
        )

    def _frames(self, place: Place | None) -> tuple[Place, ...]:
        if place is not None and not self._stacks:
            return (place,)
        found = tuple(_user_frames(sys._getframe(2)))  # noqa: SLF001
        return found if self._stacks else found[:1]


def _user_frames(frame: FrameType | None) -> Iterator[Place]:
    count = 0
    while frame is not None and count < _MAX_FRAMES:
        code = frame.f_code
        if not code.co_filename.startswith((_PACKAGE, "<frozen")):
            count += 1
            yield code.co_filename, frame.f_lineno, code.co_name
        frame = frame.f_back


def _tensors(value: Any, depth: int) -> Iterator[_core.Tensor]:
    if isinstance(value, _core.Tensor):
        yield value
    elif depth and isinstance(value, (list, tuple)):
        for item in value:
            yield from _tensors(item, depth - 1)


def _indices() -> range:
    return range(_core.cuda_device_count() if _core.session_is_open() else 0)


def _stats(index: int) -> dict[str, int]:
    return _core.memory_stats(_core.device("cuda", index))
