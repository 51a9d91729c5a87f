"""`gpukit.cuda.memory`: who allocated which memory of a GPU, over time.

The functions about bytes that torch has in its module of this name are here too.
"""

from __future__ import annotations

from pathlib import Path
from pickle import dump
from typing import Any

from gpukit import _core
from gpukit._names.earlier import renamed
from gpukit._names.suggest import module_getattr
from gpukit.cuda._context import cuda_index
from gpukit.cuda._memory import (
    empty_cache,
    max_memory_allocated,
    max_memory_reserved,
    mem_get_info,
    memory_allocated,
    memory_reserved,
    memory_stats,
    memory_summary,
    reset_peak_memory_stats,
    set_per_process_memory_fraction,
)
from gpukit.cuda._memory_history import FREE, OTHER, MemoryEvent, MemoryRecorder
from gpukit.cuda._memory_picture import MemoryHistory
from gpukit.errors import ArgumentError, GpukitError

__all__ = [
    "MemoryEvent",
    "MemoryHistory",
    "dump_snapshot",
    "empty_cache",
    "max_memory_allocated",
    "max_memory_reserved",
    "mem_get_info",
    "memory_allocated",
    "memory_history",
    "memory_reserved",
    "memory_snapshot",
    "memory_stats",
    "memory_summary",
    "record_memory_history",
    "reset_peak_memory_stats",
    "set_per_process_memory_fraction",
]

__getattr__ = module_getattr(__name__)

_recorder: MemoryRecorder | None = None


def record_memory_history(
    enabled: str | bool | None = "all",
    context: str | None = "all",
    stacks: str = "all",
    max_entries: int | None = None,
) -> None:
    """Begin to note which line allocates what on GPUs, afresh; or end it.

    While it is noted, an operator costs a few microseconds more. Blocks that exist already, and
    those that are not the result of an operator, have no owner.

    Args:
        enabled: "all", "state" or True begins; None or False ends it, and what was noted stays.
        context: Frames of the program are noted for "all", "alloc" and "state"; None notes none
            but the innermost.
        stacks: "all" or "python": accepted for compatibility with PyTorch and ignored; frames are
            Python's.
        max_entries: Number of latest events to keep; None keeps all.

    Raises:
        ArgumentError: An unknown `enabled`, `context` or `stacks`, or `max_entries` below 1.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1):
        ...     gpukit.cuda.record_memory_history()
        ...     x = gpukit.ones(1000, device="cuda")
        ...     history = gpukit.cuda.memory_history()
        ...     gpukit.cuda.record_memory_history(None)
        >>> [(row.operator, row.bytes) for row in history.lines]
        [('ones', 4000)]
    """
    global _recorder
    _check("enabled", enabled, ("all", "state", True, False, None))
    _check("context", context, ("all", "alloc", "state", None))
    _check("stacks", stacks, ("all", "python"))
    if max_entries is not None and (not isinstance(max_entries, int) or max_entries < 1):
        raise ArgumentError(
            f"record_memory_history: max_entries must be 1 or more, got {max_entries!r}"
        )
    if _recorder is not None:
        _recorder.stop()
    if enabled:
        _recorder = MemoryRecorder(max_entries, stacks=context is not None)
        _recorder.start()


def _check(name: str, value: object, known: tuple[object, ...]) -> None:
    if value not in known:
        words = ", ".join(map(repr, known))
        raise ArgumentError(f"record_memory_history: {name} must be one of {words}, got {value!r}")


def _noted(function: str) -> MemoryRecorder:
    if _recorder is None:
        raise GpukitError(
            f"{function}: nothing is noted; call gpukit.cuda.record_memory_history() first"
        )
    return _recorder


@renamed(d="device")
def memory_history(device: Any = None) -> MemoryHistory:
    """Return what was noted of a device: a table by line, and a picture over time.

    Args:
        device: A device, its name or its index; None means the current one.

    Raises:
        GpukitError: `record_memory_history` was not called.
        InvalidDeviceError: It is not a CUDA device.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1):
        ...     gpukit.cuda.record_memory_history()
        ...     x = gpukit.ones(1000, device="cuda")
        ...     svg = gpukit.cuda.memory_history().to_svg()
        ...     gpukit.cuda.record_memory_history(None)
        >>> svg.startswith("<svg")
        True
    """
    index = cuda_index("memory_history", device)
    recorder = _noted("memory_history")
    recorder.look()
    return MemoryHistory([e for e in list(recorder.events) if e.device == index], index)


@renamed(d="device")
def memory_snapshot(device: Any = None) -> list[dict[str, Any]]:
    """Return the memory that is held from the devices as torch's segments and blocks.

    gpukit's allocator does not report its segments: each known block is its own segment,
    memory without a known holder is one, and the cache is one. Addresses are numbers of blocks.

    Args:
        device: A device, its name or its index; None means all.

    Returns:
        A list of dicts; without `record_memory_history` no block is known.

    Raises:
        InvalidDeviceError: It is not a CUDA device.

    Example:
        >>> import gpukit
        >>> gpukit.cuda.memory_snapshot()
        []
    """
    wanted = None if device is None else cuda_index("memory_snapshot", device)
    count = _core.cuda_device_count() if _core.session_is_open() else 0
    segments: list[dict[str, Any]] = []
    blocks = _recorder.blocks() if _recorder is not None else []
    for index in range(count):
        if wanted not in {None, index}:
            continue
        stats = _core.memory_stats(_core.device("cuda", index))
        own = [block for block in blocks if block.device == index]
        segments += [_segment(index, b.number, b.bytes, b.frames) for b in own]
        unknown = stats["allocated_bytes"] - sum(block.bytes for block in own)
        if unknown > 0:
            segments.append(_segment(index, 1, unknown, ()))
        cached = stats["reserved_bytes"] - stats["allocated_bytes"]
        if cached > 0:
            segments.append(_segment(index, 2, cached, (), state="inactive"))
    return segments


def _segment(
    device: int, address: int, size: int, frames: Any, *, state: str = "active_allocated"
) -> dict[str, Any]:
    active = size if state == "active_allocated" else 0
    block = {
        "address": address,
        "size": size,
        "requested_size": size,
        "state": state,
        "frames": _frames(frames),
    }
    return {
        "device": device,
        "address": address,
        "total_size": size,
        "allocated_size": active,
        "active_size": active,
        "requested_size": active,
        "stream": 0,
        "segment_type": "large",
        "is_expandable": False,
        "segment_pool_id": (0, 0),
        "frames": [],
        "blocks": [block],
    }


def _frames(frames: Any) -> list[dict[str, Any]]:
    return [{"filename": file, "line": line, "name": name} for file, line, name in frames]


def _traces() -> list[list[dict[str, Any]]]:
    """The events of each device in the format of torch's allocator."""
    events = list(_recorder.events) if _recorder is not None else []
    count = 1 + max((event.device for event in events), default=-1)
    traces: list[list[dict[str, Any]]] = [[] for _ in range(count)]
    for event in events:
        if event.action == OTHER:  # a change without a block cannot be drawn there
            continue
        shared = {
            "addr": event.block,
            "size": event.bytes,
            "stream": 0,
            "time_us": round(1e6 * event.time),
            "frames": _frames(event.frames),
        }
        if event.action == FREE:
            traces[event.device].append({"action": "free_requested", **shared})
        action = "free_completed" if event.action == FREE else "alloc"
        traces[event.device].append({"action": action, **shared})
    return traces


def dump_snapshot(filename: str = "dump_snapshot.pickle") -> None:
    """Write the file that pytorch.org/memory_viz draws, as torch's `_dump_snapshot` does.

    Args:
        filename: The file.

    Raises:
        GpukitError: `record_memory_history` was not called.

    Example:
        >>> import gpukit, tempfile
        >>> gpukit.cuda.record_memory_history()
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     gpukit.cuda.memory.dump_snapshot(f"{folder}/snapshot.pickle")
        >>> gpukit.cuda.record_memory_history(None)
    """
    _noted("dump_snapshot")
    with Path(filename).open("wb") as file:
        dump(_snapshot(), file)


def _snapshot(device: Any = None) -> dict[str, Any]:
    """torch's private name: the segments, and the events of each device."""  # noqa: D403
    segments = memory_snapshot(device)
    return {"segments": segments, "device_traces": _traces(), "allocator_settings": {}}


_record_memory_history = record_memory_history  # torch's names
_dump_snapshot = dump_snapshot
