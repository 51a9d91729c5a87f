"""`bench.overlap`: how much of a copy is hidden behind work on the same device."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

import gpukit
from gpukit.bench._gil import byte_count, gpukit_size
from gpukit.bench.case import one_device
from gpukit.bench.standard import no_gpu_note
from gpukit.bench.tables import ResultTable
from gpukit.bench.ticker import Freedom, freedom_during
from gpukit.report import Column, Progress, duration_text

_REPEATS = 5
_SIDE = 256
_MAX_PRODUCTS = 500


class OverlapResult(ResultTable):
    """A row for each kind of copy: its time, that of the work, and that of both together.

    Without a GPU there is one row, without times, that says why.

    Attributes:
        overlap: by kind of copy, the hidden part of the shorter of the two; 1 is ideal.

    Example:
        >>> import gpukit
        >>> issubclass(gpukit.bench.OverlapResult, gpukit.bench.ResultTable)
        True
    """

    COLUMNS: ClassVar[Sequence[Column]] = (
        Column("what", "copy"),
        Column("copy", "copy alone", duration_text, numeric=True),
        Column("compute", "work alone", duration_text, numeric=True),
        Column("both", "both together", duration_text, numeric=True),
        Column("ideal", "ideal", duration_text, numeric=True),
        Column("overlap", "overlap", lambda value: f"{100 * value:.0f} %", numeric=True),
        Column("python", "Python's speed", lambda value: f"{value:.0f} %", numeric=True),
    )

    @property
    def overlap(self) -> dict[str, float]:
        """By kind of copy, the hidden part of the shorter of the two; 1 is ideal."""
        return {row["what"]: row["overlap"] for row in self.rows if "overlap" in row}


class _Bench:
    """Times copies on a side stream and work on the current one, by events on the device."""

    def __init__(self, device: Any, count: int) -> None:
        self.device = device
        self.here = gpukit.cuda.current_stream(device)
        self.side = gpukit.cuda.Stream(device)
        self.start = gpukit.cuda.Event(enable_timing=True)
        self.stop = gpukit.cuda.Event(enable_timing=True)
        self.products = 1
        self.a = gpukit.rand(_SIDE, _SIDE, device=device)
        self.pageable = gpukit.rand(count // 4)
        self.pinned = self.pageable.pin_memory()
        self.there = self.pageable.to(device)
        self.home = gpukit.empty(count // 4).pin_memory()

    def copies(self) -> Iterator[tuple[str, Callable[[], object]]]:
        """The kinds of copy; each returns the objects that must live until it is done."""

        def upload_pinned() -> object:
            with gpukit.cuda.stream(self.side):
                return self.pinned.to(self.device, non_blocking=True)

        def download() -> object:
            with gpukit.cuda.stream(self.side):
                return self.home.copy_(self.there, non_blocking=True)

        yield "upload, ordinary memory", self.upload_ordinary
        yield "upload, pinned", upload_pinned
        yield "download, pinned", download

    def upload_ordinary(self) -> object:
        """A thread may copy it, which queues its pieces when it gets to them."""
        return self.pageable.to(self.device, non_blocking=True)

    def work(self) -> None:
        for _ in range(self.products):
            self.a @ self.a

    def fit(self, seconds: float) -> None:
        """As many products as take about as long as a copy."""
        self.products = 10
        ten = self.best(self.work)
        wanted = math.ceil(10 * seconds / ten) if ten > 0 else 1
        self.products = max(1, min(_MAX_PRODUCTS, wanted))

    def best(self, *parts: Callable[[], object]) -> float:
        """The shortest of a few times of all parts, started together."""
        return min(self._seconds(parts) for _ in range(_REPEATS))

    def _seconds(self, parts: Sequence[Callable[[], object]]) -> float:
        gpukit.synchronize(self.device)
        self.start.record(self.here)
        kept = [part() for part in parts]
        self.here.wait_stream(self.side)
        self.stop.record(self.here)
        if self.upload_ordinary in parts:  # its pieces may be on no stream yet
            gpukit.synchronize(self.device)
            self.stop.record(self.here)
        self.stop.synchronize()
        del kept
        return self.start.elapsed_time(self.stop) / 1e3


def _row(bench: _Bench, what: str, copy: Callable[[], object], free: Freedom) -> dict[str, Any]:
    alone = bench.best(copy)
    bench.fit(alone)
    compute = bench.best(bench.work)
    together = bench.best(copy, bench.work)
    hidden = alone + compute - together
    beside = freedom_during(lambda: bench.best(copy, bench.work))
    row = {
        "what": what,
        "copy": alone,
        "compute": compute,
        "both": together,
        "ideal": max(alone, compute),
        "python": 100 * beside.share(free),
    }
    if min(alone, compute) > 0:  # else it is too short for the device's clock
        row["overlap"] = max(0.0, min(1.0, hidden / min(alone, compute)))
    return row


def _without_gpu(count: int) -> OverlapResult:
    reason = gpukit.cuda.why_unavailable() or "the default device is the CPU"
    rows = [{"what": f"no GPU: {reason.rstrip('.')}"}]
    title = f"{gpukit_size(count)} beside products, without a GPU"
    return OverlapResult(title, rows, [no_gpu_note("gpukit bench overlap")])


def overlap(device: Any = None, size: int | str = "64MiB") -> OverlapResult:
    """Times copies and work on a GPU separately and together, with a Python thread running.

    The overlap is the hidden part of the shorter of the two: 1 when both together take no longer
    than the longer one alone. Times are the device's own, between two events; those of a simulated
    card are its model's, or with `realtime` what its threads needed, which share this machine's
    cores: there a slow link (`link_gbps=0.2`) shows what a card would do.

    Args:
        device: a CUDA device; default the GPU. Where there is none the result says why.
        size: bytes, or text such as "64MiB", of each copy.

    Raises:
        DeviceNotFoundError: the device that is named does not exist.
        ValueError: the device is the CPU, or size is not a positive int.

    Example:
        >>> import gpukit
        >>> gpukit.bench.overlap("cpu")
        Traceback (most recent call last):
        ...
        ValueError: overlap: device must be a GPU, got 'cpu'
    """
    count = byte_count("overlap", size)
    where = one_device(device)
    if where.type != "cuda" and device is None:
        return _without_gpu(count)
    if where.type != "cuda":
        raise ValueError(f"overlap: device must be a GPU, got '{where}'")
    bench = _Bench(where, count)
    free = freedom_during(lambda: time.sleep(0.2))
    rows = []
    with Progress(3) as progress, gpukit.cuda.device(where):
        for what, copy in bench.copies():
            progress.step(what)
            rows.append(_row(bench, what, copy, free))
    known = [row["overlap"] for row in rows if "overlap" in row]
    note = (
        f"At least {100 * min(known):.0f} % of the shorter of the two is hidden behind the other."
        if known
        else "The copies are too short for the device's clock; give a larger size."
    )
    title = f"{gpukit_size(count)} beside products {_SIDE}×{_SIDE} on {where}"
    return OverlapResult(title, rows, [note], simulated=where.simulated)
