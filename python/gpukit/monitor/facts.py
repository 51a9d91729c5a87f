"""The few NVML facts that other modules need, within a time limit."""

from __future__ import annotations

from gpukit.monitor.nvml import Library, NvmlFault, library
from gpukit.monitor.reading import TOTAL_SECONDS, ask, within


def driver_version() -> str | None:
    """The driver's own number, e.g. "580.82.07"; None if NVML does not report it in time."""
    try:
        return str(ask(library(TOTAL_SECONDS), "nvmlSystemGetDriverVersion", TOTAL_SECONDS))
    except NvmlFault:
        return None


def uuids() -> list[str] | None:
    """UUIDs of all GPUs in NVML's order; None if NVML does not report all of them in time."""
    try:
        nvml = library(TOTAL_SECONDS)
        found: list[str] = within(nvml, "all UUIDs", TOTAL_SECONDS, lambda: _uuids(nvml))
    except NvmlFault:
        return None
    return found


def _uuids(nvml: Library) -> list[str]:
    count = int(nvml.call("nvmlDeviceGetCount"))
    handles = [nvml.call("nvmlDeviceGetHandleByIndex", index) for index in range(count)]
    return [str(nvml.call("nvmlDeviceGetUUID", handle)) for handle in handles]
