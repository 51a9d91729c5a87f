"""`bench.crossover`: the size from which the GPU is faster, with and without the copies."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, ClassVar

import gpukit
from gpukit._arguments import number_of
from gpukit.bench._matmul import matmul_case
from gpukit.bench.case import Case, one_device
from gpukit.bench.judge import Judge, Measured
from gpukit.bench.measuring import run_on
from gpukit.bench.model import MODEL_CPU
from gpukit.bench.options import Options, check_count, quick
from gpukit.bench.result import BenchResult
from gpukit.bench.standard import add_case, no_gpu_note, sum_case
from gpukit.bench.tables import ResultTable, speedup_text
from gpukit.report import Column, Progress, duration_text

_CASES: dict[str, Callable[[int], Case]] = {
    "matmul": matmul_case,
    "add": lambda n: add_case(n * n),
    "sum": lambda n: sum_case(n * n),
}
# (name of the fact, key of the row, words) of each way to measure the GPU's time.
_CURVES = (("compute", "gpu", "work alone"), ("total", "gpu_total", "with both copies"))

# A product √2 times as large is 2.8 times the work, and no longer in the cache.
_NEXT = 4
# Without `hi` sizes grow up to here, or until the GPU was faster this many times in a row.
_HIGHEST = 8192
_WINS = 3


@dataclass(frozen=True)
class Band:
    """A size, and the 95 % confidence interval of the size; None means beyond the last."""

    n: int | None
    low: int | None
    high: int | None


class Crossover(ResultTable):
    """Times by size of CPU and GPU, and the sizes from which the GPU is faster.

    Attributes:
        n_compute, n_total: the size from which the GPU is faster without and with both copies; None
            for never up to the largest size.
        band_compute, band_total: (low, high) of these sizes.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1):
        ...     answer = gpukit.bench.crossover("add", lo=16, hi=64, budget_s=2)
        >>> answer.n_compute is None or answer.n_compute >= 16
        True
    """

    COLUMNS: ClassVar[Sequence[Column]] = (
        Column("n", "n", numeric=True),
        Column("cpu", "CPU", duration_text, numeric=True),
        Column("gpu", "GPU, work alone", duration_text, numeric=True),
        Column("gpu_total", "GPU with copies", duration_text, numeric=True),
        Column("ratio", "speed-up", speedup_text, numeric=True),
        Column("ratio_total", "with copies", speedup_text, numeric=True),
        Column("answer", "answer"),
    )

    @property
    def n_compute(self) -> int | None:
        """The size from which the GPU is faster without the copies."""
        return self._fact("compute", "n")

    @property
    def n_total(self) -> int | None:
        """The size from which the GPU is faster with both copies."""
        return self._fact("total", "n")

    @property
    def band_compute(self) -> tuple[int | None, int | None]:
        """The interval of `n_compute`."""
        return self._fact("compute", "low"), self._fact("compute", "high")

    @property
    def band_total(self) -> tuple[int | None, int | None]:
        """The interval of `n_total`."""
        return self._fact("total", "low"), self._fact("total", "high")

    def _fact(self, which: str, part: str) -> int | None:
        value = self.facts.get(which, {}).get(part)
        return None if value is None else int(value)


def grid(lo: int, hi: int) -> list[int]:
    """Sizes from lo to hi, each √2 times the one before."""
    steps = math.floor(2 * math.log2(hi / lo) + 1e-9)
    return sorted({*(round(lo * 2 ** (step / 2)) for step in range(steps + 1)), hi})


def _crosses(rows: Sequence[dict[str, Any]], slow: str, fast: str) -> int | None:
    """The size from which `slow` takes longer than `fast` at every size; between two by ratio."""
    logs = [(row["n"], math.log(row[slow] / row[fast])) for row in rows]
    first = len(logs)
    while first > 0 and logs[first - 1][1] > 0:
        first -= 1
    if first == len(logs):
        return None
    if first == 0:
        return int(logs[0][0])
    (n0, below), (n1, above) = logs[first - 1], logs[first]
    share = -below / (above - below)
    return round(float(n0 * (n1 / n0) ** share))


def find_band(rows: Sequence[dict[str, Any]], fast: str) -> Band:
    """Where the CPU's time crosses a GPU's, at the medians and at both ends of their intervals."""
    return Band(
        _crosses(rows, "cpu", fast),
        _crosses(rows, "cpu_high", f"{fast}_low"),
        _crosses(rows, "cpu_low", f"{fast}_high"),
    )


def _sentence(what: str, band: Band, sizes: Sequence[int], stopped: bool) -> str:
    smallest, largest = sizes[0], sizes[-1]
    if band.n is None and stopped:
        return f"{what}: no crossover up to n = {largest}; larger sizes were not tried."
    if band.n is None:
        return f"{what}: the GPU never wins up to n = {largest}."
    if band.n == smallest:
        return f"{what}: the GPU wins at every size, from n = {smallest} on."
    low = "below" if band.low is None else band.low
    high = f"beyond {largest}" if band.high is None else band.high
    if low == high:
        return f"{what}: the GPU wins from n = {band.n} on."
    return f"{what}: the GPU wins from n = {band.n} on (between {low} and {high})."


def _make_case(op: Any, n: int, device: Any) -> Case:
    """The case of a size; a callable makes its own inputs on the device, so nothing is copied."""
    if isinstance(op, str):
        return _CASES[op](n)
    work = op(n, device)
    if not callable(work):
        raise TypeError(f"bench.crossover: op(n, device) must return a callable, got {work!r}")
    return Case(work, name=f"{getattr(op, '__name__', 'op')}({n})")


def _interval(result: BenchResult, extra: float = 0.0) -> tuple[float, float]:
    middle = (result.median or 0.0) + extra
    half = 0.0 if result.low is None else (result.median or 0.0) - result.low
    return max(middle - half, middle * 1e-3), middle + half


def _measure(op: Any, n: int, device: Any, options: Options) -> tuple[Case, Measured]:
    """One size on one device; BenchError when a callable used another GPU than it was given."""
    case = _make_case(op, n, device)
    seen = run_on(case, device, options)
    strangers = [str(one) for one in seen.used if str(one) not in {"cpu", str(device)}]
    if strangers:
        raise gpukit.BenchError(
            f"bench.crossover: op({n}, {str(device)!r}) gave work to {strangers[0]}; its function "
            "must use the device that it is given"
        )
    return case, seen


def _row(op: Any, n: int, device: Any, options: Options) -> dict[str, Any]:
    """Both devices at one size; results are compared before the row counts."""
    _, cpu = _measure(op, n, gpukit.cpu(), options)
    row: dict[str, Any] = {"n": n, "cpu": cpu.result.median}
    row["cpu_low"], row["cpu_high"] = _interval(cpu.result)
    if device.type == "cpu":
        return row
    case, gpu = _measure(op, n, device, options)
    _compare(row, cpu, gpu, case)
    if device.simulated:
        row["cpu"] = row["cpu_low"] = row["cpu_high"] = MODEL_CPU.seconds(cpu.work)
    _fill(row, "gpu", "ratio", gpu.result, 0.0)
    if case.inputs_on_host:
        copies = (gpu.result.upload or 0.0) + (gpu.result.download or 0.0)
        _fill(row, "gpu_total", "ratio_total", gpu.result, copies)
    return row


def _fill(row: dict[str, Any], key: str, ratio: str, result: BenchResult, extra: float) -> None:
    """A GPU's time with its interval; the ratio only where the results agree."""
    row[key] = (result.median or 0.0) + extra
    row[f"{key}_low"], row[f"{key}_high"] = _interval(result, extra)
    if row["agrees"]:
        row[ratio] = row["cpu"] / row[key]


def _compare(row: dict[str, Any], cpu: Measured, gpu: Measured, case: Case) -> None:
    judge = Judge()
    judge.take(cpu, case)
    judge.take(gpu, case)
    row["agrees"] = gpu.result.agrees
    error = gpu.result.max_rel_err
    row["answer"] = "agrees" if row["agrees"] else f"results differ ({error:.2g})"


def _check(op: Any, lo: Any, hi: Any, budget_s: Any) -> None:
    check_count("crossover", "lo", lo)
    if hi is not None:
        check_count("crossover", "hi", hi, least=lo + 1)
    elif lo >= _HIGHEST:
        raise ValueError(f"bench.crossover: give hi= with lo of {_HIGHEST} or more, got lo={lo}")
    if isinstance(op, str) and op not in _CASES:
        from gpukit._names.suggest import near

        meant = near(op, _CASES)
        hint = f"Did you mean {meant!r}?" if meant else f"Known: {', '.join(_CASES)}."
        raise ValueError(f"bench.crossover: there is no op {op!r}. {hint}")
    if not isinstance(op, str) and not callable(op):
        raise TypeError(f"bench.crossover: op must be a name or a callable, got {op!r}")
    if not 0 < number_of("bench.crossover", "budget_s", budget_s, "seconds") < math.inf:
        raise ValueError(f"bench.crossover: budget_s must be above 0 seconds, got {budget_s!r}")


def _wins(row: dict[str, Any]) -> list[bool]:
    """Whether the GPU was faster, by each way to measure its time."""
    return [row["cpu"] > row[key] for _, key, _ in _CURVES if key in row]


def _is_settled(rows: Sequence[dict[str, Any]]) -> bool:
    """True when the GPU won the last few sizes in every way: the crossing has passed."""
    last = rows[-_WINS:]
    return len(last) == _WINS and all(_wins(row) and all(_wins(row)) for row in last)


class _Search:
    """Rows by size, as long as the time lasts."""

    def __init__(self, op: Any, device: Any, budget_s: float, steps: int) -> None:
        self._op, self._device, self._budget = op, device, budget_s
        share = budget_s / steps / 4
        self._options = quick(share, repeats=1 if device.simulated else None)
        self._begin = perf_counter()
        self.rows: list[dict[str, Any]] = []
        self.notes: list[str] = []
        self.stopped = False

    def _take(self, n: int) -> bool:
        """False when it failed, or when a size like the next one would last too long."""
        started = perf_counter()
        try:
            self.rows.append(_row(self._op, n, self._device, self._options))
        except gpukit.BenchError:
            raise
        except (gpukit.GpukitError, MemoryError) as error:
            self.notes.append(f"n = {n} failed: {type(error).__name__}: {error}")
            return False
        self.rows.sort(key=lambda row: int(row["n"]))
        now = perf_counter()
        return now - self._begin + _NEXT * (now - started) <= self._budget

    def upwards(self, sizes: Sequence[int], *, until_settled: bool) -> None:
        """Each size, until they end; the first one that cannot be had ends them too."""
        with Progress(len(sizes)) as progress:
            for n in sizes:
                progress.step(f"n = {n}")
                goes_on = self._take(n)
                if until_settled and _is_settled(self.rows):
                    return
                if not goes_on and n != sizes[-1]:
                    self._stop(n)
                    return

    def _stop(self, n: int) -> None:
        self.stopped = True
        if not self.notes:
            self.notes.append(
                f"Stopped after n = {n}: the next size would pass {self._budget:g} s. "
                "A larger budget_s goes on."
            )

    def downwards(self, sizes: Sequence[int]) -> None:
        """Smaller sizes, until the GPU loses in every way: the other side of the crossing."""
        for n in reversed(sizes):
            if not self.rows or not any(_wins(self.rows[0])) or not self._take(n):
                return


def crossover(
    op: str | Callable[[int, Any], Callable[[], Any]] = "matmul",
    lo: int = 16,
    hi: int | None = None,
    device: Any = None,
    budget_s: float = 30,
) -> Crossover:
    """Finds the size from which the GPU is faster, without and with both copies.

    Sizes grow by √2; at each the results of CPU and GPU are compared first. With a simulated
    card the CPU is a model too, and the notes say so.

    Args:
        op: "matmul", "add" or "sum" of n × n elements; or a callable that gets n and a device and
            returns the function to time there (it creates its inputs there, so no copies are
            timed).
        lo: the smallest size.
        hi: the largest size. Default: sizes grow until the GPU has won three in a row in every way,
            up to 8192, and shrink below `lo` if the GPU is faster there already.
        device: the GPU; default the current one.
        budget_s: seconds for all of it; larger sizes are skipped, and the notes say so.

    Example:
        >>> import gpukit
        >>> found = gpukit.bench.crossover("add", lo=8, hi=32, device="cpu", budget_s=20)
        >>> found.n_compute is None, [row["n"] for row in found.rows]
        (True, [8, 11, 16, 23, 32])
    """
    _check(op, lo, hi, budget_s)
    where = one_device(device)
    sizes = grid(lo, hi or _HIGHEST)
    search = _Search(op, where, budget_s, len(sizes))
    search.upwards(sizes, until_settled=hi is None)
    if hi is None and lo > 1:
        search.downwards(grid(1, lo)[:-1])
    rows, notes = search.rows, search.notes
    facts: dict[str, Any] = {"device": str(where)}
    if where.type == "cpu":
        notes.append(no_gpu_note("gpukit bench crossover"))
    elif rows:
        agreeing = [row for row in rows if row["agrees"]]
        curves = [curve for curve in _CURVES if curve[1] in rows[0]]
        found = {which: find_band(agreeing, key) for which, key, _ in curves}
        facts.update({which: vars(band) for which, band in found.items()})
        tried = [row["n"] for row in rows]
        told = [_sentence(text, found[which], tried, search.stopped) for which, _, text in curves]
        notes = [*told, *notes]
        notes += [f"CPU: {MODEL_CPU}."] if where.simulated else []
    title = f"crossover: {op if isinstance(op, str) else getattr(op, '__name__', 'op')} on {where}"
    return Crossover(title, rows, notes, facts=facts, simulated=where.simulated)
