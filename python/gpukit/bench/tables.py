"""Tables of results: what every exercise returns, and rows of functions on devices side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from gpukit.bench.conditions import environment
from gpukit.bench.result import NOT_INSTALLED, BenchResult, result_from
from gpukit.report import SCHEMA, Column, Table, duration_text, rate_text

SIMULATED_NOTE = (
    "simulated: values are real, times are a model's; no speed-up is given against a measured time."
)


def speedup_text(value: float) -> str:
    """``12.3 ×``."""
    if value < 0.1:
        return f"{value:.2g} ×"
    if value < 10:
        return f"{value:.2f} ×"
    return f"{value:.1f} ×" if value < 100 else f"{value:.0f} ×"


def plain_rate(value: float) -> str:
    """A rate whose unit stands in the heading."""
    return rate_text(value, "").strip()


def percent_text(value: float) -> str:
    """``82 %``."""
    return f"{value:.0f} %"


class ResultTable(Table):
    """The result of an exercise: rows, notes, and `facts` that programs ask for by name.

    Shown as text, HTML, Markdown, CSV and JSON; `plot()` where there is something to draw.

    Example:
        >>> import gpukit
        >>> result = gpukit.bench.batching(n=8, size=16, device="cpu")
        >>> isinstance(result, gpukit.bench.ResultTable), len(result.rows) > 0
        (True, True)
    """

    COLUMNS: ClassVar[Sequence[Column]] = ()

    def __init__(
        self,
        title: str,
        rows: list[dict[str, Any]],
        notes: Sequence[str] = (),
        *,
        facts: dict[str, Any] | None = None,
        simulated: bool = False,
        conditions: dict[str, Any] | None = None,
    ) -> None:
        own = [SIMULATED_NOTE] if simulated and SIMULATED_NOTE not in notes else []
        super().__init__(title, self.COLUMNS, rows, [*notes, *own])
        self.facts = facts or {}
        self.simulated = simulated
        self.environment = environment() if conditions is None else conditions

    @property
    def answers_differ(self) -> bool:
        """True when some row's answer is not that of the first row."""
        return any(row.get("agrees") is False for row in self.rows)

    def to_dict(self) -> dict[str, Any]:
        """The raw values, facts, notes and environment: what `bench.load` reads."""
        return {
            "schema": SCHEMA,
            "kind": type(self).__name__,
            "title": self.title,
            "simulated": self.simulated,
            "facts": self.facts,
            "rows": self.rows,
            "notes": self.notes,
            "environment": self.environment,
        }

    @classmethod
    def from_dict(cls, document: dict[str, Any]) -> ResultTable:
        """The table as `to_dict` wrote it."""
        return cls(
            document["title"],
            document["rows"],
            document["notes"],
            facts=document["facts"],
            simulated=document["simulated"],
            conditions=document["environment"],
        )

    def plot(self, path: Any = None) -> Any:
        """Draws the result (needs matplotlib, the extra "plot") and gives the figure.

        Args:
            path: a file to save the figure to.
        """
        from gpukit.bench.plots import draw

        return draw(self, path)


class BenchTable(ResultTable):
    """Results side by side. `results` holds them as they were measured.

    Example:
        >>> import gpukit
        >>> ops = {"ones": gpukit.ones, "zeros": gpukit.zeros}
        >>> table = gpukit.bench(ops, 10, device="cpu", max_time=0.2, verbose=False)
        >>> [r.name for r in table]
        ['ones', 'zeros']
    """

    COLUMNS: ClassVar[Sequence[Column]] = (
        Column("name", "what"),
        Column("other_library", "library"),
        Column("device_name", "device"),
        Column("median", "time", duration_text, numeric=True),
        Column("spread", "± spread", duration_text, numeric=True),
        Column("gflops", "GFLOP/s", plain_rate, numeric=True),
        Column("gbps", "GB/s", plain_rate, numeric=True),
        Column("percent_of_peak", "of peak", percent_text, numeric=True),
        Column("bound", "bound by"),
        Column("upload", "upload", duration_text, numeric=True),
        Column("download", "download", duration_text, numeric=True),
        Column("naive", "unsynchronised clock says", duration_text, numeric=True),
        Column("speedup", "speed-up", speedup_text, numeric=True),
        Column("speedup_total", "with copies", speedup_text, numeric=True),
        Column("answer", "answer"),
    )

    def __init__(self, title: str, results: list[BenchResult], notes: Sequence[str] = ()) -> None:
        self.results = results
        several = len({result.library for result in results}) > 1
        rows = [_row(result, several) for result in results]
        shared = results[0].environment if results else None
        super().__init__(
            title,
            rows,
            [*notes, *(note for note in _own_notes(results) if note not in notes)],
            simulated=any(result.simulated for result in results),
            conditions=shared or None,
        )

    @property
    def answers_differ(self) -> bool:
        """True when some row's answer is not the first row's."""
        return any(result.agrees is False for result in self.results)

    def to_dict(self) -> dict[str, Any]:
        """The rows as they were measured, the notes and the environment."""
        rows = [result.to_dict() for result in self.results]
        return {**super().to_dict(), "rows": rows}

    @classmethod
    def from_dict(cls, document: dict[str, Any]) -> BenchTable:
        """The table as `to_dict` wrote it."""
        results = [result_from(row) for row in document["rows"]]
        return cls(document["title"], results, document["notes"])

    def __getitem__(self, index: int) -> BenchResult:
        return self.results[index]

    def __iter__(self) -> Iterator[BenchResult]:
        return iter(self.results)


BenchResult.table_type = BenchTable


def _row(result: BenchResult, several_libraries: bool) -> dict[str, Any]:
    row = result.to_dict()
    for hidden in ("environment", "samples", "remarks", "counts"):
        row.pop(hidden)
    row["other_library"] = result.library if several_libraries else None
    row["spread"] = result.iqr / 2 if result.iqr is not None else None
    # A simulated row's time is the model's; the stopwatch's is the host's, and explain() tells it.
    shown = result.naive_ms is not None and result.device and not result.simulated
    row["naive"] = result.naive_ms / 1e3 if result.naive_ms is not None and shown else None
    row["answer"] = _answer_text(result)
    if result.simulated:
        row["device_name"] = f"{result.device_name} (simulated)"
    return row


def _own_notes(results: list[BenchResult]) -> list[str]:
    notes = []
    notes += [f"{r.subject}: {remark}." for r in results for remark in r.remarks]
    notes += [
        f"{r.subject}, counted in one call: {r.counts['sentence']}."
        for r in results
        if r.counts is not None
    ]
    noisy = [r.subject for r in results if r.noisy and not r.simulated]
    if noisy:
        notes.append(f"noisy (spread over 10 %): {', '.join(noisy)}.")
    if any(r.transfer == "include" for r in results):
        notes.append("times include the copies of inputs and answer.")
    throttled = [r.subject for r in results if r.throttled]
    if throttled:
        notes.append(f"clocks were held back (throttling) in: {', '.join(throttled)}.")
    others = max((r.others_on_gpu or 0 for r in results), default=0)
    if others:
        notes.append(f"{others} other processes used the GPU meanwhile.")
    load = max((r.other_load or 0.0 for r in results), default=0.0)
    if load > 0.1:
        notes.append(f"other programs took {100 * load:.0f} % of all CPU cores meanwhile.")
    return notes + [
        f"{r.subject} failed: {r.error}" for r in results if r.error not in (None, NOT_INSTALLED)
    ]


def _answer_text(result: BenchResult) -> str | None:
    if result.error == NOT_INSTALLED:
        return NOT_INSTALLED
    if result.error is not None:
        return "failed"
    if result.agrees is None:
        return None
    return "agrees" if result.agrees else f"answers differ ({result.max_rel_err:.2g})"
