"""Memory of CUDA devices. Bytes; 0 where the driver is not in use."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from gpukit import _core
from gpukit._arguments import number_of
from gpukit._names.earlier import renamed
from gpukit.cuda._context import cuda_index, present_index
from gpukit.errors import DeviceError


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


@renamed(d="device")
def memory_stats(device: Any = None) -> dict[str, int]:
    """Return counts and bytes of gpukit's memory on a device, under torch's names.

    `allocated_bytes` is what tensors asked for, `active_bytes` the same here, `reserved_bytes` what
    is held from the device, `inactive_split_bytes` the part of it that waits for reuse; `peak`
    since `reset_peak_memory_stats`. Zeros where the driver is not in use.

    Args:
        device: A device, its name or its index; None means the current one.

    Raises:
        InvalidDeviceError: It is not a CUDA device.

    Example:
        >>> import gpukit
        >>> gpukit.cuda.memory_stats()["allocated_bytes.all.current"] >= 0
        True
    """
    own = _stats("memory_stats", device)
    allocated, reserved = own["allocated_bytes"], own["reserved_bytes"]
    return {
        "allocated_bytes.all.current": allocated,
        "allocated_bytes.all.peak": own["max_allocated_bytes"],
        "active_bytes.all.current": allocated,
        "active_bytes.all.peak": own["max_allocated_bytes"],
        "reserved_bytes.all.current": reserved,
        "reserved_bytes.all.peak": own["max_reserved_bytes"],
        "inactive_split_bytes.all.current": reserved - allocated,
        "allocation.all.current": own["active_blocks"],
        "allocation.all.allocated": own["allocation_count"],
        "allocation.all.freed": own["allocation_count"] - own["active_blocks"],
        "num_device_alloc": own["device_allocation_count"],
        "num_ooms": own["out_of_memory_count"],
    }


@renamed(d="device")
def memory_allocated(device: Any = None) -> int:
    """Return the bytes that tensors hold now.

    Args:
        device: A device, its name or its index; None means the current one.

    Returns:
        Bytes; 0 where the driver is not in use.

    Raises:
        InvalidDeviceError: It is not a CUDA device.

    Example:
        >>> import gpukit
        >>> gpukit.cuda.memory_allocated() >= 0
        True
    """
    return _stats("memory_allocated", device)["allocated_bytes"]


@renamed(d="device")
def max_memory_allocated(device: Any = None) -> int:
    """Return the most bytes that tensors held at once.

    Args:
        device: A device, its name or its index; None means the current one.

    Returns:
        Bytes; 0 where the driver is not in use.

    Raises:
        InvalidDeviceError: It is not a CUDA device.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1):
        ...     x = gpukit.ones(1000, device="cuda")
        ...     del x
        ...     gpukit.cuda.max_memory_allocated() >= 4000
        True
    """
    return _stats("max_memory_allocated", device)["max_allocated_bytes"]


@renamed(d="device")
def memory_reserved(device: Any = None) -> int:
    """Return the bytes taken from the device: held by tensors or cached.

    Args:
        device: A device, its name or its index; None means the current one.

    Returns:
        Bytes; 0 where the driver is not in use.

    Raises:
        InvalidDeviceError: It is not a CUDA device.

    Example:
        >>> import gpukit
        >>> gpukit.cuda.memory_reserved() >= gpukit.cuda.memory_allocated()
        True
    """
    return _stats("memory_reserved", device)["reserved_bytes"]


@renamed(d="device")
def max_memory_reserved(device: Any = None) -> int:
    """Return the most bytes taken from the device at once.

    Args:
        device: A device, its name or its index; None means the current one.

    Returns:
        Bytes; 0 where the driver is not in use.

    Raises:
        InvalidDeviceError: It is not a CUDA device.

    Example:
        >>> import gpukit
        >>> gpukit.cuda.max_memory_reserved() >= gpukit.cuda.memory_reserved()
        True
    """
    return _stats("max_memory_reserved", device)["max_reserved_bytes"]


@renamed(d="device")
def reset_peak_memory_stats(device: Any = None) -> None:
    """Reset the peaks to the current values.

    Args:
        device: A device, its name or its index; None means the current one.

    Raises:
        InvalidDeviceError: It is not a CUDA device.

    Example:
        >>> import gpukit
        >>> gpukit.cuda.reset_peak_memory_stats()
        >>> gpukit.cuda.max_memory_allocated() == gpukit.cuda.memory_allocated()
        True
    """
    index = cuda_index("reset_peak_memory_stats", device)
    if _core.session_is_open() and index < _core.cuda_device_count():
        _core.reset_peak_memory_stats(_core.device("cuda", index))


@renamed(d="device")
def memory_summary(device: Any = None, abbreviated: bool = False) -> str:
    """Return the memory of a device as a small table; counts and bytes as in `memory_stats`.

    Args:
        device: A device, its name or its index; None means the current one.
        abbreviated: Accepted for compatibility with PyTorch and ignored: it is short.

    Raises:
        InvalidDeviceError: It is not a CUDA device.

    Example:
        >>> import gpukit
        >>> "allocated" in gpukit.cuda.memory_summary()
        True
    """
    del abbreviated
    index = cuda_index("memory_summary", device)
    stats = memory_stats(device)
    lines = [f"{'cuda:' + str(index):<12}{'now':>14}{'peak':>14}"]
    for name in ("allocated", "reserved"):
        now = stats[f"{name}_bytes.all.current"]
        peak = stats[f"{name}_bytes.all.peak"]
        lines.append(f"{name:<12}{_readable(now):>14}{_readable(peak):>14}")
    waiting = _readable(stats["inactive_split_bytes.all.current"])
    lines += [
        f"{'cached':<12}{waiting:>14}",
        f"{'blocks':<12}{stats['allocation.all.current']:>14,}",
        f"{'requests':<12}{stats['allocation.all.allocated']:>14,}",
        f"{'from driver':<12}{stats['num_device_alloc']:>14,}",
        f"{'refused':<12}{stats['num_ooms']:>14,}",
    ]
    if _core.cuda_is_simulated():
        lines.append("simulated")
    return "\n".join(lines)


def _readable(count: int) -> str:
    value = float(count)
    for unit in ("B", "KiB", "MiB"):
        if abs(value) < 1024:
            return f"{value:.0f} B" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.2f} GiB"


@renamed(d="device")
def mem_get_info(device: Any = None) -> tuple[int, int]:
    """Return (free, total) bytes of a device, other processes included.

    Args:
        device: A device, its name or its index; None means the current one.

    Raises:
        DeviceNotFoundError: The device does not exist.
        InvalidDeviceError: It is not a CUDA device.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1, "T4"):
        ...     free, total = gpukit.cuda.mem_get_info()
        ...     0 < free <= total
        True
    """
    return _core.mem_get_info(_core.device("cuda", present_index("mem_get_info", device)))


def empty_cache() -> None:
    """Give cached memory of all devices back, so that other processes can use it.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1):
        ...     x = gpukit.ones(1000, device="cuda")
        ...     del x
        ...     gpukit.cuda.empty_cache()
        ...     gpukit.cuda.memory_reserved()
        0
    """
    if _core.session_is_open():
        for index in range(_core.cuda_device_count()):
            with suppress(DeviceError):  # a lost device has nothing to release
                _core.empty_cache(_core.device("cuda", index))


@renamed(d="device")
def set_per_process_memory_fraction(fraction: float, device: Any = None) -> None:
    """Let this process hold at most a fraction (0 to 1) of a device's memory.

    Args:
        fraction: 0 to 1; 1 takes the limit away.
        device: A device, its name or its index; None means the current one.

    Raises:
        ValueError: fraction is not 0 to 1.
        DeviceNotFoundError: The device does not exist.
        InvalidDeviceError: It is not a CUDA device.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1):
        ...     gpukit.cuda.set_per_process_memory_fraction(0.5)
    """
    fraction = number_of("set_per_process_memory_fraction", "fraction", fraction)
    if not 0 <= fraction <= 1:
        raise ValueError(
            f"set_per_process_memory_fraction: fraction must be 0 to 1, got {fraction!r}"
        )
    index = present_index("set_per_process_memory_fraction", device)
    total = int(_core.device_properties(index)["total_memory"])
    limit = 0 if fraction == 1 else max(1, int(fraction * total))
    _core.set_memory_limit(_core.device("cuda", index), limit)


@renamed(d="device")
def get_per_process_memory_fraction(device: Any = None) -> float:
    """Return the fraction of a device's memory that this process may hold: 1 without a limit.

    Args:
        device: A device, its name or its index; None means the current one.

    Raises:
        DeviceNotFoundError: The device does not exist.
        InvalidDeviceError: It is not a CUDA device.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1):
        ...     gpukit.cuda.set_per_process_memory_fraction(0.5)
        ...     gpukit.cuda.get_per_process_memory_fraction()
        0.5
    """
    index = present_index("get_per_process_memory_fraction", device)
    limit = _core.memory_limit(_core.device("cuda", index))
    total = int(_core.device_properties(index)["total_memory"])
    return round(limit / total, 6) if limit else 1.0


def memory_stats_as_nested_dict(device: Any = None) -> dict[str, Any]:
    """Return `memory_stats` as dicts inside dicts: "a.b.c" is found under a, b and c.

    Args:
        device: A device, its name or its index; None means the current one.

    Raises:
        InvalidDeviceError: It is not a CUDA device.

    Example:
        >>> import gpukit
        >>> gpukit.cuda.memory_stats_as_nested_dict()["allocated_bytes"]["all"]["current"] >= 0
        True
    """
    nested: dict[str, Any] = {}
    for name, value in memory_stats(device).items():
        *path, last = name.split(".")
        place = nested
        for part in path:
            place = place.setdefault(part, {})
        place[last] = value
    return nested


def get_allocator_backend() -> str:
    """Return "native": gpukit allocates through its own cache.

    Example:
        >>> import gpukit
        >>> gpukit.cuda.get_allocator_backend()
        'native'
    """
    return "native"


def _older(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function under the name that it had in earlier versions of torch."""

    def older(device: Any = None) -> Any:
        warnings.warn(
            f"gpukit.cuda.{name} has been renamed to gpukit.cuda.{function.__name__}",
            FutureWarning,
            stacklevel=2,
        )
        return function(device)

    older.__name__ = older.__qualname__ = name
    older.__doc__ = f"""Call `{function.__name__}(device)`, its newer name; it warns.

    Args:
        device: A device, its name or its index; None means the current one.

    Raises:
        InvalidDeviceError: It is not a CUDA device.

    Example:
        >>> import warnings
        >>> import gpukit
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     gpukit.cuda.{name}() in {{None, 0}} or gpukit.cuda.is_available()
        True
    """
    return older


memory_cached = _older("memory_cached", memory_reserved)
max_memory_cached = _older("max_memory_cached", max_memory_reserved)
reset_max_memory_allocated = _older("reset_max_memory_allocated", reset_peak_memory_stats)
reset_max_memory_cached = _older("reset_max_memory_cached", reset_peak_memory_stats)
