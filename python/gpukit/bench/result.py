"""Results of measurements, and the table of several.

Simulated results have another type. Comparing the two raises an error.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, ClassVar

from gpukit._language import shown
from gpukit.bench.engine import Measurement
from gpukit.bench.naive import NaiveReading
from gpukit.bench.stats import Summary
from gpukit.bench.tables import ResultTable, percent_text, plain_rate, speedup_text
from gpukit.bench.work import Work
from gpukit.errors import SimulationError
from gpukit.report import SCHEMA, Column, Tabular, duration_text

NOISY_ABOVE = 0.10
# Fewer samples have no middle half.
MIN_SAMPLES_FOR_SPREAD = 3
NOT_INSTALLED = "not installed"


@dataclass
class BenchResult(Tabular):
    """One function measured on one device.

    Times are seconds unless the name says otherwise; None is not measured.

    Attributes:
        median, iqr, min, mean, n: of the time of one call (device time on a GPU, else wall time);
            iqr is None below three samples.
        low, high: the 95 % confidence interval of the median; None below five samples.
        wall, device: medians by the host clock and by device events.
        upload, compute, download, total: the parts of the work when the inputs start on the CPU;
            with `transfer` "include" the copies are in the time, with "none" nowhere.
        first_call_ms: the first call, which also loads code and memory.
        naive_ms: what `time.time()` without synchronise would have said; `naive_reason` is why
            that is not the time.
        flops, bytes, operations: the work of the gpukit operations inside, counted.
        gflops, gbps: from the counted work and the median.
        bound, verdict: what limits the function, as a word and as a sentence.
        percent_of_peak: of the limiting peak; `peak_source` says where it is from.
        speedup, speedup_total: against the first row, without and with the copies; None unless the
            results agree. `speedup_low` and `speedup_high` are its 95 % interval.
        max_rel_err: distance to the first row's result, relative to the largest element.
        noisy: the middle half of the samples spreads over more than 10 % of the median.
        clocks, throttled, others_on_gpu, other_load: what was seen of GPU and CPU meanwhile.
        counts: what a simulation counted in one call (`simulate(counts=True)`): instructions,
            memory sectors, bank conflicts, divergent branches, occupancy. No times.
        error: why there is no time.
        remarks: other notes on the row, as sentences without a full stop.

    Example:
        >>> import gpukit
        >>> r = gpukit.bench(gpukit.ones, 10, device="cpu", max_time=0.2, verbose=False)
        >>> r.min <= r.median, r.unit, r.simulated
        (True, 's', False)
    """

    name: str
    device_name: str
    library: str = "gpukit"
    transfer: str = "split"
    median: float | None = None
    iqr: float | None = None
    min: float | None = None
    mean: float | None = None
    n: int = 0
    unit: str = "s"
    low: float | None = None
    high: float | None = None
    wall: float | None = None
    device: float | None = None
    upload: float | None = None
    compute: float | None = None
    download: float | None = None
    total: float | None = None
    first_call_ms: float | None = None
    naive_ms: float | None = None
    naive_reason: str | None = None
    operations: int | None = None
    flops: float | None = None
    bytes: float | None = None
    gflops: float | None = None
    gbps: float | None = None
    bound: str | None = None
    verdict: str | None = None
    percent_of_peak: float | None = None
    peak_source: str | None = None
    speedup: float | None = None
    speedup_low: float | None = None
    speedup_high: float | None = None
    speedup_total: float | None = None
    max_rel_err: float | None = None
    agrees: bool | None = None
    noisy: bool = False
    clocks: dict[str, Any] | None = None
    throttled: bool | None = None
    others_on_gpu: int | None = None
    other_load: float | None = None
    counts: dict[str, Any] | None = None
    error: str | None = None
    remarks: list[str] = field(default_factory=list)
    samples: list[float] = field(default_factory=list, repr=False)
    environment: dict[str, Any] = field(default_factory=dict, repr=False)

    simulated = False

    @property
    def subject(self) -> str:
        """What was measured: "matmul in numpy on cpu"."""
        library = "" if self.library == "gpukit" else f" in {self.library}"
        return f"{self.name}{library} on {self.device_name}"

    @property
    def card(self) -> str:
        """What the device is: of "cuda:0" the card's name, from the measurement's environment."""
        kind, _, index = self.device_name.partition(":")
        cards = self.environment.get("gpus", [])
        if kind == "cuda" and index.isdigit() and int(index) < len(cards):
            return str(cards[int(index)])
        return self.device_name

    def take(self, seen: Measurement) -> None:
        """Fills in everything that the measuring loop recorded."""
        self._take_times(seen.time)
        self.samples = seen.samples
        self.wall, self.device, self.compute = seen.wall, seen.device, seen.time.median
        self.first_call_ms = seen.first_call * 1e3
        reading = NaiveReading(seen.wall, seen.naive, seen.first_call, seen.queued)
        self.naive_ms, self.naive_reason = reading.seconds * 1e3, reading.reason

    def _take_times(self, summary: Summary) -> None:
        self.median, self.min = summary.median, summary.min
        self.mean, self.n = summary.mean, summary.n
        if summary.n >= MIN_SAMPLES_FOR_SPREAD:
            self.iqr = summary.iqr
            self.noisy = summary.iqr > NOISY_ABOVE * summary.median
        if math.isfinite(summary.half_width):
            self.low, self.high = summary.interval

    def add_work(self, work: Work) -> None:
        """Fills in the counted work and the derived rates; nothing if no operation ran."""
        if work.operations == 0:
            return
        self.operations, self.bytes = work.operations, work.bytes
        self.flops = work.total_flops or None
        if self.median:
            self._take_rates(self.median)

    def _take_rates(self, seconds: float) -> None:
        self.gflops = None if self.flops is None else self.flops / seconds / 1e9
        self.gbps = None if self.bytes is None else self.bytes / seconds / 1e9

    @property
    def true_ms(self) -> float | None:
        """What a synchronised stopwatch reads, to compare with `naive_ms`, in milliseconds."""
        return None if self.wall is None else self.wall * 1e3

    def reading(self) -> NaiveReading | None:
        """The stopwatch reading and the true time; None for a row without times."""
        if self.wall is None or self.naive_ms is None or self.first_call_ms is None:
            return None
        queued = self.naive_ms / 1e3
        return NaiveReading(self.wall, queued, self.first_call_ms / 1e3, queued)

    def _order_key(self, other: object) -> tuple[float, float]:
        if not isinstance(other, BenchResult):
            raise TypeError(
                f"a BenchResult can be compared with another one, got {type(other).__name__}"
            )
        refuse_mixing(self, other)
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
        """Why a stopwatch without synchronise is wrong here, and what limits the function.

        Example:
            >>> import gpukit, time
            >>> r = gpukit.bench(lambda: time.sleep(0.03), name="sleep", repeats=3, verbose=False)
            >>> print(r.explain())
            sleep on cpu: the call returns when its work is done, so a plain stopwatch agrees.
        """
        reading = self.reading()
        if self.error is not None or reading is None:
            return shown(f"{self.subject}: not measured, {self.error}")
        sentences = [reading.sentence(self.subject)]
        if self.simulated:
            sentences.append("(Host times of the simulation.)")
        if self.verdict is not None:
            sentences.append(f"It is {self.verdict}")
        sentences += [f"Note: {remark}." for remark in self.remarks]
        if self.counts is not None:
            sentences.append(f"Counted in one call: {self.counts['sentence']}.")
        return " ".join(map(shown, sentences))

    def to_dict(self) -> dict[str, Any]:
        """All fields, with `simulated`."""
        return {**asdict(self), "simulated": self.simulated}

    def to_json(self) -> str:
        """`to_dict` as one JSON document with the number of the schema."""
        document = {"schema": SCHEMA, "kind": "BenchResult", **self.to_dict()}
        return json.dumps(document, indent=2, default=str)

    def to_table(self) -> BenchTable:
        """A table of this one row."""
        return BenchTable(self.name, [self])

    def to_csv(self) -> str:
        """The raw values of this one row."""
        return self.to_table().to_csv()

    def plot(self, path: Any = None) -> Any:
        """Draws the samples (needs matplotlib); saves them to `path` if one is given.

        Args:
            path: Where to save the picture; its suffix names the format.

        Raises:
            ImportError: matplotlib is not installed.
        """
        return self.to_table().plot(path)

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
    """Times of a simulated device: a model's figures, never compared with measured ones.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1):
        ...     r = gpukit.bench(gpukit.ones, 10, device="cuda:0", max_time=0.2, verbose=False)
        >>> type(r).__name__, r.simulated
        ('SimulatedBenchResult', True)
    """

    simulated = True

    def _take_rates(self, seconds: float) -> None:
        """No rate follows from a model of the peak: it would be the peak."""


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
        """True if some row's result differs from the first row's."""
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


def _row(result: BenchResult, several_libraries: bool) -> dict[str, Any]:
    row = result.to_dict()
    for hidden in ("environment", "samples", "remarks", "counts"):
        row.pop(hidden)
    row["other_library"] = result.library if several_libraries else None
    row["spread"] = result.iqr / 2 if result.iqr is not None else None
    # A simulated row's time is the model's; the stopwatch's is the host's, and explain() says so.
    has_naive = result.naive_ms is not None and result.device and not result.simulated
    row["naive"] = result.naive_ms / 1e3 if result.naive_ms is not None and has_naive else None
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
    noisy: dict[str, list[str]] = {}
    for r in results:
        if r.noisy and not r.simulated:
            noisy.setdefault(r.device_name, []).append(r.name)
    if noisy:
        each = "; ".join(f"{device}: {', '.join(names)}" for device, names in noisy.items())
        notes.append(f"noisy (spread over 10 %): {each}.")
    if any(r.transfer == "include" for r in results):
        notes.append("times include the copies of inputs and result.")
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
    return "agrees" if result.agrees else f"results differ ({result.max_rel_err:.2g})"


def result_type(devices: Sequence[Any]) -> type[BenchResult]:
    """The type of results of devices: simulated with the first one that is."""
    simulated = any(getattr(device, "simulated", False) for device in devices)
    return SimulatedBenchResult if simulated else BenchResult


def result_from(document: dict[str, Any]) -> BenchResult:
    """A result as `to_dict` wrote it; keys of a later version are ignored."""
    kind = SimulatedBenchResult if document.get("simulated") else BenchResult
    known = {f.name for f in fields(kind)}
    return kind(**{key: value for key, value in document.items() if key in known})


def refuse_mixing(a: Any, b: Any) -> None:
    """Raise SimulationError when one of two results is simulated and the other is measured."""
    if a.simulated != b.simulated:
        raise SimulationError(
            "one result is simulated, the other measured; they cannot be compared."
        )
