"""The main job: what can compute here, and how fast, in one table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gpukit
from gpukit.bench.result import BenchResult, BenchTable
from gpukit.bench.runner import Case, choose_devices, gpukit_gpus, run_case
from gpukit.bench.stopping import StoppingRule
from gpukit.report import Progress

MATMUL_SIZE = 2000
VECTOR_SIZE = 10_000_000


def matmul_case(n: int, dtype: Any = "float32", seed: int = 0) -> Case:
    """Random n × n matrices (zeros would run faster): 2 n³ operations, 3 n² elements moved."""
    generator = gpukit.Generator().manual_seed(seed)
    a = gpukit.rand(n, n, generator=generator).to(dtype)
    b = gpukit.rand(n, n, generator=generator).to(dtype)
    moved = 3 * n * n * a.itemsize
    return Case(
        gpukit.matmul, (a, b), name=f"matmul {n}×{n}", flops=2.0 * n**3, bytes_moved=moved, terms=n
    )


def add_case(n: int, seed: int = 1) -> Case:
    """Sum of two vectors into a new one: n operations, 3 n elements moved."""
    generator = gpukit.Generator().manual_seed(seed)
    a, b = gpukit.rand(n, generator=generator), gpukit.rand(n, generator=generator)
    return Case(
        gpukit.add, (a, b), name=f"add {n:.0e}".replace("e+0", "e"), flops=n, bytes_moved=12.0 * n
    )


def copy_case(n: int, seed: int = 2) -> Case:
    """A vector into a new one: 2 n elements moved."""
    generator = gpukit.Generator().manual_seed(seed)
    a = gpukit.rand(n, generator=generator)
    return Case(
        lambda x: x.clone(), (a,), name=f"copy {n:.0e}".replace("e+0", "e"), bytes_moved=8.0 * n
    )


def no_gpu_note() -> str:
    """One line: why no GPU is used, and what to do."""
    reason = gpukit.cuda.why_unavailable() or "no CUDA device was found"
    return f"No GPU is used: {reason.rstrip('.')}. Try: gpukit sim 2xT4 -- gpukit bench"


def run_standard(
    *, device: Any = None, devices: Any = None, rule: StoppingRule, verbose: bool = True
) -> BenchTable:
    """matmul, add and copy on the chosen devices (default: CPU and every usable GPU)."""
    if device is None and devices is None:
        chosen = [gpukit.cpu(), *gpukit_gpus()]
    else:
        chosen = choose_devices(device, devices, ())
    cases: list[tuple[Callable[[int], Case], int]] = [
        (matmul_case, MATMUL_SIZE),
        (add_case, VECTOR_SIZE),
        (copy_case, VECTOR_SIZE),
    ]
    results: list[BenchResult] = []
    with Progress(len(cases) * len(chosen), visible=verbose) as progress:
        for make, size in cases:
            results += run_case(
                make(size),
                chosen,
                rule=rule,
                warmup=None,
                transfer="split",
                check=True,
                progress=progress,
            )
    notes = [] if any(d.type != "cpu" for d in chosen) or device or devices else [no_gpu_note()]
    return BenchTable(f"gpukit {gpukit.__version__} bench", results, notes)


def run_matmul(
    n: int = MATMUL_SIZE,
    device: Any = None,
    dtype: Any = "float32",
    *,
    rule: StoppingRule | None = None,
) -> BenchResult:
    """Times one n × n product on one device (default: the GPU if there is one, else the CPU).

    Example:
        >>> import gpukit
        >>> gpukit.bench.matmul(64, "cpu").gflops > 0
        True
    """
    if isinstance(n, bool) or not isinstance(n, int):
        raise TypeError(f"bench.matmul: n must be an integer, got {n!r}")
    if n < 1:
        raise ValueError(f"bench.matmul: n must be at least 1, got {n}")
    where = gpukit.try_gpu(quiet=True) if device is None else gpukit.device(device).resolve()
    with Progress(1) as progress:
        (result,) = run_case(
            matmul_case(n, dtype),
            [where],
            rule=rule or StoppingRule(max_time=2.0),
            warmup=None,
            transfer="split",
            check=True,
            progress=progress,
        )
    return result
