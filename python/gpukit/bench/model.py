"""A model CPU to compare with a simulated card: never measured times with simulated ones."""

from __future__ import annotations

from dataclasses import dataclass

from gpukit.bench.work import Work


@dataclass(frozen=True)
class ModelCpu:
    """Times from three figures: GFLOP/s, GB/s and the microseconds that a call costs."""

    name: str
    gflops: float
    gbps: float
    call_us: float

    def seconds(self, work: Work) -> float:
        """The least time of the counted work."""
        arithmetic = work.total_flops / self.gflops / 1e9
        memory = work.bytes / self.gbps / 1e9
        return work.operations * self.call_us / 1e6 + max(arithmetic, memory)

    def __str__(self) -> str:
        return (
            f"{self.name}: {self.gflops:.0f} GFLOP/s, {self.gbps:.0f} GB/s, {self.call_us:g} µs a "
            "call"
        )


# Two cores of an AMD EPYC (Zen 4), measured with gpukit on 2026-11-21.
MODEL_CPU = ModelCpu("a model of two cores of a server CPU", 190.0, 35.0, 1.0)
