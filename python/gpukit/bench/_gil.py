"""`bench.gil`: what is left of a Python thread's speed while the library works or waits."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from typing import Any, ClassVar

import gpukit
from gpukit._arguments import bytes_of
from gpukit.bench.tables import ResultTable
from gpukit.bench.ticker import Freedom, freedom_during
from gpukit.report import Column, Progress, duration_text

_SECONDS = 0.3

# By whether only the rate is known.
_MEANING = {
    False: "Speed and standstill are what Python's lock leaves the thread; waiting for a core that "
    "other work has is not counted.",
    True: "On a busy machine all shares sink.",
}

Case = tuple[str, Callable[[], object]]


def byte_count(function: str, size: int | str) -> int:
    """Bytes of 4096 or "64MiB"."""
    count = bytes_of(function, "size", size, "64MiB")
    if count < 1024:
        raise ValueError(f"{function}: size must be 1024 bytes or more, got {size!r}")
    return count


class GilReport(ResultTable):
    """A row for each kind of call: how much of its speed a Python thread kept.

    Attributes:
        worst_share: the smallest share of the free rate among gpukit's rows, in percent.
        longest_stall: seconds of the longest standstill among gpukit's rows.

    Example:
        >>> import gpukit
        >>> type(gpukit.gil_report("cpu", size="1MiB")).__name__
        'GilReport'
    """

    COLUMNS: ClassVar[Sequence[Column]] = (
        Column("what", "during"),
        Column("library", "library"),
        Column("seconds", "a call", duration_text, numeric=True),
        Column("share", "Python's speed", lambda value: f"{value:.0f} %", numeric=True),
        Column("longest_stall", "longest standstill", duration_text, numeric=True),
        Column("cores", "cores busy", "{:.1f}".format, numeric=True),
    )

    def _own(self, key: str) -> list[float]:
        return [row[key] for row in self.rows if row["library"] == "gpukit"]

    @property
    def worst_share(self) -> float:
        """The smallest share of the free rate among gpukit's rows, in percent."""
        return min(self._own("share"))

    @property
    def longest_stall(self) -> float:
        """Seconds of the longest standstill among gpukit's rows."""
        return max(self._own("longest_stall"))


def _on_cpu(count: int) -> Iterator[Case]:
    x = gpukit.rand(count // 4)
    side = max(64, min(1024, int((count // 4) ** 0.5)))
    a = gpukit.rand(side, side)
    yield "exp", x.exp
    yield f"product {side}×{side}", lambda: a @ a
    yield "sum", x.sum


def _on_gpu(count: int, device: Any) -> Iterator[Case]:
    pageable = gpukit.rand(count // 4)
    pinned = pageable.pin_memory()
    there = pageable.to(device)
    home = gpukit.empty(count // 4).pin_memory()
    event = gpukit.cuda.Event()

    def wait_for_event() -> None:
        there.copy_(pinned, non_blocking=True)
        event.record(gpukit.cuda.current_stream(device))
        event.synchronize()

    yield "upload, ordinary memory", lambda: pageable.to(device)
    yield "upload, pinned", lambda: pinned.to(device)
    yield "download", there.cpu
    yield "download, pinned", lambda: home.copy_(there)
    yield "non_blocking, then wait", lambda: there.to("cpu", non_blocking=True).wait()
    yield "event.synchronize", wait_for_event
    yield "item after a queue", lambda: (there.copy_(pinned, non_blocking=True), there[0].item())


def _of_torch(count: int) -> Iterator[Case]:
    import torch

    x = torch.rand(count // 4)
    yield "exp", x.exp
    yield "sum", x.sum
    yield "tolist of 1e6", torch.rand(1_000_000).tolist
    if torch.cuda.is_available():
        there = x.cuda()
        yield "upload, ordinary memory", x.cuda
        yield "download", there.cpu


def _row(library: str, case: Case, free: Freedom) -> dict[str, Any]:
    what, work = case
    begin = time.perf_counter()
    work()
    once = time.perf_counter() - begin
    seen = freedom_during(work, _SECONDS)
    return {
        "what": what,
        "library": library,
        "seconds": once,
        "share": 100 * seen.share(free),
        "longest_stall": seen.longest_stall,
        "cores": seen.cores,
    }


def gil(device: Any = None, size: int | str = "256MiB") -> GilReport:
    """Measures how fast a pure-Python thread runs while gpukit, and torch if installed, work.

    100 % is the thread's own speed while nothing else happens. A library that holds Python's lock
    while it copies or waits shows as a small share and a long standstill. Where the system tells
    (Linux), the thread's waits for a core are excluded, so that a busy machine changes nothing.

    Args:
        device: default the GPU if there is one, else the CPU.
        size: bytes, or text such as "64MiB", that each copy moves.

    Example:
        >>> import gpukit
        >>> report = gpukit.bench.gil("cpu", size="1MiB")
        >>> {row["library"] for row in report.rows} >= {"gpukit"}
        True
    """
    count = byte_count("gil", size)
    where = gpukit.try_gpu(quiet=True) if device is None else gpukit.device(device).resolve()
    cases = [("gpukit", case) for case in _on_cpu(count)]
    if where.type == "cuda":
        cases += [("gpukit", case) for case in _on_gpu(count, where)]
    if find_spec("torch") is not None:
        cases += [("torch", case) for case in _of_torch(count)]
    free = freedom_during(lambda: time.sleep(_SECONDS))
    rows = []
    with Progress(len(cases)) as progress:
        for library, case in cases:
            progress.step(case[0])
            rows.append(_row(library, case, free))
    note = (
        f"A Python thread alone: {free.rate / 1e6:.1f} million passes a second, longest "
        f"standstill {duration_text(free.longest_stall)}. {_MEANING[free.held is None]}"
    )
    title = f"a Python thread while {where}, {gpukit_size(count)} a copy"
    return GilReport(title, rows, [note], simulated=where.simulated)


def gpukit_size(count: int) -> str:
    """``64 MiB``."""
    for shift, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if count >= 1 << shift:
            return f"{count / (1 << shift):.4g} {unit}"
    return f"{count} B"


def gil_report(device: Any = None, size: int | str = "256MiB") -> GilReport:
    """Return how much of its speed a Python thread keeps while gpukit copies, computes and waits.

    The same as `gpukit.bench.gil`; prints as a table, with torch's figures where it is installed.

    Args:
        device: default the GPU if there is one, else the CPU.
        size: bytes, or text such as "64MiB", that each copy moves.

    Example:
        >>> import gpukit
        >>> gpukit.gil_report("cpu", size="1MiB").worst_share > 0
        True
    """
    return gil(device, size)
