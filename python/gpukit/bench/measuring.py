"""One case on every device and in every library: measured, counted, compared, judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gpukit.bench.accuracy import host_answer
from gpukit.bench.case import Case, moved, tensors_in
from gpukit.bench.clock import Clock, clock_of
from gpukit.bench.conditions import Watcher, environment
from gpukit.bench.engine import Plan, measure
from gpukit.bench.judge import Judge, Measured
from gpukit.bench.libraries import library
from gpukit.bench.options import Options
from gpukit.bench.peaks import peaks
from gpukit.bench.result import NOT_INSTALLED, BenchResult, result_type
from gpukit.bench.verdict import judge_bound
from gpukit.bench.work import Work, count_work
from gpukit.report import Progress


def run_on(case: Case, device: Any, options: Options) -> Measured:
    """Measures gpukit's own work on one device."""
    result = result_type(device)(case.name, str(device), transfer=options.transfer)
    result.environment = environment()
    clock = clock_of(device, flush_l2=options.plan.flush_l2)
    call = _call_of(case, device, options.transfer)
    watcher = Watcher(device)
    result.take(measure(clock, call, options.plan))
    _take_conditions(result, watcher)
    answer, work = _answer_and_work(call, device, options.plan)
    result.take_work(work)
    if options.transfer == "split" and device.type != "cpu" and case.inputs_on_host:
        _split_transfers(result, case, clock, answer, options)
    result.total = (result.upload or 0.0) + (result.compute or 0.0) + (result.download or 0.0)
    _take_verdict(result, work, device)
    return Measured(result, host_answer(answer), work)


def _call_of(case: Case, device: Any, transfer: str) -> Callable[[], Any]:
    """What is timed: the function alone, or with the copies of inputs and answer."""
    if transfer == "include":
        return lambda: moved(
            case.fn(*moved(case.args, device), **moved(case.kwargs, device)), "cpu"
        )
    args, kwargs = moved(case.args, device), moved(case.kwargs, device)
    return lambda: case.fn(*args, **kwargs)


def _answer_and_work(call: Callable[[], Any], device: Any, plan: Plan) -> tuple[Any, Work]:
    """From a call of their own, so that counting is in no time."""
    if plan.setup is not None:
        plan.setup()
    answers: list[Any] = []
    work = count_work(device, lambda: answers.append(call()))
    return answers[0], work


def median_seconds(call: Callable[[], Any], device: Any, plan: Plan) -> float:
    """The median time of a call on a device, for the rows of an exercise."""
    return measure(clock_of(device), call, plan).time.median


def _take_conditions(result: BenchResult, watcher: Watcher) -> None:
    seen = watcher.seen()
    result.clocks, result.throttled = seen.clocks, seen.throttled
    result.others_on_gpu, result.other_load = seen.others_on_gpu, seen.other_load


def _take_verdict(result: BenchResult, work: Work, device: Any) -> None:
    copies = (result.upload or 0.0) + (result.download or 0.0)
    verdict = judge_bound(work, device, result.compute or 0.0, copies)
    if verdict is None:
        return
    result.bound, result.verdict = verdict.bound, verdict.sentence
    result.percent_of_peak = verdict.percent_of_peak
    result.peak_source = peaks(device).source


def _split_transfers(
    result: BenchResult, case: Case, clock: Clock, answer: Any, options: Options
) -> None:
    """Times the copies of inputs that start on the host, and of the answer back."""
    plan, device = options.plan.shorter(), result.device_name
    up = measure(clock, lambda: (moved(case.args, device), moved(case.kwargs, device)), plan)
    result.upload = up.time.median
    if tensors_in(answer):
        result.download = measure(clock, lambda: moved(answer, "cpu"), plan).time.median


def run_in(name: str, case: Case, device: Any, options: Options) -> Measured:
    """Measures the same function with another library's arrays, by the host clock."""
    other = library(name)
    result = BenchResult(case.name, str(device), name, environment=environment())
    if not other.installed:
        result.error = NOT_INSTALLED
        return Measured(result, None)
    fn = other.function(case.fn)
    args, kwargs = other.inputs(case.args, device), other.inputs(case.kwargs, device)
    watcher = Watcher(device)
    clock = other.clock(device, flush_l2=options.plan.flush_l2)
    result.take(measure(clock, lambda: fn(*args, **kwargs), options.plan))
    _take_conditions(result, watcher)
    result.total = result.median
    return Measured(result, host_answer(fn(*args, **kwargs)))


def places(devices: Sequence[Any], options: Options) -> Iterator[tuple[str, Any]]:
    """Every library on every device that it reaches; one that is missing stands there once."""
    for name in options.libraries:
        other = library(name)
        if name == "gpukit":
            yield from ((name, device) for device in devices)
        elif not other.installed:
            yield name, devices[0]
        else:
            yield from ((name, device) for device in devices if other.reaches(device))


def run_cases(
    cases: Sequence[Case],
    devices: Sequence[Any],
    options: Options,
    judges: Sequence[Judge],
    *,
    verbose: bool = True,
) -> list[BenchResult]:
    """Measures each case everywhere, with progress. The error of an only row is the caller's."""
    wanted = list(places(devices, options))
    with Progress(len(cases) * len(wanted), visible=verbose) as progress:
        if len(cases) == len(wanted) == 1:
            (name, device), (case,) = wanted[0], cases
            progress.step(f"{case.name} on {device}")
            return [run_row(name, case, device, options).result]
        return [
            row
            for case, judge in zip(cases, judges, strict=True)
            for row in run_case(case, devices, options, progress, judge)
        ]


def run_case(
    case: Case, devices: Sequence[Any], options: Options, progress: Progress, judge: Judge
) -> list[BenchResult]:
    """Measures a case everywhere. A failing row keeps its error and the others still run."""
    rows: list[BenchResult] = []
    counted = Work()
    for name, device in places(devices, options):
        progress.step(f"{case.name} in {name} on {device}")
        try:
            row = run_row(name, case, device, options)
        except Exception as error:
            rows.append(failed_row(case.name, device, error, name))
            continue
        if name == "gpukit":
            counted = row.work
        else:
            row.result.take_work(counted)  # it is the same function
        judge.take(row, case)
        rows.append(row.result)
    return rows


def run_row(name: str, case: Case, device: Any, options: Options) -> Measured:
    """Measures a case in one library on one device."""
    if name == "gpukit":
        return run_on(case, device, options)
    return run_in(name, case, device, options)


def failed_row(
    name: str, device: Any, error: BaseException, library_name: str = "gpukit"
) -> BenchResult:
    """A row that says why it has no time."""
    text = f"{type(error).__name__}: {error}"
    return result_type(device)(name, str(device), library_name, error=text)
