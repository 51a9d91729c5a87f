"""Readings of a device's sensors, in torch's names and units."""

from __future__ import annotations

from typing import Any

from gpukit import _core
from gpukit.cuda._context import present_index
from gpukit.errors import DeviceError


def _reading(function: str, d: Any, field: str) -> Any:
    from gpukit.monitor._snapshot import snapshot

    index = present_index(function, d)
    _core.cuda_device_count()  # CUDA's order is known once the driver runs
    taken = snapshot()
    for gpu in taken.gpus:
        if gpu.cuda_index == index:
            value = getattr(gpu, field)
            if value is None:
                raise DeviceError(f"{function}: cuda:{index}: {gpu.missing[field]}")
            return value
    reason = taken.reason or "NVML shows no GPU of its UUID"
    raise DeviceError(f"{function}: cuda:{index}: {reason}")


def utilization(d: Any = None) -> int:
    """Return the percentage of time in which a kernel ran lately.

    Args:
        d: A device, its name or its index; None means the current one.

    Returns:
        0 to 100.

    Raises:
        DeviceError: The reading is not available.
        DeviceNotFoundError: The device does not exist.
        InvalidDeviceError: It is not a CUDA device.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1):
        ...     0 <= gpukit.cuda.utilization() <= 100
        True
    """
    return int(_reading("utilization", d, "utilization"))


def temperature(d: Any = None) -> int:
    """Return the temperature of the GPU in °C.

    Args:
        d: A device, its name or its index; None means the current one.

    Returns:
        °C.

    Raises:
        DeviceError: The reading is not available.
        DeviceNotFoundError: The device does not exist.
        InvalidDeviceError: It is not a CUDA device.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1):
        ...     gpukit.cuda.temperature() > 0
        True
    """
    return int(_reading("temperature", d, "temperature"))


def power_draw(d: Any = None) -> int:
    """Return the power that the GPU draws, in milliwatts.

    Args:
        d: A device, its name or its index; None means the current one.

    Returns:
        Milliwatts.

    Raises:
        DeviceError: The reading is not available.
        DeviceNotFoundError: The device does not exist.
        InvalidDeviceError: It is not a CUDA device.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1):
        ...     gpukit.cuda.power_draw() > 1000
        True
    """
    return round(float(_reading("power_draw", d, "power_draw")) * 1000)


def clock_rate(d: Any = None) -> int:
    """Return the clock of the multiprocessors in MHz.

    Args:
        d: A device, its name or its index; None means the current one.

    Returns:
        MHz.

    Raises:
        DeviceError: The reading is not available.
        DeviceNotFoundError: The device does not exist.
        InvalidDeviceError: It is not a CUDA device.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1):
        ...     gpukit.cuda.clock_rate() > 0
        True
    """
    return int(_reading("clock_rate", d, "clock_sm"))
