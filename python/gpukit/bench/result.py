"""Results of measurements. Simulated ones are another type, and the two refuse to be compared."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from gpukit.bench.stats import Summary
from gpukit.errors import SimulationError
from gpukit.report import Column, Table, duration_text, rate_text

NOISY_ABOVE = 0.10


@dataclass
class BenchResult:
    """One function measured on one device.

    Times are seconds unless the name says otherwise; None is not measured.

    Attributes:
        median, iqr, min, mean, n: of the time of one call (device time on a GPU, else wall time).
        wall, device: medians by the host clock and by device events.
        upload, compute, download, total: the parts of the work when the inputs start on the CPU.
        first_call_ms: the first call, which also loads code and memory.
        naive_ms: what `time.time()` without synchronise would have said.
        gflops, gbps: from the counted work and the median.
        speedup, speedup_total: against the CPU row, without and with the copies; None unless the
            answers agree.
        max_rel_err: distance to the CPU row's answer, relative to the largest element.
        noisy: the middle half of the samples spreads over more than 10 % of the median.
    """

    name: str
    device_name: str
    median: float | None = None
    iqr: float | None = None
    min: float | None = None
    mean: float | None = None
    n: int = 0
    unit: str = "s"
    wall: float | None = None
    device: float | None = None
    upload: float | None = None
    compute: float | None = None
    download: float | None = None
    total: float | None = None
    first_call_ms: float | None = None
    naive_ms: float | None = None
    flops: float | None = None
    bytes: float | None = None
    gflops: float | None = None
    gbps: float | None = None
    speedup: float | None = None
    speedup_total: float | None = None
    max_rel_err: float | None = None
    agrees: bool | None = None
    noisy: bool = False
    error: str | None = None
    environment: dict[str, Any] = field(default_factory=dict)

    simulated = False

    def take(self, summary: Summary) -> None:
        """Fills the fields of the time of one call."""
        self.median, self.iqr, self.min = summary.median, summary.iqr, summary.min
        self.mean, self.n = summary.mean, summary.n
        self.noisy = summary.iqr > NOISY_ABOVE * summary.median
        if summary.median > 0:
            self._take_rates(summary.median)

    def _take_rates(self, seconds: float) -> None:
        self.gflops = None if self.flops is None else self.flops / seconds / 1e9
        self.gbps = None if self.bytes is None else self.bytes / seconds / 1e9

    def _order_key(self, other: object) -> tuple[float, float]:
        if not isinstance(other, BenchResult):
            raise TypeError(
                f"a BenchResult can be compared with another one, got {type(other).__name__}"
            )
        if self.simulated != other.simulated:
            raise SimulationError(
                "one result is simulated, the other measured; they cannot be compared."
            )
        if self.median is None or other.median is None:
            raise ValueError("a result without a time (see .error) cannot be ordered")
        return self.median, other.median

    def __lt__(self, other: object) -> bool:
        mine, theirs = self._order_key(other)
        return mine < theirs

    def __gt__(self, other: object) -> bool:
        mine, theirs = self._order_key(other)
        return mine > theirs

    def explain(self) -> str:
        """Why a stopwatch without synchronise is wrong here, in a sentence.

        Example:
            >>> import gpukit
            >>> r = gpukit.bench(lambda: sum(range(1000)), name="sum", verbose=False)
            >>> print(r.explain())
            sum on cpu: the CPU computes before it returns, so a plain stopwatch agrees.
        """
        where = f"{self.name} on {self.device_name}"
        if self.error is not None:
            return f"{where}: not measured, {self.error}"
        if self.wall is None or self.naive_ms is None or self.device is None:
            return f"{where}: the CPU computes before it returns, so a plain stopwatch agrees."
        naive, true = self.naive_ms / 1e3, self.wall
        if true > 1.5 * naive:
            return (
                f"{where}: time.time() without synchronise says {duration_text(naive)}, "
                "the time to queue the work; "
                f"the work takes {duration_text(true)}, {true / naive:.0f} times as long."
            )
        return (
            f"{where}: queueing takes {duration_text(naive)} of {duration_text(true)}; "
            "the call is launch-bound, so a plain stopwatch comes close here and only here."
        )

    def to_dict(self) -> dict[str, Any]:
        """All fields, with `simulated`."""
        return {**asdict(self), "simulated": self.simulated}

    def to_json(self) -> str:
        """`to_dict` as one JSON document with the number of the schema."""
        return json.dumps({"schema": 1, **self.to_dict()}, indent=2, default=str)

    def to_table(self) -> BenchTable:
        """A table of this one row."""
        return BenchTable(self.name, [self])

    def to_markdown(self) -> str:
        """A GitHub table of this one row."""
        return self.to_table().to_markdown()

    def to_csv(self) -> str:
        """The raw values of this one row."""
        return self.to_table().to_csv()

    def __str__(self) -> str:
        return self.to_table().to_text()

    def __repr__(self) -> str:
        label = "Simulated" if self.simulated else ""
        if self.error is not None:
            return f"{label}BenchResult({self.name} on {self.device_name}: {self.error})"
        spread = f" ± {duration_text(self.iqr / 2)}" if self.iqr is not None else ""
        time = f"{duration_text(self.median)}{spread}"
        return f"{label}BenchResult({self.name} on {self.device_name}: {time})"

    def _repr_html_(self) -> str:
        return self.to_table().to_html()


class SimulatedBenchResult(BenchResult):
    """Times of a simulated device: a model's figures, never compared with measured ones."""

    simulated = True

    def _take_rates(self, seconds: float) -> None:
        """The model knows launches and copies, not how long a kernel computes: no rate follows."""


def _speedup_text(value: float) -> str:
    return f"{value:.1f} ×" if value < 100 else f"{value:.0f} ×"


_COLUMNS = (
    Column("name", "what"),
    Column("device_name", "device"),
    Column("median", "time", duration_text, numeric=True),
    Column("spread", "± spread", duration_text, numeric=True),
    Column("gflops", "GFLOP/s", lambda v: rate_text(v, "").strip(), numeric=True),
    Column("gbps", "GB/s", lambda v: rate_text(v, "").strip(), numeric=True),
    Column("upload", "upload", duration_text, numeric=True),
    Column("compute", "compute", duration_text, numeric=True),
    Column("download", "download", duration_text, numeric=True),
    Column("naive", "unsynchronised clock says", duration_text, numeric=True),
    Column("speedup", "speed-up", _speedup_text, numeric=True),
    Column("speedup_total", "with copies", _speedup_text, numeric=True),
    Column("answer", "answer"),
)


class BenchTable(Table):
    """Results side by side. `results` holds them as they were measured."""

    def __init__(
        self, title: str, results: list[BenchResult], notes: list[str] | None = None
    ) -> None:
        self.results = results
        rows = [self._row(result) for result in results]
        super().__init__(title, _COLUMNS, rows, list(notes or []) + self._own_notes(results))

    @staticmethod
    def _row(result: BenchResult) -> dict[str, Any]:
        row = result.to_dict()
        row.pop("environment")
        row["spread"] = result.iqr / 2 if result.iqr is not None else None
        row["naive"] = (
            result.naive_ms / 1e3 if result.naive_ms is not None and result.device else None
        )
        row["answer"] = _answer_text(result)
        if result.simulated:
            row["device_name"] = f"{result.device_name} (simulated)"
        return row

    @staticmethod
    def _own_notes(results: list[BenchResult]) -> list[str]:
        notes = []
        if any(r.simulated for r in results):
            notes.append(
                "simulated: values are real, times are a model's; "
                "no speed-up is given against a measured time."
            )
        noisy = [f"{r.name} on {r.device_name}" for r in results if r.noisy and not r.simulated]
        if noisy:
            notes.append(f"noisy (spread over 10 %): {', '.join(noisy)}.")
        notes += [f"{r.name} on {r.device_name} failed: {r.error}" for r in results if r.error]
        return notes

    @property
    def answers_differ(self) -> bool:
        """True when some row's answer is not the CPU row's."""
        return any(r.agrees is False for r in self.results)

    def to_dict(self) -> dict[str, Any]:
        """The rows as they were measured, and the notes."""
        rows = [result.to_dict() for result in self.results]
        return {"schema": 1, "title": self.title, "rows": rows, "notes": self.notes}

    def __getitem__(self, index: int) -> BenchResult:
        return self.results[index]

    def __iter__(self) -> Any:
        return iter(self.results)


def _answer_text(result: BenchResult) -> str | None:
    if result.error is not None:
        return "failed"
    if result.agrees is None:
        return None
    return "agrees" if result.agrees else f"answers differ ({result.max_rel_err:.2g})"
