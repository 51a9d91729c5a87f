"""When a measurement has seen enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from gpukit.bench.stats import median_half_width


@dataclass(frozen=True)
class StoppingRule:
    """Stops when the median is certain to `precision`, between min_time and max_time seconds."""

    min_time: float = 0.2
    max_time: float = 5.0
    repeats: int | None = None
    precision: float = 0.02
    least: int = 5

    def enough(self, times: Sequence[float], elapsed: float) -> bool:
        """True when no more samples are needed after `elapsed` seconds."""
        if self.repeats is not None:
            return len(times) >= self.repeats
        if elapsed >= self.max_time:
            return True
        if len(times) < self.least or elapsed < self.min_time:
            return False
        ordered = sorted(times)
        return median_half_width(ordered) <= self.precision * median(ordered)


def is_steady(times: Sequence[float], window: int = 3, agreement: float = 0.05) -> bool:
    """True when the medians of the last two windows agree: the warm-up is over."""
    if len(times) < 2 * window:
        return False
    before = median(times[-2 * window : -window])
    now = median(times[-window:])
    return abs(now - before) <= agreement * max(before, now)
