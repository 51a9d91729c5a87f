"""GPU activity: `gpukit.monitor()` samples it, and the module's functions read it once.

Example:
    >>> import gpukit
    >>> len(gpukit.monitor.snapshot().gpus) >= 0
    True
"""

from __future__ import annotations

import inspect
import sys
from types import ModuleType
from typing import Any

from gpukit._names.old_paths import keep_paths
from gpukit.monitor._diff import Diff, diff
from gpukit.monitor._energy import Energy, energy
from gpukit.monitor._live import Live, live
from gpukit.monitor._processes import processes
from gpukit.monitor._session import Session, session
from gpukit.monitor._snapshot import Snapshot, snapshot
from gpukit.monitor._topology import GpuLink, GpuPlace, Topology, topology
from gpukit.monitor.calls import MigInstance
from gpukit.monitor.display import SmiTable, smi
from gpukit.monitor.gpu_state import GpuState
from gpukit.monitor.pick import pick_gpu
from gpukit.monitor.query import GPUStat, GPUStatCollection, new_query
from gpukit.monitor.running import GpuProcess
from gpukit.monitor.sampler import Monitor

__all__ = [
    "Diff",
    "Energy",
    "GPUStat",
    "GPUStatCollection",
    "GpuLink",
    "GpuPlace",
    "GpuProcess",
    "GpuState",
    "Live",
    "MigInstance",
    "Monitor",
    "Session",
    "SmiTable",
    "Snapshot",
    "Topology",
    "diff",
    "energy",
    "live",
    "new_query",
    "pick_gpu",
    "processes",
    "session",
    "smi",
    "snapshot",
    "topology",
]


class _CallableMonitor(ModuleType):
    """`gpukit.monitor(…)` is `gpukit.monitor.Monitor(…)`."""

    __signature__ = inspect.signature(Monitor)

    def __call__(
        self, interval: float = 1.0, devices: Any = None, duration: float | None = None
    ) -> Monitor:
        return Monitor(interval, devices, duration)

    def __getattr__(self, name: str) -> Any:
        from gpukit._names.suggest import no_attribute

        no_attribute(__name__, name)


keep_paths(__name__, __all__)
sys.modules[__name__].__class__ = _CallableMonitor
