"""Statistics of a list of times: median, spread and confidence interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Summary:
    """Times of one measurement, all in seconds."""

    median: float
    iqr: float
    min: float
    mean: float
    n: int
    half_width: float

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % confidence interval of the median: at most from 0 to infinity."""
        return max(0.0, self.median - self.half_width), self.median + self.half_width


def quantile(ordered: Sequence[float], fraction: float) -> float:
    """The value at `fraction` of a sorted list, linear between neighbours (NumPy's default)."""
    position = fraction * (len(ordered) - 1)
    low = math.floor(position)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (position - low)


def median_half_width(ordered: Sequence[float]) -> float:
    """Half the width of the 95 % confidence interval of the median, in seconds.

    Ranks from the normal approximation of the binomial: n/2 ± 1.96 · sqrt(n)/2. Infinite below
    five values.
    """
    n = len(ordered)
    if n < 5:
        return math.inf
    spread = 1.96 * math.sqrt(n) / 2
    low = max(0, math.floor(n / 2 - spread))
    high = min(n - 1, math.ceil(n / 2 + spread))
    return (ordered[high] - ordered[low]) / 2


def summarize(times: Sequence[float]) -> Summary:
    """Median, quartile range, extremes and certainty of `times` (seconds, at least one)."""
    ordered = sorted(times)
    middle = median(ordered)
    return Summary(
        median=middle,
        iqr=quantile(ordered, 0.75) - quantile(ordered, 0.25),
        min=ordered[0],
        mean=sum(ordered) / len(ordered),
        n=len(ordered),
        half_width=median_half_width(ordered),
    )
