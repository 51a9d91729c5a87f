"""NVIDIA's boards that share memory with the CPU, and Jetson."""

from __future__ import annotations

from gpukit.doctor.catalogue.base import (
    INFORMATION,
    Fix,
    Layer,
    check,
)
from gpukit.doctor.evidence import Evidence

_UNIFIED = ("GB10", "Thor", "Orin", "Xavier")


@check(
    "unified-memory-gpu",
    Layer.USE,
    INFORMATION,
    "This GPU shares its memory with the CPU, so its driver does not count it apart.",
    Fix("gpukit.cuda.mem_get_info() and /proc/meminfo show what is free."),
)
def unified(evidence: Evidence) -> list[str]:
    """The name of such a board."""
    return [name for name in evidence.names if any(word in name for word in _UNIFIED)]


@check(
    "jetson-no-nvml",
    Layer.USE,
    INFORMATION,
    "Jetson boards have no NVML, so nothing shows their load here.",
    Fix("Use the board's own program.", ("sudo tegrastats",)),
    likely=True,
)
def jetson(evidence: Evidence) -> list[str]:
    """The release file of a Jetson, no NVML."""
    board = "/etc/nv_tegra_release" in evidence.traces
    return ["/etc/nv_tegra_release exists"] if board and not evidence.nvml_files else []
