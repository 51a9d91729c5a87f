"""`bench.overlap`: what of a copy is hidden behind work on the same device."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import gpukit
from gpukit.bench.gil import byte_count, gpukit_size
from gpukit.bench.tables import ResultTable
from gpukit.bench.ticker import freedom_during
from gpukit.report import Column, Progress, duration_text

_REPEATS = 5
_SIDE = 256
_MOST_PRODUCTS = 500


class OverlapResult(ResultTable):
    """A row for each kind of copy: its time, that of the work, and that of both at once.

    Attributes:
        overlap: by kind of copy, the hidden part of the shorter of the two; 1 is ideal.
    """

    COLUMNS: ClassVar[Sequence[Column]] = (
        Column("what", "copy"),
        Column("copy", "copy alone", duration_text, numeric=True),
        Column("compute", "work alone", duration_text, numeric=True),
        Column("both", "both at once", duration_text, numeric=True),
        Column("ideal", "ideal", duration_text, numeric=True),
        Column("overlap", "overlap", lambda value: f"{100 * value:.0f} %", numeric=True),
        Column("python", "Python's speed", lambda value: f"{value:.0f} %", numeric=True),
    )

    @property
    def overlap(self) -> dict[str, float]:
        """By kind of copy, the hidden part of the shorter of the two; 1 is ideal."""
        return {row["what"]: row["overlap"] for row in self.rows}


@dataclass
class _Work:
    """Products on the device, as many as take about as long as a copy."""

    device: Any
    count: int = 1

    def __post_init__(self) -> None:
        self.a = gpukit.rand(_SIDE, _SIDE).to(self.device)

    def queue(self) -> None:
        for _ in range(self.count):
            self.a @ self.a

    def fit(self, seconds: float) -> None:
        self.count = 10
        ten = _best(self.queue, self.device)
        self.count = max(1, min(_MOST_PRODUCTS, math.ceil(10 * seconds / ten)))


def _best(work: Callable[[], object], device: Any) -> float:
    """The shortest of a few times, the device's work included."""
    times = []
    for _ in range(_REPEATS):
        gpukit.synchronize(device)
        begin = time.perf_counter()
        kept = work()
        gpukit.synchronize(device)
        times.append(time.perf_counter() - begin)
        del kept
    return min(times)


def _copies(count: int, device: Any) -> Iterator[tuple[str, Callable[[], object]]]:
    pageable = gpukit.rand(count // 4)
    pinned = pageable.pin_memory()
    there = pageable.to(device)
    home = gpukit.empty(count // 4).pin_memory()
    side = gpukit.cuda.Stream(device)
    side.wait_stream(gpukit.cuda.current_stream(device))

    def upload_pinned() -> object:
        with gpukit.cuda.stream(side):
            return pinned.to(device, non_blocking=True)

    def download() -> object:
        with gpukit.cuda.stream(side):
            return home.copy_(there, non_blocking=True)

    yield "upload, ordinary memory", lambda: pageable.to(device, non_blocking=True)
    yield "upload, pinned", upload_pinned
    yield "download, pinned", download


def _row(what: str, copy: Callable[[], object], work: _Work, free: float) -> dict[str, Any]:
    def both() -> object:
        result = copy()
        work.queue()
        return result

    alone = _best(copy, work.device)
    work.fit(alone)
    compute = _best(work.queue, work.device)
    together = _best(both, work.device)
    hidden = alone + compute - together
    beside = freedom_during(lambda: _best(both, work.device))
    return {
        "what": what,
        "copy": alone,
        "compute": compute,
        "both": together,
        "ideal": max(alone, compute),
        "overlap": max(0.0, min(1.0, hidden / min(alone, compute))),
        "python": 100 * beside.rate / free,
    }


def overlap(device: Any = None, size: int | str = "64MiB") -> OverlapResult:
    """Times copies and work on a GPU alone and at once, beside a Python thread.

    The overlap is the hidden part of the shorter of the two: 1 when both at once take no longer
    than the longer one alone.

    Args:
        device: a CUDA device; default the current one.
        size: bytes, or text such as "64MiB", of each copy.

    Raises:
        DeviceNotFoundError: there is no GPU.
        ValueError: the device is the CPU, or size is no size.

    Example:
        >>> import gpukit
        >>> gpukit.bench.overlap("cpu")
        Traceback (most recent call last):
        ...
        ValueError: overlap: device must be a GPU, got 'cpu'
    """
    count = byte_count("overlap", size)
    where = gpukit.device("cuda" if device is None else device).resolve()
    if where.type != "cuda":
        raise ValueError(f"overlap: device must be a GPU, got '{where}'")
    work = _Work(where)
    free = freedom_during(lambda: time.sleep(0.2)).rate
    rows = []
    with Progress(3) as progress:
        for what, copy in _copies(count, where):
            progress.step(what)
            rows.append(_row(what, copy, work, free))
    worst = min(row["overlap"] for row in rows)
    note = f"At least {100 * worst:.0f} % of the shorter of the two is hidden behind the other."
    title = f"{gpukit_size(count)} beside products {_SIDE}×{_SIDE} on {where}"
    return OverlapResult(title, rows, [note], simulated=where.simulated)
