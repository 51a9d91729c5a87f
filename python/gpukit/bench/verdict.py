"""What holds a function back, in a word and in a sentence."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import gpukit
from gpukit import _core
from gpukit.bench._peaks import Peaks, measure_cpu_again, peaks
from gpukit.bench.work import Work
from gpukit.report import bytes_text, count_text, duration_text

_LAUNCHES = 100


@dataclass(frozen=True)
class Verdict:
    """The largest of four times that a function needs, and the share of the peak it reached."""

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
    """The sentence for the final bound: never a floor above the measured time."""
    least = duration_text(seconds)
    if bound == "launch":
        return (
            f"launch-bound: {_started(work)} {least} to start, of {duration_text(measured)}; "
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


def _started(work: Work) -> str:
    if work.operations > 1:
        return f"{work.operations} operations cost"
    return "the one operation costs"


def _exceeded_sentence(bound: str, measured: float, work: Work) -> str:
    """The sentence for a bound whose peak the result exceeds: its own rate."""
    took = duration_text(measured)
    if bound == "launch":
        return (
            f"launch-bound: {work.operations} operations in {took}, hardly more than their start."
        )
    if bound == "memory":
        rate = f"{count_text(work.bytes / measured)}B/s"
        return (
            f"memory-bound: {bytes_text(work.bytes)} in {took} are {rate}: they come from a cache."
        )
    rate = f"{count_text(work.total_flops / measured)}FLOP/s"
    return (
        f"compute-bound: {count_text(work.total_flops)}FLOP in {took} are {rate}, more than the "
        "peak that is known of this device, so no floor is given."
    )


def floors(work: Work, device: Any) -> dict[str, float]:
    """The times that the work needs at least, by what it needs them for."""
    best = peaks(device)
    needs = {
        "launch": work.operations * launch_seconds(device),
        "memory": memory_seconds(work, best),
        "compute": arithmetic_seconds(work, best),
    }
    return {name: value for name, value in needs.items() if value}


def _valid_floors(work: Work, device: Any, seconds: float) -> dict[str, float]:
    """`floors`; measured ones that the result exceeds are measured again."""
    found = floors(work, device)
    beaten = {name for name, value in found.items() if value > seconds}
    if not beaten or device.simulated:
        return found
    if "launch" in beaten:
        _launch_seconds.cache_clear()
    if beaten & {"memory", "compute"} and device.type == "cpu":
        measure_cpu_again()
    return floors(work, device)


def judge_bound(work: Work, device: Any, seconds: float, copies: float) -> Verdict | None:
    """Says which of launch, memory, compute and copy is the longest; None when nothing is counted.

    Also None when a user's own kernel runs: its minimum work is unknown.

    A measured peak that the result exceeds is measured again. One that is exceeded
    still gives no floor: the sentence says the result's own rate.

    Args:
        work: what was counted.
        device: where it ran.
        seconds: what it took, without copies.
        copies: seconds of upload and download together.
    """
    if work.operations == 0 or seconds <= 0:
        return None
    if copies > seconds:
        told = f"copies take {duration_text(copies)}, the work itself {duration_text(seconds)}"
        return Verdict("copy", f"copy-bound: {told}.", None)
    if work.unknown:
        return None
    known = _valid_floors(work, device, seconds)
    if not known:
        return None
    bound = max(known, key=lambda name: known[name])
    if known[bound] > seconds:
        return Verdict(bound, _exceeded_sentence(bound, seconds, work), None)
    sentence = _sentence(bound, known[bound], seconds, work, peaks(device))
    return Verdict(bound, sentence, _percent(bound, known[bound], seconds, work, device))


def _percent(bound: str, least: float, seconds: float, work: Work, device: Any) -> float | None:
    """The share of the peak that binds; none where the peak is itself a measurement or a model."""
    if device.type == "cpu" or device.simulated:
        return None
    if bound == "compute" or (bound == "memory" and not _fits_cache(work, device)):
        return 100 * least / seconds
    return None
