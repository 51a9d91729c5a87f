"""Copies of whole structures, and non-blocking copies: to, to_cpu, prefetch, futures."""

from __future__ import annotations

import dataclasses
import sys
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any, Generic, TypeVar

from gpukit import _core
from gpukit._arguments import int_from

T = TypeVar("T")

# How often an event loop polls for the end of a copy, in seconds.
_FIRST_PAUSE = 0.0002
_MAX_PAUSE = 0.005


def _is_array(leaf: Any) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(leaf, numpy.ndarray)


def _rebuilt(structure: Any, leaf: Callable[[Any], Any]) -> Any:
    """The structure with `leaf` applied to each tensor and array; anything else unchanged."""
    if isinstance(structure, _core.Tensor) or _is_array(structure):
        return leaf(structure)
    if isinstance(structure, dict):
        items = {key: _rebuilt(value, leaf) for key, value in structure.items()}
        return items if type(structure) is dict else _same_mapping(structure, items)
    if isinstance(structure, tuple):
        parts = [_rebuilt(part, leaf) for part in structure]
        return type(structure)(*parts) if hasattr(structure, "_fields") else tuple(parts)
    if isinstance(structure, list):
        return [_rebuilt(part, leaf) for part in structure]
    if dataclasses.is_dataclass(structure) and not isinstance(structure, type):
        fields = {
            field.name: _rebuilt(getattr(structure, field.name), leaf)
            for field in dataclasses.fields(structure)
            if field.init
        }
        return dataclasses.replace(structure, **fields)
    return structure


def _same_mapping(structure: dict[Any, Any], items: dict[Any, Any]) -> dict[Any, Any]:
    """A mapping of the structure's class (OrderedDict, defaultdict) with these items."""
    fresh = structure.copy()
    fresh.update(items)
    return fresh


def _tensors(structure: Any) -> list[_core.Tensor]:
    """The tensors of a structure, each once."""
    found: dict[int, _core.Tensor] = {}

    def note(leaf: Any) -> Any:
        if isinstance(leaf, _core.Tensor):
            found[id(leaf)] = leaf
        return leaf

    _rebuilt(structure, note)
    return list(found.values())


def to(obj: T, device: Any, non_blocking: bool = True) -> T:
    """Return the structure with all its tensors and NumPy arrays on a device, copied in one batch.

    Lists, tuples, named tuples, dicts and dataclasses are walked; anything else is kept unchanged,
    and a tensor that occurs twice is copied once. With `non_blocking` the call returns while the
    copies are under way; whatever uses a result waits for it. NumPy arrays must not change until
    then.

    Args:
        obj: The structure; tensors and arrays of any shape and dtype.
        device: A device or its name.
        non_blocking: Return while the copies are under way.

    Raises:
        DeviceNotFoundError: The device does not exist.
        InvalidDeviceError: It is not a device.

    Example:
        >>> import gpukit
        >>> batch = {"x": gpukit.ones(2, 3), "ids": [gpukit.zeros(2), "a name"]}
        >>> moved = gpukit.to(batch, "cpu")
        >>> moved["x"].device, moved["ids"][1]
        (device(type='cpu'), 'a name')
    """
    target = _core.device(device).resolve()
    if not isinstance(non_blocking, bool):
        raise TypeError(f"to: non_blocking must be True or False, got {non_blocking!r}")
    known: dict[int, _core.Tensor] = {}

    def move(leaf: Any) -> _core.Tensor:
        moved = known.get(id(leaf))
        if moved is None:
            tensor = leaf if isinstance(leaf, _core.Tensor) else _core.as_tensor(leaf)
            moved = known[id(leaf)] = tensor.to(target, non_blocking=non_blocking)
        return moved

    result: T = _rebuilt(obj, move)
    return result


def to_cpu(state: T) -> T:
    """Return the structure with all its tensors on the CPU: one batch of copies and one wait.

    Structures as in `gpukit.to`.

    Args:
        state: The structure.

    Raises:
        TransferError: A copy failed.

    Example:
        >>> import gpukit
        >>> gpukit.to_cpu({"w": gpukit.ones(2), "step": 3})
        {'w': tensor([1., 1.]), 'step': 3}
    """
    result = to(state, "cpu")
    for tensor in _tensors(result):
        tensor.wait()
    return result


def prefetch(iterable: Iterable[T], device: Any, depth: int = 2) -> Iterator[T]:
    """Yield the items on a device, the next `depth` of them being copied meanwhile.

    Items are structures as in `gpukit.to`. Compute on one item hides the copy of the next ones; up
    to `depth + 1` items are on the device at once. Errors of `iterable` are raised when their item
    is due.

    Args:
        iterable: The items.
        device: A device or its name.
        depth: How many items to copy ahead, 0 or more.

    Raises:
        ValueError: depth is negative.
        DeviceNotFoundError: The device does not exist.

    Example:
        >>> import gpukit
        >>> batches = [gpukit.full((2,), float(i)) for i in range(3)]
        >>> [batch.sum().item() for batch in gpukit.prefetch(batches, "cpu")]
        [0.0, 2.0, 4.0]
    """
    depth = int_from("prefetch", "depth", depth, 0)
    target = _core.device(device).resolve()
    source = iter(iterable)  # a TypeError for what is none comes here, not at the first item
    return _prefetched(source, target, depth)


def _prefetched(source: Iterator[T], target: _core.device, depth: int) -> Iterator[T]:
    waiting: deque[T] = deque()
    failure: Exception | None = None
    while failure is None or waiting:
        failure = failure or _fill(waiting, source, target, depth + 1)
        if waiting:
            yield waiting.popleft()
    if not isinstance(failure, StopIteration):
        raise failure


def _fill(
    waiting: deque[T], source: Iterator[T], target: _core.device, count: int
) -> Exception | None:
    """Start copies until `count` wait; what ended `source`, which is due after those that wait."""
    try:
        while len(waiting) < count:
            waiting.append(to(next(source), target))
    except Exception as error:
        return error
    return None


class TransferFuture(Generic[T]):
    """The result of copies that may still be under way: a structure of tensors, as in `gpukit.to`.

    Args:
        value: The structure.

    Example:
        >>> import gpukit
        >>> future = gpukit.TransferFuture(gpukit.to(gpukit.ones(4), "cpu"))
        >>> future.result().sum().item(), future.nbytes
        (4.0, 16)
    """

    def __init__(self, value: T) -> None:
        """Watch the tensors in `value`; TypeError when there is none."""
        self._value = value
        self._waiting = _tensors(value)
        if not self._waiting:
            raise TypeError(f"TransferFuture: value must hold tensors, got {value!r}")
        self._nbytes = sum(tensor.nbytes for tensor in self._waiting)
        self._begin = time.perf_counter()
        self._seconds: float | None = None

    @property
    def nbytes(self) -> int:
        """The bytes of all tensors."""
        return self._nbytes

    @property
    def seconds(self) -> float | None:
        """Seconds from the start until the copies were first seen done; None before."""
        return self._seconds

    def done(self) -> bool:
        """Return True when all bytes have arrived. TransferError when a copy failed."""
        while self._waiting and self._waiting[-1].ready():
            self._waiting.pop()
        if not self._waiting and self._seconds is None:
            self._seconds = time.perf_counter() - self._begin
        return not self._waiting

    def result(self, timeout: float | None = None) -> T:
        """Return the structure once all bytes have arrived.

        The GIL is released meanwhile.

        Args:
            timeout: Seconds; None means forever.

        Raises:
            TimeoutError: The bytes had not arrived in time.
            TransferError: A copy failed.
        """
        end = None if timeout is None else time.perf_counter() + timeout
        while not self.done():
            left = None if end is None else max(0.0, end - time.perf_counter())
            self._waiting[-1].wait(left)
        return self._value

    def __await__(self) -> Generator[Any, None, T]:
        """Let the event loop run until all bytes have arrived; returns the structure."""
        yield from _pauses(self.done)
        return self.result()

    def __repr__(self) -> str:
        state = "done" if self.done() else "under way"
        return f"<gpukit.TransferFuture {state}, {self._nbytes} bytes>"


def _pauses(done: Callable[[], bool]) -> Generator[Any, None, None]:
    import asyncio

    pause = _FIRST_PAUSE
    while not done():
        yield from asyncio.sleep(pause).__await__()
        pause = min(2 * pause, _MAX_PAUSE)


def until_ready(tensor: _core.Tensor) -> Generator[Any, None, _core.Tensor]:
    """What `await tensor` runs."""
    yield from _pauses(tensor.ready)
    return tensor.wait()
