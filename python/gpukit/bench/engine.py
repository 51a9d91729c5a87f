"""The measuring loop: warm up until steady, then sample until the median is certain."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median
from time import perf_counter
from typing import Any

from gpukit.bench.clock import Clock, Sample
from gpukit.bench.stats import Summary, summarize
from gpukit.bench.stopping import StoppingRule, is_steady

# A sample shorter than this reads more of the clock than of the work.
MIN_SAMPLE_SECONDS = 1e-4
MAX_INNER = 10_000
WARMUP_CAP = 50
# Samples that a result carries along, evenly taken from all.
MAX_KEPT = 1000


@dataclass(frozen=True)
class Measurement:
    """The loop's measurements of one function on one device, in seconds per call.

    `queued` is what a stopwatch without synchronise reads while the work of `setup` is queued.
    """

    time: Summary
    wall: float
    device: float | None
    naive: float
    first_call: float
    queued: float | None = None
    samples: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Plan:
    """How to measure: rounds of warm-up (None: until steady), when to stop, what goes before."""

    rule: StoppingRule = field(default_factory=StoppingRule)
    warmup: int | None = None
    setup: Callable[[], Any] | None = None
    flush_l2: bool = False

    def shorter(self, share: float = 0.25) -> Plan:
        """The same with part of the time and without `setup`, for secondary measurements."""
        rule = self.rule
        less = StoppingRule(rule.min_time * share, rule.max_time * share, rule.repeats)
        return Plan(less, self.warmup, None, self.flush_l2)


def _shown_time(sample: Sample) -> float:
    return sample.wall if sample.device is None else sample.device


def warm_up(clock: Clock, call: Callable[[], Any], plan: Plan) -> float:
    """Calls until two windows of medians agree, or `plan.warmup` times; returns a call's last time.

    The cap is a quarter of the time of the whole measurement.
    """
    begin = perf_counter()
    times: list[float] = []
    limit = WARMUP_CAP if plan.warmup is None else max(plan.warmup, 1)
    while len(times) < limit:
        times.append(clock.sample(call, setup=plan.setup).wall)
        spent = perf_counter() - begin
        if plan.warmup is None and (is_steady(times) or spent > plan.rule.max_time / 4):
            break
    return median(times[-3:])


def _inner_count(clock: Clock, call: Callable[[], Any], plan: Plan, rough: float) -> int:
    """Calls a sample: many short ones, but one after each setup or flush.

    Tried out, because a single call's time is mostly that of the wait after it.
    """
    if plan.setup is not None or plan.flush_l2:
        return 1
    inner, lasts = 1, rough
    while lasts < MIN_SAMPLE_SECONDS and inner < MAX_INNER:
        inner = min(MAX_INNER, math.ceil(inner * max(2.0, MIN_SAMPLE_SECONDS / max(lasts, 1e-7))))
        lasts = clock.sample(call, inner).wall * inner
    return inner


def measure(
    clock: Clock, call: Callable[[], Any], plan: Plan, first: Sample | None = None
) -> Measurement:
    """Measures `call`; its first call is timed apart, or was already: `first`."""
    begin = perf_counter()
    if first is None:
        first = clock.sample(call, setup=plan.setup)
    inner = _inner_count(clock, call, plan, warm_up(clock, call, plan))
    samples = _take_samples(clock, call, plan, inner, begin)
    devices = [s.device for s in samples if s.device is not None]
    wall = [sample.wall for sample in samples]
    times = devices if len(devices) == len(samples) else wall
    return Measurement(
        time=summarize(times),
        wall=median(wall),
        device=median(devices) if times is devices else None,
        naive=median(s.naive for s in samples),
        first_call=first.wall,
        queued=None if plan.setup is None else clock.unsynchronised(call, plan.setup),
        samples=times[:: math.ceil(len(times) / MAX_KEPT)],
    )


def _take_samples(
    clock: Clock, call: Callable[[], Any], plan: Plan, inner: int, begin: float
) -> list[Sample]:
    """Samples until the rule has enough. It is evaluated less often the more samples there are.

    They start again when a call uses a device that no call before it used.
    """
    samples: list[Sample] = []
    times: list[float] = []
    generation = clock.generation
    while not samples or not plan.rule.enough(times, perf_counter() - begin):
        for _ in range(1 if plan.rule.repeats else max(1, len(times) // 20)):
            sample = clock.sample(call, inner, plan.setup)
            if clock.generation != generation:
                generation = clock.generation
                samples.clear()
                times.clear()
                break
            samples.append(sample)
            times.append(_shown_time(sample))
    return samples
