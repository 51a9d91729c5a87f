"""`pick_gpu()`: the GPU that has most room, or least to do."""

from __future__ import annotations

from typing import Any

from gpukit import _core
from gpukit._arguments import bytes_of
from gpukit._system import counting
from gpukit.errors import DeviceNotFoundError
from gpukit.monitor._snapshot import snapshot
from gpukit.report import bytes_text

_ORDERS = ("free_memory", "utilization")


def _bytes(value: Any) -> int:
    if value is None:
        return 0
    count = bytes_of("pick_gpu", "min_free", value)
    if count < 0:
        raise ValueError(f"pick_gpu: min_free must be 0 or more, got {value!r}")
    return count


def _candidates() -> list[tuple[int, int, int]]:
    """(index, free bytes, utilisation) of each CUDA device; a utilisation not known counts as 0."""
    known = {gpu.cuda_index: gpu for gpu in snapshot().gpus}
    found = []
    for index in range(_core.cuda_device_count()):
        gpu = known.get(index)
        free = gpu.memory_free if gpu is not None else None
        if free is None:  # NVML does not know: ask the driver, which creates a context there
            free = _core.mem_get_info(_core.device("cuda", index))[0]
        found.append((index, free, (gpu.utilization or 0) if gpu is not None else 0))
    return found


def pick_gpu(min_free: int | str | None = None, *, by: str = "free_memory") -> _core.device:
    """Return the CUDA device with most free memory, or the least busy one. Starts the driver.

    Args:
        min_free: bytes, or text such as "4GiB", that the device must have free.
        by: "free_memory", or "utilization" for the least busy.

    Raises:
        DeviceNotFoundError: no GPU, or none with so much free.

    Example:
        >>> import gpukit
        >>> gpukit.pick_gpu(by="speed")
        Traceback (most recent call last):
        ...
        ValueError: pick_gpu: by must be 'free_memory' or 'utilization', got 'speed'
    """
    if by not in _ORDERS:
        raise ValueError(f"pick_gpu: by must be 'free_memory' or 'utilization', got {by!r}")
    wanted = _bytes(min_free)
    if not counting.device_count():
        from gpukit._device import driver_fault, raise_not_found

        raise_not_found(0, 0, driver_fault(), "pick_gpu")
    found = _candidates()
    fitting = [entry for entry in found if entry[1] >= wanted]
    if not fitting:
        free = ", ".join(f"cuda:{index} has {bytes_text(free)}" for index, free, _ in found)
        raise DeviceNotFoundError(
            f"pick_gpu: no GPU has {bytes_text(wanted)} free: {free}. Ask for less, or free memory "
            "with gpukit.cuda.empty_cache()",
            fix="gpukit.cuda.empty_cache()",
        )
    if by == "utilization":
        return _core.device("cuda", min(fitting, key=lambda entry: (entry[2], -entry[1]))[0])
    return _core.device("cuda", max(fitting, key=lambda entry: entry[1])[0])
