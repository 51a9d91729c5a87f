"""Results in files, and one file against another."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

from gpukit.bench._bandwidth import BandwidthTable
from gpukit.bench._batching import BatchingResult
from gpukit.bench._crossover import Crossover
from gpukit.bench._logging import LoggingTable
from gpukit.bench._relative import RelativeTable
from gpukit.bench._scaling import ScalingResult
from gpukit.bench.result import BenchResult, BenchTable, refuse_mixing, result_from
from gpukit.bench.tables import ResultTable
from gpukit.report import Column, duration_text

# Medians closer than this are the same for every practical purpose.
_SAME = 0.05


def save(result: BenchResult | ResultTable, path: Any) -> None:
    """Writes a result with its environment as JSON.

    Args:
        result: A BenchResult or a table.
        path: Where to write.

    Raises:
        TypeError: It is not a gpukit.bench result.
        OSError: The file cannot be written.

    Example:
        >>> import gpukit, tempfile, os
        >>> r = gpukit.bench(sum, [1, 2], name="sum", max_time=0.1, verbose=False)
        >>> path = os.path.join(tempfile.mkdtemp(), "r.json")
        >>> gpukit.bench.save(r, path)
        >>> gpukit.bench.load(path).median == r.median
        True
    """
    if not isinstance(result, (BenchResult, ResultTable)):
        raise TypeError(f"bench.save: result must be one of gpukit.bench, got {result!r}")
    Path(path).write_text(result.to_json() + "\n", encoding="utf-8")


def load(path: Any) -> BenchResult | ResultTable:
    """Reads what `save` or `--json` wrote.

    Args:
        path: A file.

    Raises:
        ValueError: the file holds something else.

    Example:
        >>> import gpukit, tempfile, os
        >>> path = os.path.join(tempfile.mkdtemp(), "t.json")
        >>> gpukit.bench.save(gpukit.bench.scaling(["cpu"], size=8), path)
        >>> len(gpukit.bench.load(path).rows)
        1
    """
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
        kind = document["kind"]
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(f"bench.load: {path} is not a result of gpukit.bench ({error})") from error
    kinds: dict[str, Any] = {
        table.__name__: table
        for table in (
            BandwidthTable, BatchingResult, BenchTable, Crossover, DiffTable, LoggingTable,
            RelativeTable, ResultTable, ScalingResult,
        )
    }  # fmt: skip
    if kind == BenchResult.__name__:
        return result_from(document)
    if kind not in kinds:
        raise ValueError(f"bench.load: {path} holds a {kind!r}, which this gpukit does not know")
    return kinds[kind].from_dict(document)  # type: ignore[no-any-return]


class DiffTable(ResultTable):
    """Rows of two results: same, faster, slower, or undecided where the intervals overlap.

    Example:
        >>> import gpukit
        >>> r = gpukit.bench(gpukit.ones, 10, device="cpu", max_time=0.2, verbose=False)
        >>> type(gpukit.bench.diff(r, r)).__name__
        'DiffTable'
    """

    COLUMNS: ClassVar[Sequence[Column]] = (
        Column("name", "what"),
        Column("device_name", "device"),
        Column("before", "before", duration_text, numeric=True),
        Column("after", "after", duration_text, numeric=True),
        Column("change", "change", lambda v: f"{v:+.1f} %", numeric=True),
        Column("verdict", "verdict"),
    )

    def of(self, verdict: str) -> list[dict[str, Any]]:
        """The rows of one verdict: "slower"."""
        return [row for row in self.rows if row["verdict"] == verdict]


def judge_change(before: BenchResult, after: BenchResult, same: float = _SAME) -> str:
    """Says what the 95 % intervals of two medians allow to say.

    "faster" and "slower" need intervals apart and medians further apart than `same`; "same" needs
    both intervals within `same` of each other.
    """
    if before.median is None or after.median is None:
        return "undecided"
    b_low, b_high = _interval(before)
    a_low, a_high = _interval(after)
    if a_high < b_low and after.median < (1 - same) * before.median:
        return "faster"
    if a_low > b_high and after.median > (1 + same) * before.median:
        return "slower"
    widest = max(a_high, b_high) / max(min(a_low, b_low), 1e-12)
    return "same" if widest <= 1 + same else "undecided"


def _interval(result: BenchResult) -> tuple[float, float]:
    """The 95 % interval; nothing is known of a median of fewer than five samples."""
    if result.low is None or result.high is None:
        return 0.0, float("inf")
    return result.low, result.high


def _results(side: Any, argument: str) -> Iterator[BenchResult]:
    found = load(side) if isinstance(side, (str, Path)) else side
    if isinstance(found, BenchResult):
        return iter([found])
    if isinstance(found, BenchTable):
        return iter(found)
    raise TypeError(
        f"bench.diff: {argument} must be a BenchResult, a BenchTable or a saved one, got {found!r}"
    )


def diff(a: Any, b: Any) -> DiffTable:
    """Compares two results row by row: is `b` the same as `a`, faster, slower, or undecided?

    Args:
        a: a BenchResult, a BenchTable, or the path of a saved one.
        b: the later one.

    Raises:
        SimulationError: one is simulated, the other measured.

    Example:
        >>> import gpukit
        >>> r = gpukit.bench(sum, [1, 2], name="sum", repeats=20, verbose=False)
        >>> gpukit.bench.diff(r, r).rows[0]["change"]
        0.0
    """
    before = {_key(result): result for result in _results(a, "a")}
    after = {_key(result): result for result in _results(b, "b")}
    rows = [_row(before[key], after[key]) for key in before if key in after]
    missing = [key for key in {**before, **after} if key not in before or key not in after]
    notes = [f"only on one side: {' on '.join(key[:2])}" for key in missing]
    simulated = any(result.simulated for result in before.values())
    return DiffTable("gpukit bench diff", rows, notes, simulated=simulated)


def _key(result: BenchResult) -> tuple[str, str, str]:
    return result.name, result.device_name, result.library


def _row(before: BenchResult, after: BenchResult) -> dict[str, Any]:
    refuse_mixing(before, after)
    row = {"name": before.name, "device_name": before.device_name}
    values: dict[str, Any] = {"before": before.median, "after": after.median}
    if before.median and after.median:
        values["change"] = 100 * (after.median / before.median - 1)
    return {**row, **values, "verdict": judge_change(before, after)}
