"""Medians of samples that end with the device idle."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from statistics import median
from time import perf_counter
from typing import Any

from gpu_day.sheet import simulated

Work = Callable[[], Any]
SAMPLES = 3 if simulated() else 15
SAMPLE_S = 0.002 if simulated() else 0.02


def sample(work: Work, wait: Work, inner: int) -> float:
    """Seconds of one call: `inner` calls queued, then the wait for the last."""
    wait()
    begin = perf_counter()
    for _ in range(inner):
        work()
    wait()
    return (perf_counter() - begin) / inner


def inner_count(work: Work, wait: Work) -> int:
    """Calls a sample, so that a sample lasts about SAMPLE_S."""
    sample(work, wait, 1)
    return max(1, min(10_000, math.ceil(SAMPLE_S / max(sample(work, wait, 1), 1e-7))))


def interleaved(works: Mapping[str, tuple[Work, Work]]) -> dict[str, tuple[float, float]]:
    """Name -> (median seconds, half the middle half over the median); samples in turn."""
    inner = {name: inner_count(work, wait) for name, (work, wait) in works.items()}
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(SAMPLES):
        for name, (work, wait) in works.items():
            times[name].append(sample(work, wait, inner[name]))
    return {name: (median(values), spread(values)) for name, values in times.items()}


def spread(values: list[float]) -> float:
    """Half the distance between the quartiles, over the median."""
    ordered = sorted(values)
    quarter = len(ordered) // 4
    return (ordered[-1 - quarter] - ordered[quarter]) / 2 / median(ordered)


def seconds(work: Work, wait: Work) -> tuple[float, float]:
    """Median and spread of one work."""
    return interleaved({"": (work, wait)})[""]


def host_seconds(work: Work, wait: Work, calls: int = 100) -> float:
    """Median seconds that the host is busy with one call; the device is idle at first."""
    times = []
    for _ in range(SAMPLES):
        wait()
        begin = perf_counter()
        for _ in range(calls):
            work()
        times.append((perf_counter() - begin) / calls)
    wait()
    return median(times)
