"""`gpukit.bench(fn, *args)`: functions on several devices, results compared before times."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gpukit.bench.case import Case, choose_devices
from gpukit.bench.judge import Judge
from gpukit.bench.measuring import run_cases
from gpukit.bench.options import check_tolerance, checked_options, named_functions
from gpukit.bench.result import BenchResult, BenchTable
from gpukit.bench.standard import run_standard


def run(
    fn: Callable[..., Any]
    | Mapping[str, Callable[..., Any]]
    | Sequence[Callable[..., Any]]
    | None = None,
    *args: Any,
    device: Any = None,
    devices: Any = None,
    name: str | None = None,
    warmup: int | str = "auto",
    min_time: float = 0.2,
    max_time: float = 5.0,
    repeats: int | None = None,
    transfer: str = "split",
    check: bool | str = True,
    tol: float | None = None,
    flush_l2: bool = False,
    libraries: Sequence[str] = ("gpukit",),
    setup: Callable[[], Any] | None = None,
    wait: Callable[[], Any] | None = None,
    verbose: bool = True,
    **kwargs: Any,
) -> BenchResult | BenchTable:
    """Times `fn(*args, **kwargs)` honestly: synchronised, warmed up, repeated, results compared.

    Without `fn` it detects what can compute and times matmul, add and copy on the CPU and on every
    usable GPU.

    Args:
        fn: a function, or a dict of named functions or a list of functions to compare: results and
            speed-ups of all rows are against the first one's.
        *args: its inputs; tensors in them are moved to each device before the timing.
        device: the one device to measure on.
        devices: several devices. Default: CPU and all GPUs when the inputs are on the CPU, else
            the devices of the inputs. A function without tensor inputs runs unchanged.
            Each row is named by the devices that its calls used, and waits for all of them.
        name: what the row is called. Default: the function's name.
        warmup: "auto" (until steady) or a number of calls.
        min_time: minimum seconds for each row.
        max_time: maximum seconds for each row.
        repeats: a fixed number of samples instead.
        transfer: "split" times copies separately, "include" counts them into the time, "none"
            leaves them out.
        check: compare results; "raise" raises BenchError when they differ.
        tol: largest error relative to the largest element; default from dtype and length of sums.
        flush_l2: write over the cache before each sample, so that inputs come from memory.
        libraries: gpukit, numpy, torch, cupy, jax: the same function with their arrays. gpukit's
            functions become theirs of the same name; a missing library is "not installed".
        setup: called before each sample, never timed, waited for.
        wait: called after the calls of each sample, inside the timing: waits for the work of a
            library that bench does not know. It waits for gpukit, torch, CuPy and JAX by itself.
        verbose: show progress.
        **kwargs: named inputs of the function.

    Returns:
        A BenchResult for one row, else a BenchTable.

    Raises:
        TypeError: `fn` is not callable, or returns a generator, coroutine or future: nothing has
            run.
        ValueError: a time, count or mode is out of range.
        BenchError: with check="raise", results differ; or nothing shows when the work of another
            library that `fn` uses is done.

    Example:
        >>> import gpukit
        >>> x = gpukit.rand(64, 64)
        >>> result = gpukit.bench(gpukit.matmul, x, x, device="cpu", max_time=0.3, verbose=False)
        >>> result.flops
        524288.0
    """
    options = checked_options(
        warmup=warmup,
        min_time=min_time,
        max_time=max_time,
        repeats=repeats,
        transfer=transfer,
        check=check,
        libraries=libraries,
        setup=setup,
        flush_l2=flush_l2,
        wait=wait,
    )
    check_tolerance(tol)
    if fn is None:
        return run_standard(device=device, devices=devices, options=options, verbose=verbose)
    cases = [
        Case(function, args, kwargs, name=label, tol=tol)
        for label, function in named_functions(fn, name).items()
    ]
    chosen = choose_devices(device, devices, [*args, *kwargs.values()])
    if device is None and devices is None and len(chosen) == 1:
        options = replace(options, named=False)
    judges = [Judge(options.check)] * len(cases)  # one for all, since they are compared
    results = run_cases(cases, chosen, options, judges, verbose=verbose)
    return results[0] if len(results) == 1 else BenchTable(name or "gpukit bench", results)
