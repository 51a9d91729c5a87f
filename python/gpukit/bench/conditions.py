"""The conditions of a measurement: software, clocks, throttling, and who else is working."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from typing import Any

import gpukit

# Reasons of NVML for clocks below the maximum that hold no work back.
_HARMLESS = {"idle", "clocks set by an application"}


def environment() -> dict[str, Any]:
    """Software and processor of this process; nothing that names the user or the machine."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    found: dict[str, Any] = {
        "gpukit": gpukit.__version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "threads": gpukit.get_num_threads(),
        "load_1min": None if load is None else round(load, 2),
    }
    if gpukit.cuda.is_initialized():
        names = [gpukit.cuda.get_device_name(i) for i in range(gpukit.cuda.device_count())]
        found["gpus"] = names
    return found


@dataclass(frozen=True)
class GpuState:
    """What NVML says of one GPU: MHz, whether its clocks are held back, other processes' count."""

    sm_clock_mhz: float | None = None
    memory_clock_mhz: float | None = None
    throttled: bool | None = None
    other_processes: int | None = None


@dataclass(frozen=True)
class Seen:
    """The conditions between two moments.

    `clocks` are MHz before and after; `other_load` is the share of all CPU cores that other
    processes took.
    """

    clocks: dict[str, Any] | None = None
    throttled: bool | None = None
    others_on_gpu: int | None = None
    other_load: float | None = None


def _cpu_seconds() -> tuple[float, float, float]:
    """Seconds of all cores together, of them busy, and of them busy for this process."""
    import psutil

    times = psutil.cpu_times()
    busy = sum(times) - times.idle - getattr(times, "iowait", 0.0)
    # Guests are counted inside user and nice already.
    extra = getattr(times, "guest", 0.0) + getattr(times, "guest_nice", 0.0)
    own = psutil.Process().cpu_times()
    return sum(times) - extra, busy - extra, own.user + own.system


class Watcher:
    """Reads the state before and after a measurement; `seen()` says what happened in between."""

    def __init__(self, device: Any) -> None:
        self._device = device
        self._before = _cpu_seconds()
        self._gpu_before = gpu_state(device)

    def seen(self) -> Seen:
        """Clocks of both moments, throttling and other processes in either, load in between."""
        total, busy, own = (
            now - then for now, then in zip(_cpu_seconds(), self._before, strict=True)
        )
        load = max(0.0, busy - own) / total if total > 0.1 else None
        before, after = self._gpu_before, gpu_state(self._device)
        if before is None or after is None:
            return Seen(other_load=load)
        return Seen(
            clocks={
                "sm_mhz": [before.sm_clock_mhz, after.sm_clock_mhz],
                "memory_mhz": [before.memory_clock_mhz, after.memory_clock_mhz],
            },
            throttled=_either(before.throttled, after.throttled),
            others_on_gpu=max(before.other_processes or 0, after.other_processes or 0),
            other_load=load,
        )


def _either(a: bool | None, b: bool | None) -> bool | None:
    return None if a is None and b is None else bool(a) or bool(b)


def gpu_state(device: Any) -> GpuState | None:
    """What `gpukit.monitor` sees of a GPU; None for a CPU, and where NVML is not available."""
    if device.type == "cpu":
        return None
    from gpukit.monitor import snapshot

    try:
        state = snapshot().of(device)
    except gpukit.DeviceError:
        return None
    reasons, processes = state.throttle_reasons, state.processes
    return GpuState(
        state.clock_sm,
        state.clock_memory,
        None if reasons is None else bool(set(reasons) - _HARMLESS),
        None if processes is None else sum(process.pid != os.getpid() for process in processes),
    )
