"""The processes on GPUs, as `gpukit.monitor.processes` returns them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gpukit import _core
from gpukit.monitor._snapshot import snapshot
from gpukit.monitor.running import GpuProcess, describe


def processes(device: Any = None, *, command_lines: bool = False) -> list[GpuProcess]:
    """Return the processes on one GPU, or on all.

    Args:
        device: a CUDA device, or None for every GPU that NVML sees.
        command_lines: also read the command lines of processes that this user may see.

    Example:
        >>> import gpukit
        >>> isinstance(gpukit.monitor.processes(), list)
        True
    """
    if device is not None:
        _core.cuda_device_count()  # CUDA's order is known once the driver runs
    taken = snapshot()
    gpus = taken.gpus if device is None else [taken.of(device)]
    found = [process for gpu in gpus for process in gpu.processes or []]
    if not command_lines:
        return found
    return [
        replace(process, command=describe(process.pid, command_lines=True)[1]) for process in found
    ]
