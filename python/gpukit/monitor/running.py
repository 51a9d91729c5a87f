"""Who uses a GPU. Names of programs only; command lines hold secrets and are shown on request."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

COMPUTE, GRAPHICS = "compute", "graphics"


@dataclass(frozen=True)
class GpuProcess:
    """A process on a GPU. Memory in bytes; None where the driver does not say (WSL2).

    Example:
        >>> import gpukit
        >>> process = gpukit.monitor.GpuProcess(30549, 0, "compute", None, "python")
        >>> process.to_dict()["pid"]
        30549
    """

    pid: int
    gpu: int
    kind: str
    memory: int | None
    name: str | None
    command: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The fields as a dict."""
        return asdict(self)


def describe(pid: int, *, command_lines: bool) -> tuple[str | None, str | None]:
    """Name and, if requested, command line of a process; None if it is not visible."""
    import psutil

    try:
        process = psutil.Process(pid)
        name = process.name()
        return name, " ".join(process.cmdline()) if command_lines else None
    except (psutil.Error, OSError):
        return None, None


def make_processes(gpu: int, found: list[tuple[int, int | None, str]]) -> list[GpuProcess]:
    """Processes from (pid, memory, kind), the largest first; one that is both counts once."""
    seen: dict[int, GpuProcess] = {}
    for pid, memory, kind in found:
        if pid not in seen:
            seen[pid] = GpuProcess(pid, gpu, kind, memory, describe(pid, command_lines=False)[0])
    return sorted(seen.values(), key=lambda process: -(process.memory or 0))
