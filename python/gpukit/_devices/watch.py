"""gpukit.watch: which lines of Python wait for a GPU, how often, how long, what to do instead."""

from __future__ import annotations

import functools
import linecache
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from gpukit import _core
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

KINDS = ("item", "print", "numpy", "bool", "index", "copy", "sync", "pageable")
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
}

_CELL_FILE = re.compile(r"<ipython-input-(\d+)-|[/\\]ipykernel_\d+[/\\]\d+\.py$")


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
    """What was seen between the start and the end of watching, longest wait first.

    `total_wait_ms` is the time in which Python waited for devices. `idle_fraction` is the share of
    the time in which the device waited for Python instead: from the end of a wait, which leaves it
    without work, until something was queued again; a device that runs dry between is not seen.
    `not_seen` names the imported libraries whose waits are not counted here.
    """

    rows: list[WatchRow]
    seconds: float
    total_wait_ms: float
    idle_fraction: float
    not_seen: list[str] = field(default_factory=list)

    def count(self, kind: str | None = None) -> int:
        """The number of waits, of one kind or of all."""
        return sum(row.count for row in self.rows if kind in (None, row.kind))

    def to_table(self) -> Table:
        """What is shown."""
        columns = [
            Column("place", "where"),
            Column("kind", "kind"),
            Column("count", "times", numeric=True),
            Column("bytes", "bytes", numeric=True),
            Column("wait_ms", "waited, ms", "{:.3g}".format, numeric=True),
            Column("source", "line"),
            Column("advice", "instead"),
        ]
        rows = [{column.key: getattr(row, column.key) for column in columns} for row in self.rows]
        return Table("Waits for a GPU", columns, rows, [self._summary(), *self._blind_spots()])

    def _blind_spots(self) -> list[str]:
        """What a report without rows must not be taken for."""
        return [
            f"Calls of {name} are not seen: waits for a GPU inside {name} are not counted here "
            f"({_OTHERS[name]})."
            for name in self.not_seen
        ]

    def _summary(self) -> str:
        if not self.rows:
            return "Python waited for no GPU in gpukit's calls."
        return (
            f"{self.count()} waits, {self.total_wait_ms:.3g} ms of {1e3 * self.seconds:.3g} ms; "
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
        }


class watch:
    """Count the places where Python waits for a GPU: a context manager, a decorator, or start/stop.

    Every `.item()`, `print`, `.numpy()`, `if tensor:`, mask, `.cpu()`, upload of ordinary memory
    and `synchronize` is counted by file and line, in all threads, with its bytes and the time
    waited.

    Args:
        mode: "report" counts; "warn" also gives a GpukitWarning at the line; "error" raises
            DeviceError there before it waits.
        min_bytes: waits that move less are ignored.
        include: the kinds to look at, of item, print, numpy, bool, index, copy, sync, pageable.
        foreign: waits inside other libraries cannot be seen; True raises ValueError.

    Raises:
        ValueError: an unknown mode or kind, a negative `min_bytes`.

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
            raise ValueError(f"watch: mode must be one of {', '.join(_MODES)}, got {mode!r}")
        if isinstance(min_bytes, bool) or not isinstance(min_bytes, int):
            raise TypeError(f"watch: min_bytes must be an int, got {min_bytes!r}")
        if min_bytes < 0:
            raise ValueError(f"watch: min_bytes must be 0 or more, got {min_bytes}")
        kinds = [include] if isinstance(include, str) else list(include)
        for kind in kinds:
            if kind not in KINDS:
                known = ", ".join(KINDS)
                raise ValueError(f"watch: include has {kind!r}, which is no kind; known: {known}")
        if foreign:
            raise ValueError(
                "watch: foreign=True is not possible, waits inside other libraries are not seen. "
                "Leave it out to count gpukit's own"
            )
        self._arguments = (mode, min_bytes, kinds)
        self._log: _core.WaitLog | None = None

    def start(self) -> Self:
        """Begin to count, afresh."""
        name_inner_folders()
        self.stop()
        self._log = _core.WaitLog(*self._arguments)
        self._log.start()
        return self

    def stop(self) -> None:
        """End counting; the report stays."""
        if self._log is not None:
            self._log.stop()

    @property
    def report(self) -> WatchReport:
        """What was seen until now. RuntimeError when it was never started."""
        if self._log is None:
            raise RuntimeError("watch: it was not started; use `with gpukit.watch() as seen:`")
        rows = [_row(raw) for raw in self._log.rows()]
        rows.sort(key=lambda row: -row.wait_ms)
        seconds = self._log.seconds
        idle = self._log.idle_seconds / seconds if seconds else 0.0
        waited = sum(row.wait_ms for row in rows)
        return WatchReport(rows, seconds, waited, min(1.0, idle if rows else 0.0), _loaded_others())

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        """Watch each call of a function; its `watch.report` tells of the last one."""

        @functools.wraps(function)
        def watched(*args: P.args, **keywords: P.kwargs) -> R:
            with self:
                return function(*args, **keywords)

        watched.watch = self  # type: ignore[attr-defined]
        return watched


class allow_sync:
    """Say that waits of this thread inside the block are meant: they are not counted or refused.

    Example:
        >>> import gpukit
        >>> with gpukit.watch("error"), gpukit.allow_sync():
        ...     print(gpukit.ones(2).sum().item())
        2.0
    """

    def __enter__(self) -> None:
        _core.push_allowed_wait()

    def __exit__(self, *_: object) -> None:
        _core.pop_allowed_wait()


def _loaded_others() -> list[str]:
    """The imported libraries whose waits are not seen."""
    return [name for name in _OTHERS if name in sys.modules]


def name_inner_folders() -> None:
    """Say where the user's own lines are not looked for: in gpukit and, if loaded, IPython."""
    modules = [sys.modules.get(name) for name in ("gpukit", "IPython", "ipykernel")]
    files = [getattr(module, "__file__", None) for module in modules]
    _core.set_inner_folders([str(Path(file).parent) + "/" for file in files if file])


def _row(raw: tuple[str, int, str, str, int, int, float]) -> WatchRow:
    file, line, function, kind, count, size, seconds = raw
    cell = cell_number(file)
    return WatchRow(file, line, cell, function, kind, count, size, 1e3 * seconds, ADVICE[kind])


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
