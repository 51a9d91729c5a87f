"""The exercises by name: what `gpukit bench NAME` runs. A new one is a file and a line here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gpukit.bench._allreduce import allreduce
from gpukit.bench._bandwidth import bandwidth
from gpukit.bench._batching import batching
from gpukit.bench._crossover import crossover
from gpukit.bench._gil import gil
from gpukit.bench._logging import logging
from gpukit.bench._matmul import matmul
from gpukit.bench._overlap import overlap
from gpukit.bench._relative import relative
from gpukit.bench._scaling import scaling
from gpukit.bench.result import BenchResult
from gpukit.bench.tables import ResultTable
from gpukit.errors import ArgumentError


@dataclass(frozen=True)
class Exercise:
    """A function of `device=` (or `devices=`, or neither) that gives a table, a line about it."""

    run: Callable[..., Any]
    summary: str
    takes: str = "device"

    def table(self, device: Any = None) -> ResultTable:
        """Runs it on the default devices or on one, and gives its table."""
        if device and not self.takes:
            raise ArgumentError(f"bench {self.run.__name__} runs on no device. Leave --device out")
        named = {self.takes: [device] if self.takes == "devices" else device} if device else {}
        result = self.run(**named)
        return result.to_table() if isinstance(result, BenchResult) else result


EXERCISES: dict[str, Exercise] = {
    "matmul": Exercise(matmul, "one product"),
    "crossover": Exercise(crossover, "the size from which the GPU is faster"),
    "bandwidth": Exercise(bandwidth, "copies by direction and size"),
    "logging": Exercise(logging, "printing in a loop, and not"),
    "scaling": Exercise(scaling, "several devices sequentially and concurrently", "devices"),
    "batching": Exercise(batching, "many small operations or one large"),
    "overlap": Exercise(overlap, "copies hidden behind work"),
    "gil": Exercise(gil, "what is left for other Python threads"),
    "relative": Exercise(relative, "multiples of a P100"),
    "allreduce": Exercise(allreduce, "two ranks that add up tensors", ""),
}
