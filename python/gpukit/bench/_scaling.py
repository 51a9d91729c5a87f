"""`bench.scaling`: the same work on several devices, sequentially and concurrently."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any, ClassVar

import gpukit
from gpukit._names.plural import count_of
from gpukit.bench.accuracy import host_answer, largest_error, tolerance
from gpukit.bench.case import choose_devices, usable_gpus
from gpukit.bench.clock import DeviceClock
from gpukit.bench.conditions import Watcher
from gpukit.bench.options import check_count
from gpukit.bench.stopping import StoppingRule
from gpukit.bench.tables import ResultTable, percent_text, speedup_text
from gpukit.bench.verdict import judge_bound
from gpukit.bench.work import count_work
from gpukit.report import Column, Progress, duration_text

_WARMUPS = 3
_LOW_EFFICIENCY = 0.75

Call = Callable[[], Any]


class ScalingResult(ResultTable):
    """The work of each device alone, of all sequentially, and of all concurrently.

    Attributes:
        sequential, parallel: seconds of all devices' work sequentially and concurrently.
        speedup, efficiency: concurrent over sequential speed, and that divided by the number of
            devices.
        reason: why the efficiency is low; None when it is not.

    Example:
        >>> import gpukit
        >>> issubclass(gpukit.bench.ScalingResult, gpukit.bench.ResultTable)
        True
    """

    COLUMNS: ClassVar[Sequence[Column]] = (
        Column("how", "work"),
        Column("seconds", "time", duration_text, numeric=True),
        Column("speedup", "speed-up", speedup_text, numeric=True),
        Column("efficiency", "efficiency", lambda v: percent_text(100 * v), numeric=True),
        Column("answer", "answer"),
    )

    @property
    def sequential(self) -> float | None:
        """Seconds of all devices' work one after the other."""
        return self.facts.get("sequential")

    @property
    def parallel(self) -> float | None:
        """Seconds of all devices' work run concurrently."""
        return self.facts.get("parallel")

    @property
    def speedup(self) -> float | None:
        """`sequential` by `parallel`."""
        return self.facts.get("speedup")

    @property
    def efficiency(self) -> float | None:
        """`speedup` by the number of devices."""
        return self.facts.get("efficiency")

    @property
    def reason(self) -> str | None:
        """Why the efficiency is low."""
        return self.facts.get("reason")


@dataclass
class _Target:
    """One device with its share of the work."""

    device: Any
    work: Call
    repeat: int

    def queue(self) -> None:
        for _ in range(self.repeat):
            self.work()

    def wait(self) -> None:
        gpukit.synchronize(self.device)


def _product(size: int) -> Callable[[Any], Call]:
    def make(device: Any) -> Call:
        generator = gpukit.Generator().manual_seed(0)
        a = gpukit.rand(size, size, generator=generator).to(device)
        return lambda: a @ a

    return make


def _in_turn(targets: Sequence[_Target]) -> None:
    for target in targets:
        target.queue()
        target.wait()


def _at_once(targets: Sequence[_Target]) -> None:
    for target in targets:
        target.queue()
    for target in targets:
        target.wait()


def _host_seconds(run: Callable[[Sequence[_Target]], None], targets: Sequence[_Target]) -> float:
    """The median by the host clock, which sees all devices together."""
    rule = StoppingRule(max_time=3.0)
    times: list[float] = []
    begin = perf_counter()
    while not rule.enough(times, perf_counter() - begin):
        started = perf_counter()
        run(targets)
        times.append(perf_counter() - started)
    return median(times)


def _own_seconds(target: _Target) -> float:
    """One device's work by its own clock: the host's says nothing of a simulated device."""
    with gpukit.cuda.device(target.device):
        start, stop = (gpukit.cuda.Event(enable_timing=True) for _ in range(2))
        target.wait()
        start.record()
        target.queue()
        stop.record()
        target.wait()
    return float(start.elapsed_time(stop)) / 1e3


def _spans(targets: Sequence[_Target]) -> tuple[list[float], float, float]:
    """Seconds of each alone, of all in turn, of all at once."""
    if all(target.device.simulated for target in targets):
        alone = [_own_seconds(target) for target in targets]
        return alone, sum(alone), max(alone)
    alone = [_host_seconds(_in_turn, [target]) for target in targets]
    if len(targets) == 1:
        return alone, alone[0], alone[0]
    return alone, _host_seconds(_in_turn, targets), _host_seconds(_at_once, targets)


def _agree(targets: Sequence[_Target], size: int) -> bool:
    answers = [host_answer(target.work()) for target in targets]
    return all(largest_error(a, answers[0]) <= tolerance("float32", size) for a in answers[1:])


def _reason(targets: Sequence[_Target], alone: Sequence[float], throttled: bool) -> str:
    """The likeliest of the known reasons for a low efficiency."""
    first = targets[0]
    verdict = judge_bound(count_work(first.device, first.queue), first.device, alone[0], copies=0.0)
    if max(alone) > 1.3 * min(alone):
        return "the devices differ: the slower one decides"
    if verdict is not None and verdict.bound == "launch":
        return "launch-bound: one thread queues the work of all devices; use a larger size"
    if throttled:
        return "throttling: the clocks were held back while all devices worked"
    return "the devices share something: a PCIe switch, the host's memory, or power"


def _targets(devices: Any, size: int, repeat: int, work: Any) -> list[_Target]:
    chosen = usable_gpus() if devices is None else choose_devices(None, devices, ())
    make = _product(size) if work is None else work
    if not callable(make):
        raise TypeError(f"bench.scaling: work must be callable with a device, got {work!r}")
    targets = [_Target(device, make(device), repeat) for device in chosen or [gpukit.cpu()]]
    for target in targets:
        if not callable(target.work):
            raise TypeError(
                f"bench.scaling: work(device) must give a callable, got {target.work!r}"
            )
    _check_targets([(target.device, target.work) for target in targets])
    if len({target.device.simulated for target in targets}) > 1:
        raise gpukit.SimulationError(
            "bench.scaling: simulated and real devices cannot be compared; name one kind"
        )
    return targets


def _check_targets(targets: Sequence[tuple[Any, Call]]) -> None:
    """Raise BenchError for work that uses another GPU than its own: nobody waits for that one."""
    for device, work in targets:
        clock = DeviceClock()
        clock.sample(work)
        strangers = [other for other in clock.devices() if other != device]
        if strangers:
            raise gpukit.BenchError(
                f"bench.scaling: work({str(device)!r}) gave work to {strangers[0]}; "
                "its function must use the device that it is given"
            )


def _facts(
    targets: Sequence[_Target], alone: list[float], in_turn: float, at_once: float, throttled: bool
) -> dict[str, Any]:
    facts: dict[str, Any] = {"sequential": in_turn}
    if len(targets) > 1:
        facts.update(parallel=at_once, speedup=in_turn / at_once)
        facts["efficiency"] = facts["speedup"] / len(targets)
        if facts["efficiency"] < _LOW_EFFICIENCY:
            facts["reason"] = _reason(targets, alone, throttled)
    return facts


def _rows(
    targets: Sequence[_Target], alone: Sequence[float], facts: dict[str, Any], agree: bool
) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [
        {"how": f"{target.device} alone", "seconds": seconds}
        for target, seconds in zip(targets, alone, strict=True)
    ]
    if len(targets) > 1:
        rows.append({"how": "all in turn", "seconds": facts["sequential"]})
        rows.append({"how": "all concurrently", "seconds": facts["parallel"], "agrees": agree})
        rows[-1]["answer"] = "agrees" if agree else "results differ"
        if agree:
            rows[-1].update(speedup=facts["speedup"], efficiency=facts["efficiency"])
    return rows


def _notes(targets: Sequence[_Target], facts: dict[str, Any]) -> list[str]:
    if len(targets) == 1:
        found = "no GPU was" if targets[0].device.type == "cpu" else "one GPU was"
        return [
            f"Scaling needs two devices, {found} found. "
            "Practise with: gpukit sim 2xT4 -- gpukit bench scaling"
        ]
    return [f"Low because {facts['reason']}."] if "reason" in facts else []


def scaling(
    devices: Any = None,
    size: int = 2048,
    repeat: int = 2,
    work: Callable[[Any], Callable[[], Any]] | None = None,
) -> ScalingResult:
    """Times the same work on every device, sequentially and concurrently, after a warm-up.

    Args:
        devices: default every usable GPU.
        size: of the square matrices of the default work, a product.
        repeat: calls of the work on each device.
        work: receives a device and returns the function to run there.

    Example:
        >>> import gpukit
        >>> alone = gpukit.bench.scaling(devices=["cpu"], size=64)
        >>> alone.speedup is None, len(alone.rows)
        (True, 1)
    """
    check_count("scaling", "size", size)
    check_count("scaling", "repeat", repeat)
    targets = _targets(devices, size, repeat, work)
    with Progress(3) as progress:
        progress.step("warming every device")
        agree = _agree(targets, size)
        for _ in range(1 if targets[0].device.simulated else _WARMUPS):
            _in_turn(targets)
        progress.step("in turn and at once")
        watchers = [Watcher(target.device) for target in targets]
        alone, in_turn, at_once = _spans(targets)
        throttled = any(watcher.seen().throttled for watcher in watchers)
        facts = _facts(targets, alone, in_turn, at_once, throttled)
    if not agree:
        facts["speedup"] = facts["efficiency"] = None
        facts.pop("reason", None)
    rows = _rows(targets, alone, facts, agree)
    what = f"product {size}×{size}" if work is None else getattr(work, "__name__", "work")
    return ScalingResult(
        f"scaling: {repeat} × {what} on {count_of(len(targets), 'device')}",
        rows,
        _notes(targets, facts),
        facts=facts,
        simulated=any(target.device.simulated for target in targets),
    )
