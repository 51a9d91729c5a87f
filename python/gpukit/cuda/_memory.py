"""Memory of CUDA devices. Bytes; 0 where the driver is not in use."""

from __future__ import annotations

from typing import Any

from gpukit import _core
from gpukit.cuda._context import cuda_index, present_index


def _stats(function: str, d: Any) -> dict[str, int]:
    index = cuda_index(function, d)
    if not _core.session_is_open() or index >= _core.cuda_device_count():
        return dict.fromkeys(_NAMES, 0)
    return _core.memory_stats(_core.device("cuda", index))


_NAMES = (
    "allocated_bytes",
    "max_allocated_bytes",
    "reserved_bytes",
    "max_reserved_bytes",
    "allocation_count",
    "device_allocation_count",
    "out_of_memory_count",
    "active_blocks",
)


def memory_stats(d: Any = None) -> dict[str, int]:
    """Return counts and bytes of gpukit's memory on a device."""
    return _stats("memory_stats", d)


def memory_allocated(d: Any = None) -> int:
    """Return the bytes that tensors hold now.

    Example:
        >>> import gpukit
        >>> gpukit.cuda.memory_allocated() >= 0
        True
    """
    return _stats("memory_allocated", d)["allocated_bytes"]


def max_memory_allocated(d: Any = None) -> int:
    """Return the most bytes that tensors held at once."""
    return _stats("max_memory_allocated", d)["max_allocated_bytes"]


def memory_reserved(d: Any = None) -> int:
    """Return the bytes taken from the device: held by tensors or cached."""
    return _stats("memory_reserved", d)["reserved_bytes"]


def max_memory_reserved(d: Any = None) -> int:
    """Return the most bytes taken from the device at once."""
    return _stats("max_memory_reserved", d)["max_reserved_bytes"]


def reset_peak_memory_stats(d: Any = None) -> None:
    """Start the peaks anew from the present values."""
    index = cuda_index("reset_peak_memory_stats", d)
    if _core.session_is_open() and index < _core.cuda_device_count():
        _core.reset_peak_memory_stats(_core.device("cuda", index))


def memory_summary(d: Any = None) -> str:
    """Return the memory statistics as text."""
    stats = memory_stats(d)
    width = max(len(name) for name in stats)
    return "\n".join(f"{name.ljust(width)}  {value:>16,}" for name, value in stats.items())


def mem_get_info(d: Any = None) -> tuple[int, int]:
    """Return (free, total) bytes of a device, other processes included."""
    return _core.mem_get_info(_core.device("cuda", present_index("mem_get_info", d)))


def empty_cache() -> None:
    """Give cached memory of all devices back, so that other processes can use it."""
    if _core.session_is_open():
        for index in range(_core.cuda_device_count()):
            _core.empty_cache(_core.device("cuda", index))


def set_per_process_memory_fraction(fraction: float, d: Any = None) -> None:
    """Let this process hold at most a fraction (0 to 1) of a device's memory."""
    if isinstance(fraction, bool) or not isinstance(fraction, (int, float)):
        raise TypeError(
            f"set_per_process_memory_fraction: fraction must be a number, got {fraction!r}"
        )
    if not 0 <= fraction <= 1:
        raise ValueError(
            f"set_per_process_memory_fraction: fraction must be 0 to 1, got {fraction!r}"
        )
    index = present_index("set_per_process_memory_fraction", d)
    total = int(_core.device_properties(index)["total_memory"])
    limit = 0 if fraction == 1 else max(1, int(fraction * total))
    _core.set_memory_limit(_core.device("cuda", index), limit)
