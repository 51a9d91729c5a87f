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

from gpukit.bench.result import BenchResult, BenchTable, SimulatedBenchResult
from gpukit.bench.runner import run
from gpukit.bench.standard import run_matmul as matmul
from gpukit.bench.timer import timer

__all__ = ["BenchResult", "BenchTable", "SimulatedBenchResult", "matmul", "run", "timer"]


class _CallableBench(ModuleType):
    """`gpukit.bench(…)` is `gpukit.bench.run(…)`."""

    __signature__ = inspect.signature(run)

    def __call__(self, *args: Any, **kwargs: Any) -> BenchResult | BenchTable:
        return run(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        from difflib import get_close_matches

        near = get_close_matches(name, __all__, 1)
        hint = f" Did you mean {near[0]!r}?" if near else f" It has: {', '.join(__all__)}."
        raise AttributeError(f"gpukit.bench has no {name!r}.{hint}")


sys.modules[__name__].__class__ = _CallableBench
