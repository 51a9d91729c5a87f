"""A ratio is computed only between times of one kind whose results agree."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gpukit.bench.accuracy import largest_error
from gpukit.bench.case import Case
from gpukit.bench.result import BenchResult
from gpukit.bench.work import Work
from gpukit.errors import BenchError


@dataclass(frozen=True)
class Measured:
    """A row with what it computed, as NumPy arrays, the work it counted, the devices it used."""

    result: BenchResult
    answer: Any
    work: Work = field(default_factory=Work)
    used: list[Any] = field(default_factory=list)


class Judge:
    """Compares every row with the first one that has a result."""

    def __init__(self, check: bool | str = True) -> None:
        self._check = check
        self._first: Measured | None = None

    def take(self, row: Measured, case: Case) -> None:
        """Judges a row. With check="raise", raises BenchError if its result differs."""
        if row.result.error is not None:
            return
        if self._first is None:
            self._first = row
        elif self._check:
            self._compare(row, self._first, case)

    def _compare(self, row: Measured, first: Measured, case: Case) -> None:
        result = row.result
        limit = case.tolerance(first.answer, max(first.work.longest_sum, row.work.longest_sum))
        result.max_rel_err = largest_error(row.answer, first.answer)
        result.agrees = result.max_rel_err <= limit
        if not result.agrees and self._check == "raise":
            raise BenchError(
                f"{result.subject} and {first.result.subject} differ: max relative error "
                f"{result.max_rel_err:.2g} > {limit:.2g}. No speed-up is reported."
            )
        if result.agrees and result.simulated == first.result.simulated:
            give_speedup(result, first.result)


def give_speedup(result: BenchResult, base: BenchResult) -> None:
    """The ratios to the first row; between libraries by the host clock, which both have."""
    if result.library != base.library:
        result.speedup = _ratio(base.wall, result.wall)
        return
    result.speedup = _ratio(base.median, result.median)
    result.speedup_low = _ratio(base.low, result.high)
    result.speedup_high = _ratio(base.high, result.low)
    result.speedup_total = _ratio(base.total, result.total)


def _ratio(slow: float | None, fast: float | None) -> float | None:
    return slow / fast if slow is not None and fast else None
