"""`bench.matmul`: one product on one device."""

from __future__ import annotations

from typing import Any

import gpukit
from gpukit.bench.case import Case, one_device
from gpukit.bench.measuring import failed_row, run_on
from gpukit.bench.options import check_count, quick
from gpukit.bench.result import BenchResult
from gpukit.report import Progress

DEFAULT_SIZE = 2000


def matmul_case(n: int, dtype: Any = "float32", seed: int = 0) -> Case:
    """Random n × n matrices (zeros would run faster) of one dtype."""
    generator = gpukit.Generator().manual_seed(seed)
    a = gpukit.rand(n, n, generator=generator).to(dtype)
    b = gpukit.rand(n, n, generator=generator).to(dtype)
    return Case(gpukit.matmul, (a, b), name=f"matmul {n}×{n}")


def matmul(n: int = DEFAULT_SIZE, device: Any = None, dtype: Any = "float32") -> BenchResult:
    """Times one n × n product on one device.

    A size that does not fit in memory gives a result with `.error`.

    Args:
        n: Rows and columns of both matrices.
        device: A device or its name; None means the GPU if there is one, else the CPU.
        dtype: Dtype of the matrices.

    Returns:
        The result; 2 n³ operations.

    Raises:
        ValueError: n is below 1.
        DeviceNotFoundError: The device does not exist.

    Example:
        >>> import gpukit
        >>> gpukit.bench.matmul(64, "cpu").flops
        524288.0
    """
    check_count("matmul", "n", n)
    where, kind = one_device(device), gpukit.dtype(dtype)
    with Progress(1) as progress:
        progress.step(f"matmul {n}×{n} on {where}")
        try:
            return run_on(matmul_case(n, kind), where, quick(max_time=2.0)).result
        except MemoryError as error:
            return failed_row(f"matmul {n}×{n}", where, error)
