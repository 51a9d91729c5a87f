"""torch's `utils.benchmark.Timer`, with the waiting and the statistics of `gpukit.bench`."""

from __future__ import annotations

import timeit
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gpukit import _core
from gpukit._arguments import int_from
from gpukit._names.suggest import module_getattr
from gpukit.bench.foreign import wait_for_arrays, wait_for_queues
from gpukit.bench.stats import quantile
from gpukit.errors import ArgumentError

__all__ = ["Compare", "Measurement", "TaskSpec", "Timer"]

_UNITS = ((1e-6, 1e9, "ns"), (1e-3, 1e6, "us"), (1.0, 1e3, "ms"))


def _shown(seconds: float) -> str:
    for limit, factor, unit in _UNITS:
        if seconds < limit:
            return f"{seconds * factor:.2f} {unit}"
    return f"{seconds:.2f} s"


@dataclass(frozen=True)
class TaskSpec:
    """What a Timer was made with.

    Example:
        >>> from gpukit.utils.benchmark import Timer
        >>> Timer("1 + 1", label="sum").timeit(2).task_spec.stmt
        '1 + 1'
    """

    stmt: str
    setup: str = "pass"
    global_setup: str = ""
    label: str | None = None
    sub_label: str | None = None
    description: str | None = None
    env: str | None = None
    num_threads: int = 1

    @property
    def title(self) -> str:
        """The label, or the statement, and what stands behind it."""
        behind = "" if self.sub_label is None else f": {self.sub_label}"
        return f"{self.label or self.stmt}{behind}"


@dataclass
class Measurement:
    """What a Timer measured: seconds of each block, and statistics of the seconds of one run.

    Example:
        >>> from gpukit.utils.benchmark import Measurement
        >>> m = Measurement(10, [0.1, 0.2, 0.3])
        >>> round(m.median, 3), round(m.mean, 3), round(m.iqr, 3)
        (0.02, 0.02, 0.01)
    """

    number_per_run: int
    raw_times: list[float]
    title: str = ""
    num_threads: int = 1
    label: str | None = None
    sub_label: str | None = None
    description: str | None = None
    env: str | None = None
    task_spec: TaskSpec | None = None

    @property
    def times(self) -> list[float]:
        """Seconds of one run, of each block."""
        return [each / self.number_per_run for each in self.raw_times]

    @property
    def median(self) -> float:
        """The median of the times."""
        return quantile(sorted(self.times), 0.5)

    @property
    def mean(self) -> float:
        """The mean of the times."""
        return sum(self.times) / len(self.times)

    @property
    def iqr(self) -> float:
        """The distance between the first and the third quartile of the times."""
        ordered = sorted(self.times)
        return quantile(ordered, 0.75) - quantile(ordered, 0.25)

    def __repr__(self) -> str:
        count, runs = len(self.raw_times), self.number_per_run
        name, time = ("Median", self.median) if count > 1 else ("Time", self.median)
        lines = [f"<{type(self).__module__}.Measurement>", self.title, f"  {name}: {_shown(time)}"]
        if count > 1:
            lines.append(f"  IQR:    {_shown(self.iqr)}")
        plural = "s" if count > 1 else ""
        threads = f"{self.num_threads} thread{'s' if self.num_threads > 1 else ''}"
        lines.append(f"  {count} measurement{plural}, {runs} runs per measurement, {threads}")
        return "\n".join(lines)


class Timer:
    """Times a statement, as `timeit.Timer`, and waits for the devices before it reads the clock.

    `gpukit.bench` says more of what was measured: spread, copies, clocks, and equal results.

    Args:
        stmt: The statement, as text.
        setup: What runs before, as text.
        global_setup: Must be empty: it is for other languages.
        timer: A clock; None waits for all queues and reads the clock.
        globals: Names that the statement sees; `gpukit` is among them.
        label: Heads the result, in place of the statement.
        sub_label: Behind the label.
        description: In a line of its own.
        env: Behind the description.
        num_threads: Threads of gpukit's work on the CPU during the measurement.
        language: Must be "python".

    Raises:
        TypeError: stmt or setup is no text.
        ValueError: num_threads is not positive, or language is another one.

    Example:
        >>> from gpukit.utils.benchmark import Timer
        >>> m = Timer("x.sum()", setup="x = gpukit.ones(10)").timeit(100)
        >>> m.number_per_run, m.median > 0
        (100, True)
    """

    def __init__(
        self,
        stmt: str = "pass",
        setup: str = "pass",
        global_setup: str = "",
        timer: Callable[[], float] | None = None,
        globals: dict[str, Any] | None = None,
        label: str | None = None,
        sub_label: str | None = None,
        description: str | None = None,
        env: str | None = None,
        num_threads: int = 1,
        language: str = "python",
    ) -> None:
        if not isinstance(stmt, str) or not isinstance(setup, str):
            raise TypeError("Timer: stmt and setup are text; for a function use gpukit.bench(f)")
        if str(language) != "python" or global_setup:
            raise ArgumentError("Timer: language must be 'python', without global_setup")
        import gpukit

        self._threads = int_from("Timer", "num_threads", num_threads, 1)
        self._labels = (label or stmt, sub_label, description, env)
        self._task = TaskSpec(stmt, setup, "", label, sub_label, description, env, self._threads)
        self._title = "\n".join(part for part in (self._task.title, description, env) if part)
        self._timer = timeit.Timer(
            stmt, setup, timer or _now, globals={"gpukit": gpukit, **(globals or {})}
        )

    def timeit(self, number: int = 1000000) -> Measurement:
        """Run the statement a number of times in one block.

        Args:
            number: How often.

        Raises:
            ValueError: number is not positive.
        """
        count = int_from("Timer.timeit", "number", number, 1)
        with _Threads(self._threads):
            self._timer.timeit(max(count // 100, 2))
            return self._made(count, [self._timer.timeit(count)])

    def blocked_autorange(
        self, callback: Callable[[int, float], Any] | None = None, min_run_time: float = 0.2
    ) -> Measurement:
        """Run blocks until they took min_run_time together; each is long enough for the clock.

        Args:
            callback: Called with the number of runs and the seconds of each block.
            min_run_time: Seconds.
        """
        with _Threads(self._threads):
            number = self._block(min_run_time)
            times: list[float] = []
            while sum(times) < min_run_time:
                times.append(self._timer.timeit(number))
                if callback is not None:
                    callback(number, times[-1])
        return self._made(number, times)

    def adaptive_autorange(
        self,
        threshold: float = 0.1,
        *,
        min_run_time: float = 0.01,
        max_run_time: float = 10.0,
        callback: Callable[[int, float], Any] | None = None,
    ) -> Measurement:
        """Run blocks until the spread is small.

        Args:
            threshold: The spread, as a share of the median.
            min_run_time: Seconds that the blocks take at least.
            max_run_time: Seconds after which they end in any case.
            callback: As for blocked_autorange.
        """
        with _Threads(self._threads):
            number = self._block(min_run_time / 100)
            times: list[float] = []
            while sum(times) < max_run_time:
                times.append(self._timer.timeit(number))
                if callback is not None:
                    callback(number, times[-1])
                made = self._made(number, times)
                long = len(times) > 3 and sum(times) >= min_run_time
                if long and made.iqr < threshold * made.median:
                    break
        return self._made(number, times)

    def _block(self, min_run_time: float) -> int:
        """As many runs as make a block that the clock and the waiting do not change."""
        overhead = sorted(timeit.Timer("pass", timer=_now).timeit(1) for _ in range(5))[2]
        number = 1
        while True:
            taken = self._timer.timeit(number)
            if overhead <= 1e-4 * taken or taken >= min_run_time / 10:
                return number
            number *= 10

    def _made(self, number: int, times: list[float]) -> Measurement:
        return Measurement(number, times, self._title, self._threads, *self._labels, self._task)


class Compare:
    """A table of measurements: a row a sub_label, a column a description, a part a thread count.

    Args:
        results: Measurements.

    Example:
        >>> from gpukit.utils.benchmark import Compare, Measurement
        >>> a, b = (
        ...     Measurement(1, [t], label="sum", sub_label="(9,)", description=d)
        ...     for t, d in ((2e-6, "x.sum()"), (3e-6, "sum(x)"))
        ... )
        >>> print(Compare([a, b]))
        [------------- sum -------------]
                    |  x.sum()  |  sum(x)
        1 threads: ----------------------
              (9,)  |    2.0    |   3.0
        <BLANKLINE>
        Times are in microseconds (us).
        <BLANKLINE>
    """

    def __init__(self, results: list[Measurement]) -> None:
        self._results: list[Measurement] = []
        self._digits = 1
        self.extend_results(results)

    def extend_results(self, results: list[Measurement]) -> None:
        """Add measurements.

        Args:
            results: Measurements.

        Raises:
            TypeError: One is something else.
        """
        for result in results:
            if not isinstance(result, Measurement):
                raise TypeError(
                    f"Compare: results must be Measurements, got {type(result).__name__}. Use what "
                    "Timer.timeit() returns"
                )
        self._results.extend(results)

    def trim_significant_figures(self) -> None:
        """Leave out fractions, which a few runs do not support."""
        self._digits = 0

    def colorize(self, rowwise: bool = False) -> None:
        """Do nothing: tables have no colours.

        Args:
            rowwise: Accepted for compatibility with PyTorch.
        """

    def print(self) -> None:
        """Print the table."""
        print(str(self))  # noqa: T201

    def __str__(self) -> str:
        labels = dict.fromkeys(result.label for result in self._results)
        return "\n".join(
            self._table(label or "", [each for each in self._results if each.label == label])
            for label in labels
        )

    def _table(self, label: str, results: list[Measurement]) -> str:
        limits = [limit for limit in _UNITS if min(each.median for each in results) < limit[0]]
        _, factor, unit = limits[0] if limits else (0.0, 1.0, "s")
        columns = list(dict.fromkeys(each.description or "" for each in results))
        cells = {
            (each.num_threads, each.sub_label or "", each.description or ""): (
                f"{each.median * factor:.{self._digits}f}"
            )
            for each in results
        }
        widths = [
            max(len(column), *(len(text) for key, text in cells.items() if key[2] == column))
            for column in columns
        ]
        first = max(len(f"      {row}") for _, row, _ in cells)
        heads = [column.center(width) for column, width in zip(columns, widths, strict=True)]
        whole = "  |  ".join([" " * first, *heads])
        lines = [f"[{f' {label} '.center(len(whole) - 2, '-')}]", whole.rstrip()]
        for threads in dict.fromkeys(each.num_threads for each in results):
            lines.append(f"{threads} threads: ".ljust(len(whole), "-"))
            for row in dict.fromkeys(row for count, row, _ in cells if count == threads):
                shown = [
                    cells.get((threads, row, column), "").center(width)
                    for column, width in zip(columns, widths, strict=True)
                ]
                lines.append("  |  ".join([f"      {row}".ljust(first), *shown]).rstrip())
        names = {"s": "seconds", "ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds"}
        return "\n".join([*lines, "", f"Times are in {names[unit]} ({unit}).", ""])


class _Threads:
    """Another number of threads, for a block."""

    def __init__(self, count: int) -> None:
        self._count = count

    def __enter__(self) -> None:
        self._before = _core.get_num_threads()
        _core.set_num_threads(self._count)

    def __exit__(self, *_: object) -> None:
        _core.set_num_threads(self._before)


def _now() -> float:
    wait_for_queues()
    wait_for_arrays()
    return timeit.default_timer()


__getattr__ = module_getattr(__name__)
