"""`gpukit.bench(fn, *args)`: one function on several devices, answers compared before times."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import gpukit
from gpukit.bench.accuracy import dtype_name, host_answer, largest_error, tolerance
from gpukit.bench.clock import DeviceClock
from gpukit.bench.engine import measure
from gpukit.bench.environment import conditions
from gpukit.bench.result import BenchResult, BenchTable, SimulatedBenchResult
from gpukit.bench.stopping import StoppingRule
from gpukit.errors import BenchError
from gpukit.report import Progress

_TRANSFERS = ("split", "none", "include")


def _moved(value: Any, device: Any) -> Any:
    """Tensors, also inside lists, tuples and dicts, on `device`; everything else as it is."""
    if isinstance(value, gpukit.Tensor):
        return value.to(device)
    if isinstance(value, (list, tuple)):
        return type(value)(_moved(item, device) for item in value)
    if isinstance(value, dict):
        return {key: _moved(item, device) for key, item in value.items()}
    return value


def _tensors(value: Any) -> list[Any]:
    if isinstance(value, gpukit.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in _tensors(item)]
    return []


def choose_devices(device: Any, devices: Any, arguments: Sequence[Any]) -> list[Any]:
    """Those named, else CPU and every GPU for inputs on the CPU, else the inputs' own devices."""
    if device is not None and devices is not None:
        raise ValueError("bench: give device= or devices=, not both")
    if device is not None:
        return [gpukit.device(device).resolve()]
    if devices is not None:
        return [gpukit.device(d).resolve() for d in devices]
    homes = {tensor.device for tensor in _tensors(list(arguments))}
    if not homes:
        return [gpukit.cpu()]
    if homes == {gpukit.cpu()}:
        return [gpukit.cpu(), *gpukit_gpus()]
    return sorted(homes, key=str)


def gpukit_gpus() -> list[Any]:
    """Every usable GPU."""
    return [d for d in gpukit.try_all_gpus() if d.type != "cpu"]


class Case:
    """One function with its inputs and what is known of its work."""

    def __init__(
        self,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        *,
        name: str,
        flops: float | None = None,
        bytes_moved: float | None = None,
        terms: int = 1,
        tol: float | None = None,
    ) -> None:
        self.fn, self.args, self.kwargs = fn, tuple(args), dict(kwargs or {})
        self.name, self.flops, self.bytes_moved = name, flops, bytes_moved
        self.terms, self.tol = terms, tol

    def tolerance(self, answer: Any) -> float:
        """The largest error relative to the largest element that still counts as agreeing."""
        return self.tol if self.tol is not None else tolerance(dtype_name(answer), self.terms)


def run_on(
    case: Case, device: Any, *, rule: StoppingRule, warmup: int | None, transfer: str
) -> tuple[BenchResult, Any]:
    """Measures one case on one device; gives the result and the answer on the host."""
    kind = SimulatedBenchResult if device.simulated else BenchResult
    result = kind(
        case.name, str(device), flops=case.flops, bytes=case.bytes_moved, environment=conditions()
    )
    clock = DeviceClock(device)
    args, kwargs = _moved(case.args, device), _moved(case.kwargs, device)

    def compute() -> Any:
        return case.fn(*args, **kwargs)

    def with_copies() -> Any:
        moved = case.fn(*_moved(case.args, device), **_moved(case.kwargs, device))
        return _moved(moved, "cpu")

    seen = measure(
        clock, with_copies if transfer == "include" else compute, warmup=warmup, rule=rule
    )
    result.take(seen.time)
    result.wall, result.device = seen.wall, seen.device
    result.first_call_ms, result.naive_ms = seen.first_call * 1e3, seen.naive * 1e3
    result.compute = seen.time.median
    if transfer == "split" and device.type != "cpu":
        _split_transfers(result, case, clock, seen.answer, rule)
    elif device.type == "cpu":
        result.total = seen.time.median
    return result, host_answer(seen.answer)


def _split_transfers(
    result: BenchResult,
    case: Case,
    clock: DeviceClock,
    answer: Any,
    rule: StoppingRule,
) -> None:
    """Times the copies to the device and back; inputs that were there already cost nothing."""
    short = StoppingRule(
        min_time=rule.min_time / 4, max_time=rule.max_time / 4, repeats=rule.repeats
    )
    if any(t.device.type == "cpu" for t in _tensors([case.args, case.kwargs])):
        up = measure(
            clock,
            lambda: (_moved(case.args, clock.device), _moved(case.kwargs, clock.device)),
            rule=short,
        )
        result.upload = up.time.median
    if _tensors([answer]):
        down = measure(clock, lambda: _moved(answer, "cpu"), rule=short)
        result.download = down.time.median
    result.total = (result.upload or 0.0) + (result.compute or 0.0) + (result.download or 0.0)


def judge(result: BenchResult, answer: Any, base: BenchResult, expected: Any, case: Case) -> None:
    """Compares the answer first; a speed-up needs one that agrees and times of one kind."""
    result.max_rel_err = largest_error(answer, expected)
    result.agrees = result.max_rel_err <= case.tolerance(expected)
    if not result.agrees or result.simulated != base.simulated:
        return
    if result.median and base.median:
        result.speedup = base.median / result.median
    if result.total and base.total:
        result.speedup_total = base.total / result.total


def run_case(
    case: Case,
    devices: Sequence[Any],
    *,
    rule: StoppingRule,
    warmup: int | None,
    transfer: str,
    check: bool | str,
    progress: Progress,
) -> list[BenchResult]:
    """Measures a case on every device; the first device's answer is the expected one."""
    results: list[BenchResult] = []
    base: BenchResult | None = None
    expected: Any = None
    for device in devices:
        progress.step(f"{case.name} on {device}")
        try:
            result, answer = run_on(case, device, rule=rule, warmup=warmup, transfer=transfer)
        except Exception as error:
            if len(devices) == 1:
                raise
            failed = f"{type(error).__name__}: {error}"
            results.append(BenchResult(case.name, str(device), error=failed))
            continue
        if base is None:
            base, expected = result, answer
        elif check:
            judge(result, answer, base, expected, case)
            _refuse_wrong(result, base, case, expected, check)
        results.append(result)
    return results


def _refuse_wrong(
    result: BenchResult, base: BenchResult, case: Case, expected: Any, check: bool | str
) -> None:
    if check == "raise" and result.agrees is False:
        raise BenchError(
            f"{result.device_name} and {base.device_name} differ: max relative error "
            f"{result.max_rel_err:.2g} > {case.tolerance(expected):.2g}. No speed-up is reported."
        )


def check_arguments(  # noqa: PLR0917
    warmup: int | str,
    min_time: float,
    max_time: float,
    repeats: int | None,
    transfer: str,
    check: bool | str,
) -> None:
    """Typed errors that name the argument, the value and the fix."""
    if isinstance(warmup, str) and warmup != "auto":
        raise ValueError(f"bench: warmup must be 'auto' or a count, got {warmup!r}")
    for name, value in (("min_time", min_time), ("max_time", max_time)):
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise TypeError(f"bench: {name} must be seconds, got {value!r}")
        if not value > 0:
            raise ValueError(f"bench: {name} must be above 0 seconds, got {value!r}")
    if repeats is not None and (isinstance(repeats, bool) or not isinstance(repeats, int)):
        raise TypeError(f"bench: repeats must be a count, got {repeats!r}")
    if repeats is not None and repeats < 1:
        raise ValueError(f"bench: repeats must be at least 1, got {repeats!r}")
    if transfer not in _TRANSFERS:
        raise ValueError(
            f"bench: transfer must be one of {', '.join(_TRANSFERS)}, got {transfer!r}"
        )
    if check not in (True, False, "raise"):
        raise ValueError(f"bench: check must be True, False or 'raise', got {check!r}")


def named_functions(fn: Any, name: str | None) -> dict[str, Callable[..., Any]]:
    """The functions to measure by name. Throws TypeError for what cannot be called."""
    single = name or str(getattr(fn, "__name__", "fn"))
    functions: dict[Any, Any] = dict(fn) if isinstance(fn, Mapping) else {single: fn}
    if not functions:
        raise ValueError("bench: the dict of functions is empty; give at least one")
    for label, function in functions.items():
        if not callable(function):
            raise TypeError(
                f"bench: fn must be callable, got {function!r}. "
                "Pass function and arguments apart: gpukit.bench(f, x), not gpukit.bench(f(x))."
            )
        if not isinstance(label, str):
            raise TypeError(f"bench: names of functions must be text, got {label!r}")
    return functions


def run(
    fn: Callable[..., Any] | Mapping[str, Callable[..., Any]] | None = None,
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
    setup: Callable[[], Any] | None = None,
    verbose: bool = True,
    **kwargs: Any,
) -> BenchResult | BenchTable:
    """Times `fn(*args, **kwargs)` honestly: synchronised, warmed up, repeated, answers compared.

    Without `fn` it detects what can compute and times matmul, add and copy on the CPU and on every
    usable GPU.

    Args:
        fn: a function, or a dict of named functions to compare.
        *args: its inputs; tensors in them are moved to each device before the timing.
        device: the one device to measure on.
        devices: several devices. Default: CPU and all GPUs when the inputs are on the CPU, else
            the devices of the inputs.
        name: what the row is called. Default: the function's name.
        warmup: "auto" (until steady) or a number of calls.
        min_time: seconds to spend on each row at least.
        max_time: seconds to spend on each row at most.
        repeats: a fixed number of samples instead.
        transfer: "split" times copies apart, "include" counts them into the time, "none" leaves
            them out.
        check: compare answers; "raise" raises BenchError when they differ.
        tol: largest error relative to the largest element; default from the dtype.
        setup: called once before the measurement.
        verbose: show progress.
        **kwargs: named inputs of the function.

    Returns:
        A BenchResult for one function on one device, else a BenchTable.

    Raises:
        TypeError: `fn` is not callable. ValueError: a time, count or mode is out of range.
        BenchError: with check="raise", answers differ.

    Example:
        >>> import gpukit
        >>> x = gpukit.rand(64, 64)
        >>> result = gpukit.bench(gpukit.matmul, x, x, device="cpu", max_time=0.3, verbose=False)
        >>> result.median > 0
        True
    """
    check_arguments(warmup, min_time, max_time, repeats, transfer, check)
    rule = StoppingRule(min_time=min(min_time, max_time), max_time=max_time, repeats=repeats)
    rounds = warmup if isinstance(warmup, int) else None
    if fn is None:
        from gpukit.bench.standard import run_standard

        return run_standard(device=device, devices=devices, rule=rule, verbose=verbose)
    functions = named_functions(fn, name)
    chosen = choose_devices(device, devices, [*args, *kwargs.values()])
    if setup is not None:
        setup()
    results: list[BenchResult] = []
    with Progress(len(functions) * len(chosen), visible=verbose) as progress:
        for label, function in functions.items():
            case = Case(function, args, kwargs, name=label, tol=tol)
            results += run_case(
                case,
                chosen,
                rule=rule,
                warmup=rounds,
                transfer=transfer,
                check=check,
                progress=progress,
            )
    if len(results) == 1:
        return results[0]
    return BenchTable(name or "gpukit bench", results)
