"""Readings of a device's sensors, in torch's names and units."""

from __future__ import annotations

from typing import Any

from gpukit import _core
from gpukit._names.earlier import renamed
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


@renamed(d="device")
def utilization(device: Any = None) -> int:
    """Return the percentage of time in which a kernel ran lately.

    Args:
        device: A device, its name or its index; None means the current one.

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
    return int(_reading("utilization", device, "utilization"))


@renamed(d="device")
def temperature(device: Any = None) -> int:
    """Return the temperature of the GPU in °C.

    Args:
        device: A device, its name or its index; None means the current one.

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
    return int(_reading("temperature", device, "temperature"))


@renamed(d="device")
def power_draw(device: Any = None) -> int:
    """Return the power that the GPU draws, in milliwatts.

    Args:
        device: A device, its name or its index; None means the current one.

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
    return round(float(_reading("power_draw", device, "power_draw")) * 1000)


@renamed(d="device")
def clock_rate(device: Any = None) -> int:
    """Return the clock of the multiprocessors in MHz.

    Args:
        device: A device, its name or its index; None means the current one.

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
    return int(_reading("clock_rate", device, "clock_sm"))


@renamed(d="device")
def memory_usage(device: Any = None) -> int:
    """Return the percentage of time in which memory was read or written lately.

    Args:
        device: A device, its name or its index; None means the current one.

    Returns:
        0 to 100.

    Raises:
        DeviceError: The reading is not available.
        DeviceNotFoundError: The device does not exist.
        InvalidDeviceError: It is not a CUDA device.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1):
        ...     0 <= gpukit.cuda.memory_usage() <= 100
        True
    """
    return int(_reading("memory_usage", device, "memory_utilization"))


@renamed(d="device")
def list_gpu_processes(device: Any = None) -> str:
    """Return the processes on a GPU with their memory as text, one a line.

    Args:
        device: A device, its name or its index; None means the current one.

    Raises:
        DeviceError: The reading is not available.
        DeviceNotFoundError: The device does not exist.
        InvalidDeviceError: It is not a CUDA device.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1):
        ...     print(gpukit.cuda.list_gpu_processes())
        GPU:0
        no processes are running
    """
    found = _reading("list_gpu_processes", device, "processes")
    lines = [f"GPU:{present_index('list_gpu_processes', device)}"]
    for each in found:
        used = "unknown" if each.memory is None else f"{each.memory / 2**20:>12.3f}"
        lines.append(f"process {each.pid:>10d} uses {used} MB GPU memory")
    return "\n".join([*lines, *(() if found else ("no processes are running",))])
