"""gpukit.watch: which lines of Python wait for a GPU, how often, how long, what to do instead."""

from __future__ import annotations

import functools
import linecache
import re
import sys
import threading
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from gpukit import _core
from gpukit._arguments import int_from, names_of
from gpukit._devices.inner_folders import name_inner_folders
from gpukit._devices.rank_watch import RankWatch
from gpukit._devices.torch_watch import TorchWatch
from gpukit.errors import DeviceError, GpukitWarning
from gpukit.report import Column, Table, Tabular

if TYPE_CHECKING:
    from typing_extensions import Self

P = ParamSpec("P")
R = TypeVar("R")

# Libraries that wait for GPUs by themselves, and how to see where.
_OTHERS = {
    "torch": 'torch.cuda.set_sync_debug_mode("warn") shows its own',
    "cupy": "its profiler shows its own",
    "jax": "jax.profiler shows its own",
    "tensorflow": "its profiler shows its own",
}

DEVICE_KINDS = ("item", "print", "numpy", "bool", "index", "copy", "sync", "pageable")
KINDS = (*DEVICE_KINDS, "ranks")
_MODES = ("report", "warn", "error")

# One advice for each kind of wait.
ADVICE = {
    "item": "keep the values on the device and fetch them once: gpukit.DeviceLog",
    "print": "print every n-th step, or values that were fetched in one batch",
    "numpy": "compute on the device, or fetch once with gpukit.to_cpu(state)",
    "bool": "branch on a value fetched rarely, or use gpukit.where on the device",
    "index": "use integer tensors on the device, or gpukit.where instead of a mask",
    "copy": "fetch in one batch with gpukit.to_cpu(state), or with non_blocking=True",
    "sync": "leave it out: operations are ordered by themselves; time with gpukit.bench",
    "pageable": "upload once before the loop, or use gpukit.prefetch or pin_memory()",
    "ranks": "give each rank as much to do, or begin it with async_op=True and wait() later",
}

# Where torch's own words are others.
_TORCH_ADVICE = {
    "item": "sum up on the device, and fetch once after the loop",
    "numpy": "compute on the device, or fetch once after the loop",
    "bool": "branch on a value fetched rarely, or use torch.where on the device",
    "index": "use integer tensors on the device, or torch.where instead of a mask",
    "copy": "fetch once after the loop, or into pinned memory with non_blocking=True",
    "sync": "leave it out: operations are ordered by themselves",
    "pageable": "upload once before the loop, or from pin_memory() with non_blocking=True",
}

_CELL_FILE = re.compile(r"<ipython-input-(\d+)-|[/\\]ipykernel_\d+[/\\]\d+\.py$")


class _Allowed(threading.local):
    """How many `allow_sync` blocks this thread is in."""

    depth = 0


_allowed = _Allowed()


def _warn(kind: str, size: int) -> None:
    advice = _TORCH_ADVICE.get(kind, ADVICE[kind])
    text = f"watch: torch waits here ({kind}, {size} bytes): {advice}"
    warnings.warn(text, GpukitWarning, stacklevel=5)


def _refuse(kind: str, size: int) -> None:
    raise DeviceError(
        f"watch: torch would wait here ({kind}, {size} bytes), which watch('error') refuses: "
        f"{_TORCH_ADVICE.get(kind, ADVICE[kind])}, or allow it with gpukit.allow_sync()"
    )


_TOLD: dict[str, Callable[[str, int], None] | None] = {
    "report": None,
    "warn": _warn,
    "error": _refuse,
}


@dataclass(frozen=True)
class WatchRow:
    """One line of a program and one kind of wait; `cell` is the notebook's number of the cell."""

    file: str
    line: int
    cell: int | None
    function: str
    kind: str
    count: int
    bytes: int
    wait_ms: float
    advice: str
    library: str = "gpukit"

    @property
    def source(self) -> str:
        """The text of the line, empty when its file is gone."""
        return linecache.getline(self.file, self.line).strip()

    @property
    def place(self) -> str:
        """Where it is: "train.py:12" or "cell 3, line 2"."""
        if self.cell is not None:
            return f"cell {self.cell}, line {self.line}"
        return f"{Path(self.file).name}:{self.line}"


@dataclass(frozen=True, repr=False)
class WatchReport(Tabular):
    """The waits between the start and the end of watching, longest first.

    `total_wait_ms` is the time in which Python waited for devices. `idle_fraction` is the share of
    the time in which the device waited for Python instead: from the end of a wait, which leaves it
    without work, until something was queued again; a device that runs dry between is not seen.
    `not_seen` names the imported libraries whose waits are not counted here, `watched` those whose
    waits are.
    """

    rows: list[WatchRow]
    seconds: float
    total_wait_ms: float
    idle_fraction: float
    not_seen: list[str] = field(default_factory=list)
    watched: list[str] = field(default_factory=lambda: ["gpukit"])
    simulated: bool = False

    def count(self, kind: str | None = None) -> int:
        """The number of waits, of one kind or of all."""
        return sum(row.count for row in self.rows if kind in (None, row.kind))

    def to_table(self) -> Table:
        """The content of the display."""
        columns = [
            Column("place", "where"),
            Column("kind", "kind"),
            *([Column("library", "library")] if self._has_others else []),
            Column("count", "times", numeric=True),
            Column("bytes", "bytes", numeric=True),
            Column("wait_ms", "waited, ms", "{:.3g}".format, numeric=True),
            Column("source", "line", code=True),
            Column("advice", "instead"),
        ]
        rows = [{column.key: getattr(row, column.key) for column in columns} for row in self.rows]
        title = f"Waits for a GPU{' (simulated)' if self.simulated else ''}"
        return Table(title, columns, rows, [self._summary(), *self._blind_spots()])

    def _blind_spots(self) -> list[str]:
        """What an empty report does not mean."""
        return [
            f"Calls of {name} are not seen: waits for a GPU inside {name} are not counted here "
            f"({_OTHERS[name]})."
            for name in self.not_seen
        ]

    @property
    def _has_others(self) -> bool:
        return any(row.library != "gpukit" for row in self.rows)

    @property
    def _library_names(self) -> str:
        return " and ".join(f"{name}'s" for name in self.watched)

    def _summary(self) -> str:
        if not self.rows:
            return f"Python waited for no GPU in {self._library_names} calls."
        if all(row.kind == "ranks" for row in self.rows):
            return f"{self.count()} waits for other ranks, {self.total_wait_ms:.3g} ms."
        waited = f"{self.total_wait_ms:.3g} ms of {1e3 * self.seconds:.3g} ms"
        if self._has_others:
            return f"{self.count()} waits, {waited}."
        return (
            f"{self.count()} waits, {waited}; "
            f"the device had nothing to do for {100 * self.idle_fraction:.0f} % of the time."
        )

    def to_dict(self) -> dict[str, Any]:
        """The raw values."""
        rows = [{**row.__dict__, "source": row.source} for row in self.rows]
        return {
            "rows": rows,
            "seconds": self.seconds,
            "total_wait_ms": self.total_wait_ms,
            "idle_fraction": self.idle_fraction,
            "not_seen": self.not_seen,
            "watched": self.watched,
        }


class watch:
    """Count the places where Python waits for a GPU: a context manager, a decorator, or start/stop.

    Every `.item()`, `print`, `.numpy()`, `if tensor:`, mask, `.cpu()`, upload of ordinary memory
    and `synchronize` is counted by file and line, in all threads, with its bytes and the time
    waited; so is every wait for other ranks in gpukit.distributed.

    Args:
        mode: "report" counts; "warn" also issues a GpukitWarning at the line; "error" raises
            DeviceError there before it waits.
        min_bytes: waits that move less are ignored.
        include: the kinds to look at, of item, print, numpy, bool, index, copy, sync, pageable and
            ranks. Those of kind ranks are only counted: one rank that refuses would leave the
            others waiting.
        foreign: count torch's waits in this thread too: copies between devices, values read,
            synchronisations. torch is imported. Other libraries' cannot be seen.

    Raises:
        ValueError: an unknown mode or kind, a negative `min_bytes`, `foreign` without torch.
        TypeError: `include` is no text or list of texts.

    Example:
        >>> import gpukit
        >>> x = gpukit.ones(3)
        >>> with gpukit.watch() as seen:
        ...     _ = x.sum().item()  # on the CPU nothing waits
        >>> seen.report.count()
        0
    """

    def __init__(
        self,
        mode: str = "report",
        *,
        min_bytes: int = 0,
        include: Iterable[str] = KINDS,
        foreign: bool = False,
    ) -> None:
        if mode not in _MODES:
            raise ValueError(f"watch: mode must be one of {', '.join(_MODES)}, got {mode!r:.80}")
        min_bytes = int_from("watch", "min_bytes", min_bytes, 0)
        kinds = names_of("watch", "include", include, "['item', 'copy']")
        for kind in kinds:
            if kind not in KINDS:
                known = ", ".join(KINDS)
                raise ValueError(
                    f"watch: include has {kind!r:.80}, which is not a kind; known: {known}"
                )
        if foreign and find_spec("torch") is None:
            raise ValueError(
                "watch: foreign=True counts torch's waits, and torch is not installed. "
                "Leave it out to count gpukit's own"
            )
        self._arguments = (mode, min_bytes, kinds)
        self._foreign = foreign
        self._torch: TorchWatch | None = None
        self._ranks: RankWatch | None = None
        self._log: _core.WaitLog | None = None

    def start(self) -> Self:
        """Begin to count, afresh."""
        name_inner_folders()
        self.stop()
        mode, min_bytes, kinds = self._arguments
        self._log = _core.WaitLog(mode, min_bytes, [kind for kind in kinds if kind != "ranks"])
        self._log.start()
        if "ranks" in kinds:
            self._ranks = RankWatch(min_bytes, lambda: _allowed.depth > 0)
            self._ranks.start()
        if self._foreign:
            self._torch = TorchWatch(kinds, min_bytes, _TOLD[mode], lambda: _allowed.depth > 0)
            self._torch.start()
        return self

    def stop(self) -> None:
        """End counting; the report stays."""
        for each in (self._torch, self._ranks):
            if each is not None:
                each.stop()
        if self._log is not None:
            self._log.stop()

    @property
    def report(self) -> WatchReport:
        """The report so far. RuntimeError if it was never started."""
        if self._log is None:
            raise RuntimeError("watch: it was not started; use `with gpukit.watch() as seen:`")
        rows = [_row(raw, "gpukit") for raw in self._log.rows()]
        if self._ranks is not None:
            rows += [_row(raw, "gpukit") for raw in self._ranks.rows()]
        if self._torch is not None:
            rows += [_row(raw, "torch") for raw in self._torch.rows()]
        rows.sort(key=lambda row: -row.wait_ms)
        seconds = self._log.seconds
        idle = self._log.idle_seconds / seconds if seconds else 0.0
        waited = sum(row.wait_ms for row in rows)
        watched = ["gpukit"] if self._torch is None else ["gpukit", "torch"]
        others = [name for name in _loaded_others() if name not in watched]
        idle = min(1.0, idle if rows else 0.0)
        simulated = _core.cuda_is_simulated()
        return WatchReport(rows, seconds, waited, idle, others, watched, simulated)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        """Watch each call of a function; its `watch.report` describes the last one."""

        @functools.wraps(function)
        def watched(*args: P.args, **keywords: P.kwargs) -> R:
            with self:
                return function(*args, **keywords)

        watched.watch = self  # type: ignore[attr-defined]
        return watched


class allow_sync:
    """Say that waits of this thread inside the block are intended: they are not counted or refused.

    Example:
        >>> import gpukit
        >>> with gpukit.watch("error"), gpukit.allow_sync():
        ...     print(gpukit.ones(2).sum().item())
        2.0
    """

    def __enter__(self) -> None:
        _core.push_allowed_wait()
        _allowed.depth += 1

    def __exit__(self, *_: object) -> None:
        _allowed.depth -= 1
        _core.pop_allowed_wait()


def _loaded_others() -> list[str]:
    """The imported libraries whose waits are not seen."""
    return [name for name in _OTHERS if name in sys.modules]


def _row(raw: tuple[str, int, str, str, int, int, float], library: str) -> WatchRow:
    file, line, function, kind, count, size, seconds = raw
    cell = cell_number(file)
    advice = ADVICE[kind] if library == "gpukit" else _TORCH_ADVICE.get(kind, ADVICE[kind])
    return WatchRow(file, line, cell, function, kind, count, size, 1e3 * seconds, advice, library)


def cell_number(file: str) -> int | None:
    """The notebook's number of the cell whose code has this file name."""
    found = _CELL_FILE.search(file)
    if found is None:
        return None
    if found.group(1):
        return int(found.group(1))
    from IPython import get_ipython

    shell = get_ipython()
    numbers: dict[str, int] = getattr(shell.compile, "_filename_map", {}) if shell else {}
    return numbers.get(file)
