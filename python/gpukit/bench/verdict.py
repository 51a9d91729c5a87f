"""What holds a function back, in a word and in a sentence."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import gpukit
from gpukit import _core
from gpukit.bench.peaks import Peaks, peaks
from gpukit.bench.work import Work
from gpukit.report import bytes_text, count_text, duration_text

_LAUNCHES = 100


@dataclass(frozen=True)
class Verdict:
    """The largest of four times a function needs at least, and the share of the peak reached."""

    bound: str
    sentence: str
    percent_of_peak: float | None


@functools.lru_cache(maxsize=64)
def _launch_seconds(device: Any, session: int) -> float:  # noqa: ARG001 (a simulation's own)
    """Seconds that one operation costs on a device before any work: the least of a few rounds."""
    one = gpukit.zeros(1, device=device)
    if device.type == "cpu":
        return min(_host_seconds(one) for _ in range(5)) / _LAUNCHES
    return min(_event_seconds(one, device) for _ in range(3)) / _LAUNCHES


def _host_seconds(one: Any) -> float:
    begin = perf_counter()
    for _ in range(_LAUNCHES):
        one.neg()
    return perf_counter() - begin


def _event_seconds(one: Any, device: Any) -> float:
    with gpukit.cuda.device(device):
        start, stop = (gpukit.cuda.Event(enable_timing=True) for _ in range(2))
        one.neg()
        gpukit.synchronize(device)
        start.record()
        for _ in range(_LAUNCHES):
            one.neg()
        stop.record()
        stop.synchronize()
        return float(start.elapsed_time(stop)) / 1e3


def launch_seconds(device: Any) -> float:
    """Seconds that one operation costs on a device before any work; measured once a session."""
    return _launch_seconds(device, _core.session_id() if device.type == "cuda" else 0)


def arithmetic_seconds(work: Work, best: Peaks) -> float | None:
    """Seconds of the counted flops at the peak of their dtypes; None when there is no peak."""
    if not work.flops:
        return None
    rates = {dtype: best.gflops(dtype) for dtype in work.flops}
    if not all(rates.values()):
        return None
    return sum(flops / (rates[dtype] or 1) / 1e9 for dtype, flops in work.flops.items())


def memory_seconds(work: Work, best: Peaks) -> float | None:
    """Seconds of the counted bytes at the peak of the device's memory."""
    return work.bytes / best.bandwidth / 1e9 if best.bandwidth and work.bytes else None


def _fits_cache(work: Work, device: Any) -> bool:
    """True when the operands of an operation may come from the cache, not from memory."""
    if device.type == "cpu":
        return True  # how large its last cache is differs too much to say
    cache = gpukit.cuda.get_device_properties(device).L2_cache_size
    return work.bytes / max(work.operations, 1) <= 2 * cache


def _sentence(bound: str, seconds: float, measured: float, work: Work, best: Peaks) -> str:
    least = duration_text(seconds)
    if bound == "copy":
        return f"copy-bound: copies take {least}, the work itself {duration_text(measured)}."
    if bound == "launch":
        started = (
            f"{work.operations} operations cost"
            if work.operations > 1
            else "the one operation costs"
        )
        return (
            f"launch-bound: {started} {least} to start, of {duration_text(measured)}; "
            "larger or fewer operations would pay."
        )
    if bound == "memory":
        return (
            f"memory-bound: {bytes_text(work.bytes)} to move take {least} at "
            f"{best.bandwidth:.0f} GB/s, of {duration_text(measured)}."
        )
    return (
        f"compute-bound: {count_text(work.total_flops)}FLOP take {least} at the peak, "
        f"of {duration_text(measured)}."
    )


def judge_bound(work: Work, device: Any, seconds: float, copies: float) -> Verdict | None:
    """Says which of launch, memory, compute and copy is the longest; None when nothing is counted.

    Args:
        work: what was counted.
        device: where it ran.
        seconds: what it took, without copies.
        copies: seconds of upload and download together.
    """
    if work.operations == 0:
        return None
    best = peaks(device)
    needs = {
        "launch": work.operations * launch_seconds(device),
        "memory": memory_seconds(work, best),
        "compute": arithmetic_seconds(work, best),
    }
    known = {name: value for name, value in needs.items() if value}
    if not known:
        return None
    bound = max(known, key=lambda name: known[name])
    least = known[bound]
    if copies > seconds:
        bound, least = "copy", copies
    percent = _percent(bound, least, seconds, work, device)
    return Verdict(bound, _sentence(bound, least, seconds, work, best), percent)


def _percent(bound: str, least: float, seconds: float, work: Work, device: Any) -> float | None:
    """The share of the peak that binds; none where the peak is itself a measurement or a model."""
    if device.type == "cpu" or device.simulated or seconds <= 0:
        return None
    if bound == "compute" or (bound == "memory" and not _fits_cache(work, device)):
        return 100 * least / seconds
    return None
