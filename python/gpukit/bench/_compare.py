"""`bench.compare`: several functions, several libraries, the same inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gpukit.bench.result import BenchTable
from gpukit.bench.runner import run


def compare(
    *fns: Callable[..., Any],
    args: Sequence[Any] = (),
    libraries: Sequence[str] = ("gpukit", "numpy", "torch"),
    devices: Any = None,
    max_time: float = 2.0,
    verbose: bool = True,
) -> BenchTable:
    """Times functions side by side in several libraries, on the same inputs.

    gpukit's functions (`gpukit.matmul`) become those of the same name in each library; any other
    callable gets the library's arrays. Answers are compared with the first row's.

    Args:
        *fns: the functions.
        args: their inputs, gpukit tensors.
        libraries: gpukit, numpy, torch, cupy, jax; a missing one is "not installed".
        devices: as in `bench`.
        max_time: maximum seconds for each row.
        verbose: show progress.

    Example:
        >>> import gpukit
        >>> x = gpukit.rand(32, 32)
        >>> table = gpukit.bench.compare(gpukit.matmul, args=(x, x), libraries=("gpukit", "numpy"),
        ...                              devices=["cpu"], max_time=0.1, verbose=False)
        >>> [row.library for row in table], table[1].agrees
        (['gpukit', 'numpy'], True)
    """
    if not fns:
        raise TypeError("bench.compare: give at least one function, e.g. gpukit.matmul")
    result = run(
        list(fns),
        *args,
        devices=devices,
        libraries=libraries,
        max_time=max_time,
        name="gpukit bench compare",
        verbose=verbose,
    )
    return result if isinstance(result, BenchTable) else result.to_table()
