"""The main job: what can compute here, and how fast, in one table."""

from __future__ import annotations

from typing import Any

import gpukit
from gpukit.bench._matmul import matmul_case
from gpukit.bench.case import Case, choose_devices, usable_gpus
from gpukit.bench.judge import Judge
from gpukit.bench.measuring import run_cases
from gpukit.bench.options import Options
from gpukit.bench.result import BenchTable

MATMUL_SIZE = 2000
VECTOR_SIZE = 10_000_000


def _vector_name(what: str, n: int) -> str:
    return f"{what} {n:.0e}".replace("e+0", "e")


def add_case(n: int, seed: int = 1) -> Case:
    """Sum of two vectors into a new one."""
    generator = gpukit.Generator().manual_seed(seed)
    a, b = gpukit.rand(n, generator=generator), gpukit.rand(n, generator=generator)
    return Case(gpukit.add, (a, b), name=_vector_name("add", n))


def sum_case(n: int, seed: int = 2) -> Case:
    """Sum of a vector's elements."""
    a = gpukit.rand(n, generator=gpukit.Generator().manual_seed(seed))
    return Case(gpukit.sum, (a,), name=_vector_name("sum", n))


def copy_case(n: int, seed: int = 2) -> Case:
    """A vector into a new one."""
    a = gpukit.rand(n, generator=gpukit.Generator().manual_seed(seed))
    return Case(gpukit.clone, (a,), name=_vector_name("copy", n))


def no_gpu_note(command: str = "gpukit bench") -> str:
    """One line: why no GPU is used, and what to do."""
    reason = gpukit.cuda.why_unavailable()
    if reason is None:
        return f"No GPU was asked for. Try: {command} --device cuda:0"
    return f"No GPU is used: {reason.rstrip('.')}. Try: gpukit sim 2xT4 -- {command}"


def run_standard(
    *, device: Any = None, devices: Any = None, options: Options, verbose: bool = True
) -> BenchTable:
    """matmul, add and copy on the chosen devices (default: CPU and every usable GPU)."""
    if device is None and devices is None:
        chosen = [gpukit.cpu(), *usable_gpus()]
    else:
        chosen = choose_devices(device, devices, ())
    cases = [matmul_case(MATMUL_SIZE), add_case(VECTOR_SIZE), copy_case(VECTOR_SIZE)]
    judges = [Judge(options.check) for _ in cases]
    results = run_cases(cases, chosen, options, judges, verbose=verbose)
    alone = chosen == [gpukit.cpu()] and device is None and devices is None
    return BenchTable(
        f"gpukit {gpukit.__version__} bench", results, [no_gpu_note()] if alone else []
    )
