"""Honest numbers: `gpukit.bench()` is callable, and holds the exercises as members.

Example:
    >>> import gpukit
    >>> r = gpukit.bench(gpukit.ones, 10, device="cpu", max_time=0.2, verbose=False)
    >>> r.unit
    's'
"""

from __future__ import annotations

import inspect
import sys
from types import ModuleType
from typing import Any

from gpukit._names.old_paths import keep_paths
from gpukit.bench._allreduce import AllReduceTable, allreduce
from gpukit.bench._bandwidth import BandwidthTable, bandwidth
from gpukit.bench._batching import BatchingResult, batching
from gpukit.bench._compare import compare
from gpukit.bench._crossover import Crossover, crossover
from gpukit.bench._gil import GilReport, gil
from gpukit.bench._logging import LoggingTable, logging
from gpukit.bench._matmul import matmul
from gpukit.bench._overlap import OverlapResult, overlap
from gpukit.bench._peaks import Peaks, peaks
from gpukit.bench._relative import RelativeTable, relative
from gpukit.bench._scaling import ScalingResult, scaling
from gpukit.bench._timer import timer
from gpukit.bench.result import BenchResult, BenchTable, SimulatedBenchResult
from gpukit.bench.runner import run
from gpukit.bench.store import DiffTable, diff, load, save
from gpukit.bench.tables import ResultTable

__all__ = [
    "AllReduceTable",
    "BandwidthTable",
    "BatchingResult",
    "BenchResult",
    "BenchTable",
    "Crossover",
    "DiffTable",
    "GilReport",
    "LoggingTable",
    "OverlapResult",
    "Peaks",
    "RelativeTable",
    "ResultTable",
    "ScalingResult",
    "SimulatedBenchResult",
    "allreduce",
    "bandwidth",
    "batching",
    "compare",
    "crossover",
    "diff",
    "gil",
    "load",
    "logging",
    "matmul",
    "overlap",
    "peaks",
    "relative",
    "run",
    "save",
    "scaling",
    "timer",
]


class _CallableBench(ModuleType):
    """`gpukit.bench(…)` is `gpukit.bench.run(…)`."""

    __signature__ = inspect.signature(run)

    def __call__(self, *args: Any, **kwargs: Any) -> BenchResult | BenchTable:
        return run(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        from gpukit._names.suggest import no_attribute

        no_attribute(__name__, name)


keep_paths(__name__, __all__)
sys.modules[__name__].__class__ = _CallableBench
