"""The measuring loop: warm up until steady, then sample until the median is certain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any

from gpukit.bench.clock import DeviceClock, Sample
from gpukit.bench.stats import Summary, summarize
from gpukit.bench.stopping import StoppingRule, is_steady

# A sample shorter than this reads more of the clock than of the work.
SHORTEST_SAMPLE = 1e-4
MOST_INNER = 10_000
WARMUP_CAP = 50


@dataclass(frozen=True)
class Measurement:
    """What the loop saw of one function on one device, in seconds a call."""

    time: Summary
    wall: float
    device: float | None
    naive: float
    first_call: float
    answer: Any


def _shown_time(sample: Sample) -> float:
    return sample.wall if sample.device is None else sample.device


def warm_up(
    clock: DeviceClock, call: Callable[[], Any], rounds: int | None, budget: float
) -> float:
    """Calls until two windows of medians agree, or `rounds` times; gives a call's last time."""
    begin = perf_counter()
    times: list[float] = []
    limit = WARMUP_CAP if rounds is None else max(rounds, 1)
    while len(times) < limit:
        times.append(clock.sample(call).wall)
        if rounds is None and (is_steady(times) or perf_counter() - begin > budget):
            break
    return median(times[-3:])


def measure(
    clock: DeviceClock,
    call: Callable[[], Any],
    *,
    warmup: int | None = None,
    rule: StoppingRule,
) -> Measurement:
    """Measures `call`; its first call is timed apart and gives the answer."""
    begin = perf_counter()
    answers: list[Any] = []
    first = clock.sample(lambda: answers.append(call()))
    rough = warm_up(clock, call, warmup, budget=rule.max_time / 4)
    inner = max(1, min(MOST_INNER, round(SHORTEST_SAMPLE / max(rough, 1e-9))))
    samples: list[Sample] = []
    times: list[float] = []
    while not samples or not rule.enough(times, perf_counter() - begin):
        samples.append(clock.sample(call, inner))
        times.append(_shown_time(samples[-1]))
    return Measurement(
        time=summarize(times),
        wall=median(s.wall for s in samples),
        device=None if samples[0].device is None else median(s.device or 0.0 for s in samples),
        naive=median(s.naive for s in samples),
        first_call=first.wall,
        answer=answers[0],
    )
