"""One case on every device and in every library: measured, counted, compared, judged."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import gpukit
from gpukit._names.plural import count_of
from gpukit._simulation.launch_counts import LaunchCounts
from gpukit._simulation.session import counted as counted_launches
from gpukit.bench._peaks import peaks
from gpukit.bench.accuracy import host_answer
from gpukit.bench.case import Case, default_device, moved, refuse_unfinished, tensors_in
from gpukit.bench.clock import DeviceClock, Sample, clock_of
from gpukit.bench.conditions import Watcher, environment
from gpukit.bench.engine import Plan, measure
from gpukit.bench.foreign import Waits, devices_of
from gpukit.bench.judge import Judge, Measured
from gpukit.bench.libraries import library
from gpukit.bench.options import Options
from gpukit.bench.result import NOT_INSTALLED, BenchResult, result_type
from gpukit.bench.torch_work import count_torch
from gpukit.bench.verdict import judge_bound
from gpukit.bench.work import Work, count_works, total_work
from gpukit.errors import BenchError
from gpukit.report import Progress


def run_on(case: Case, device: Any, options: Options) -> Measured:
    """Measures gpukit's own work on one device; None: on those that the function uses by itself."""
    waits = Waits(case.fn, [case.args, case.kwargs], options.wait)
    with default_device(device if options.named else None):
        call = _call_of(case, device, options.transfer)
        clock = DeviceClock(
            [] if device is None else [device], flush_l2=options.plan.flush_l2, wait=waits
        )
        first = _first_sample(clock, call, waits, options.plan)
        watcher = Watcher(next(iter(clock.devices()), device or gpukit.cpu()))
        seen = measure(clock, call, options.plan, first)
        counted = _count(call, clock, options.plan)
        used = devices_used(clock, counted)
        result = result_type(used or [device])(
            case.name, _label(used, device), transfer=options.transfer
        )
        result.environment = environment()
        result.take(seen)
        _take_conditions(result, watcher)
        result.remarks = _remarks(used, device, counted, waits.uncounted)
        result.add_work(counted.total)
        if counted.launches is not None:
            result.counts = counted.launches.to_dict()
        if options.transfer == "split" and _is_gpu(device) and case.inputs_on_host:
            _split_transfers(result, case, device, counted.answer, options)
    result.total = (result.upload or 0.0) + (result.compute or 0.0) + (result.download or 0.0)
    with gpukit.allow_sync():  # waits of bench, not of the function
        _take_verdict(result, counted, used)
        return Measured(result, host_answer(counted.answer), counted.total, used)


def _is_gpu(device: Any) -> bool:
    return device is not None and device.type != "cpu"


def _first_sample(clock: DeviceClock, call: Callable[[], Any], waits: Waits, plan: Plan) -> Sample:
    """The first call. Its result is inspected: lazy work that has not run has no time."""
    answers: list[Any] = []

    def opening() -> Any:
        answers.append(call())
        return answers[0]

    clock.keeps_answers = True
    first = clock.sample(opening, setup=plan.setup)
    refuse_unfinished(answers[0])
    waits.check_answer(answers[0])
    clock.keeps_answers = waits.needs_answers
    return first


def _call_of(case: Case, device: Any, transfer: str) -> Callable[[], Any]:
    """What is timed: the function alone, or with the copies of inputs and result."""
    if device is None:
        return lambda: case.fn(*case.args, **case.kwargs)  # no tensor is among them
    if transfer == "include":
        return lambda: moved(
            case.fn(*moved(case.args, device), **moved(case.kwargs, device)), "cpu"
        )
    with gpukit.allow_sync():
        args, kwargs = moved(case.args, device), moved(case.kwargs, device)
    return lambda: case.fn(*args, **kwargs)


@dataclass(frozen=True)
class _Counted:
    """One counted call: its result, gpukit's work by device, devices of other libraries.

    `threads` are those that it started and that still ran when it returned; `launches` is what a
    simulation counted; `of_torch` how many of the operations are torch's.
    """

    answer: Any
    works: dict[Any, Work]
    others: set[str]
    threads: int
    launches: LaunchCounts | None = None
    of_torch: int = 0

    @property
    def total(self) -> Work:
        """The work on all devices."""
        return total_work(list(self.works.values()))


def _count(call: Callable[[], Any], clock: DeviceClock, plan: Plan) -> _Counted:
    """A separate call, so that counting is not timed."""
    if plan.setup is not None:
        plan.setup()
    answers: list[Any] = []
    torchs: dict[str, Work] = {}
    before = set(threading.enumerate())
    places = [gpukit.cpu(), *clock.devices()]
    works: list[Work] = []
    launches = counted_launches(
        lambda: works.extend(
            count_works(places, lambda: torchs.update(count_torch(lambda: answers.append(call()))))
        )
    )
    left = [t for t in threading.enumerate() if t not in before and t.is_alive()]
    return _Counted(
        answers[0],
        _with_torch(dict(zip(places, works, strict=True)), torchs),
        {*torchs, *devices_of(answers[0])},
        len(left),
        launches,
        sum(work.operations for work in torchs.values()),
    )


def _with_torch(works: dict[Any, Work], torchs: dict[str, Work]) -> dict[Any, Work]:
    """Gpukit's work and torch's, by device; a device that gpukit does not know goes by its name."""
    by_name = {str(device): device for device in works}
    merged = dict(works)
    for name, work in torchs.items():
        device = by_name.get(name, name)
        merged[device] = total_work([merged[device], work]) if device in merged else work
    return merged


def devices_used(clock: DeviceClock, counted: _Counted) -> list[Any]:
    """The devices that calls used, the CPU first; names where they are another library's."""
    found = [device for device in clock.devices() if device.index in clock.used]
    on_cpu = counted.works[gpukit.cpu()]
    if on_cpu.operations > on_cpu.copies or "cpu" in counted.others:
        found.insert(0, gpukit.cpu())
    known = {str(device) for device in found}
    return found + sorted(name for name in counted.others if name not in known)


def _label(used: Sequence[Any], device: Any) -> str:
    """Every device by name; where none was given work, the one that was asked for, or the CPU."""
    return ", ".join(map(str, used)) or str(device or gpukit.cpu())


def _remarks(
    used: Sequence[Any], device: Any, counted: _Counted, uncounted: Sequence[str]
) -> list[str]:
    remarks = []
    if used and device is not None and str(device) not in map(str, used):
        remarks.append(
            f"{device} was asked for and did nothing: the work was on {_label(used, None)}"
        )
    if counted.of_torch:
        remarks.append(
            f"{count_of(counted.of_torch, 'operator')} of torch: FLOPs are by torch's formulas "
            "where it has one, and none are counted inside compiled code"
        )
    if uncounted:
        names = " and ".join(uncounted)
        remarks.append(f"work inside {names} cannot be counted: FLOPs and bytes leave it out")
    if counted.threads:
        remarks.append(
            f"{counted.threads} threads that the call started ran on when it returned: what they "
            "do then is not in the time"
        )
    return remarks


def median_seconds(call: Callable[[], Any], device: Any, plan: Plan) -> float:
    """The median time of a call on a device, for the rows of an exercise."""
    return measure(clock_of(device), call, plan).time.median


def _take_conditions(result: BenchResult, watcher: Watcher) -> None:
    seen = watcher.seen()
    result.clocks, result.throttled = seen.clocks, seen.throttled
    result.others_on_gpu, result.other_load = seen.others_on_gpu, seen.other_load


def _take_verdict(result: BenchResult, counted: _Counted, used: Sequence[Any]) -> None:
    """Only where one device did it all: the time of several is that of none."""
    if len(used) != 1 or isinstance(used[0], str) or used[0] not in counted.works:
        return
    device = used[0]
    copies = (result.upload or 0.0) + (result.download or 0.0)
    verdict = judge_bound(counted.works[device], device, result.compute or 0.0, copies)
    if verdict is None:
        return
    result.bound, result.verdict = verdict.bound, verdict.sentence
    result.percent_of_peak = verdict.percent_of_peak
    result.peak_source = peaks(device).source


def _split_transfers(
    result: BenchResult, case: Case, device: Any, answer: Any, options: Options
) -> None:
    """Times the copies of inputs that start on the host, and of the result back."""
    plan, clock = options.plan.shorter(), clock_of(device, flush_l2=options.plan.flush_l2)
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
    if clock.used:
        raise BenchError(
            f"bench: {case.name} in {name} on {device} used gpukit on "
            f"{_label(clock.devices(), None)}: it holds its own tensors. Pass them as inputs"
        )
    _take_conditions(result, watcher)
    result.total = result.median
    return Measured(result, host_answer(fn(*args, **kwargs)))


def targets(devices: Sequence[Any], options: Options) -> Iterator[tuple[str, Any]]:
    """Every library on every device that it reaches; one that is missing stands there once."""
    for name in options.libraries:
        other = library(name)
        if name == "gpukit":
            yield from ((name, device) for device in devices)
            continue
        others = [device or gpukit.cpu() for device in devices]
        if not other.installed:
            yield name, others[0]
        else:
            yield from ((name, device) for device in others if other.reaches(device))


def run_cases(
    cases: Sequence[Case],
    devices: Sequence[Any],
    options: Options,
    judges: Sequence[Judge],
    *,
    verbose: bool = True,
) -> list[BenchResult]:
    """Measures each case everywhere, with progress. The error of an only row is the caller's."""
    wanted = list(targets(devices, options))
    with Progress(len(cases) * len(wanted), visible=verbose) as progress:
        if len(cases) == len(wanted) == 1:
            (name, device), (case,) = wanted[0], cases
            progress.step(case.name if device is None else f"{case.name} on {device}")
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
    for name, device in targets(devices, options):
        progress.step(f"{case.name} in {name} on {device or gpukit.cpu()}")
        try:
            row = run_row(name, case, device, options)
        except Exception as error:
            rows.append(failed_row(case.name, device, error, name))
            continue
        if name == "gpukit":
            counted = row.work
        else:
            row.result.add_work(counted)  # it is the same function
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
    return result_type([device])(name, str(device or gpukit.cpu()), library_name, error=text)
