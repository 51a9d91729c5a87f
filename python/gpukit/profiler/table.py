"""Lists of events: sums by name, and the table that they print as."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpukit.errors import ArgumentError
from gpukit.profiler.events import DeviceType, FunctionEvent, FunctionEventAvg, in_averages
from gpukit.profiler.formats import memory_text, share_text, time_text

SORT_KEYS = (
    "cpu_time",
    "cpu_time_total",
    "self_cpu_time_total",
    "device_time",
    "device_time_total",
    "self_device_time_total",
    "cpu_memory_usage",
    "self_cpu_memory_usage",
    "device_memory_usage",
    "self_device_memory_usage",
    "count",
    "flops",
)
_UNITS = (None, "s", "ms", "us")
_MIN_WIDTH = 12
_STACK_METRICS = ("self_cpu_time_total", "self_device_time_total")


@dataclass(frozen=True)
class Shown:
    """The options of a profile that its tables depend on."""

    memory: bool = False
    flops: bool = False
    notes: tuple[str, ...] = ()


class EventList(list[Any]):
    """Events of a profile, or their averages.

    Example:
        >>> import gpukit
        >>> with gpukit.profiler.profile() as p:
        ...     y = gpukit.ones(3) * 2
        >>> events = p.events()
        >>> events.self_cpu_time_total > 0, events.total_average().count
        (True, 2)
        >>> "gpukit::mul" in events.key_averages().table(sort_by="count")
        True
        >>> events.export_stacks("stacks.txt")
        Traceback (most recent call last):
            ...
        gpukit.errors.ArgumentError: export_stacks: no event has a stack; ...
    """

    def __init__(self, events: Iterable[Any], shown: Shown) -> None:
        super().__init__(events)
        self._shown = shown

    def __str__(self) -> str:
        return self.table()

    @property
    def self_cpu_time_total(self) -> float:
        """Microseconds of the host in all events, each counted once."""
        return float(sum(event.self_cpu_time_total for event in self))

    def key_averages(
        self,
        group_by_input_shapes: bool = False,
        group_by_stack_n: int = 0,
        group_by_overload_name: bool = False,  # noqa: ARG002 (torch's)
    ) -> EventList:
        """Return the sums by name.

        Args:
            group_by_input_shapes: A row for each name and shapes.
            group_by_stack_n: A row for each name and this many inner frames.
            group_by_overload_name: Accepted for compatibility with PyTorch and ignored.
        """
        sums: dict[tuple[Any, ...], FunctionEventAvg] = {}
        for event in filter(in_averages, self):
            key: tuple[Any, ...] = (event.key, event.kind, event.device_type, event.simulated)
            if group_by_input_shapes:
                key += (str(event.input_shapes),)
            if group_by_stack_n:
                key += tuple(event.stack[:group_by_stack_n])
            if key not in sums:
                sums[key] = _average(event, group_by_input_shapes, group_by_stack_n)
            sums[key].add(event)
        return EventList(sums.values(), self._shown)

    def total_average(self) -> FunctionEventAvg:
        """All events together, named "Total"."""
        total = FunctionEventAvg(FunctionEvent("Total", 0, 0.0, 0.0, 0))
        for event in self:
            total.add(event)
        return total

    def table(  # noqa: PLR0917 (torch's)
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int | None = 75,
        max_name_column_width: int | None = 55,
        max_shapes_column_width: int | None = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
        time_unit: str | None = None,
    ) -> str:
        """Return a table as torch's, one row an event or an average.

        Args:
            sort_by: Such as "cpu_time_total", "self_cuda_time_total", "count"; largest first.
            row_limit: The most rows; -1 for all.
            max_src_column_width: The most letters of a source location; None for all.
            max_name_column_width: The most letters of a name.
            max_shapes_column_width: The most letters of shapes.
            header: A line above.
            top_level_events_only: Leave out what ran inside other events.
            time_unit: "s", "ms" or "us" for all times; None takes what fits each.

        Raises:
            ArgumentError: An unknown `sort_by` or `time_unit`.
        """
        if time_unit not in _UNITS:
            raise ArgumentError(f"table: time_unit must be 's', 'ms' or 'us', got {time_unit!r}")
        if not self:
            return ""
        rows = self._sorted(sort_by)
        widths = (max_name_column_width, max_shapes_column_width, max_src_column_width)
        return _Layout(rows, self._shown, widths, time_unit).text(
            row_limit, header, top_level_events_only
        )

    def _sorted(self, sort_by: str | None) -> list[Any]:
        if sort_by is None:
            return list(self)
        key = str(sort_by).replace("cuda", "device")
        if key not in SORT_KEYS:
            from gpukit._names.suggest import near

            meant = near(key, SORT_KEYS)
            hint = f"Did you mean {meant!r}?" if meant else f"Known: {', '.join(SORT_KEYS)}."
            raise ArgumentError(f"table: there is no column {sort_by!r} to sort by. {hint}")
        return sorted(self, key=lambda event: getattr(event, key), reverse=True)

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Write one line a stack, outermost function first, and its microseconds: for flame graphs.

        Args:
            path: The file.
            metric: "self_cpu_time_total" or "self_cuda_time_total".

        Raises:
            ArgumentError: Another metric, or no event has a stack (profile with with_stack=True).
        """
        name = metric.replace("cuda", "device")
        if name not in _STACK_METRICS:
            known = " or ".join(map(repr, _STACK_METRICS))
            raise ArgumentError(f"export_stacks: metric must be {known}, got {metric!r}")
        lines = [
            f"{_folded(event.stack)} {int(getattr(event, name))}"
            for event in self
            if event.stack and int(getattr(event, name)) > 0
        ]
        if not any(event.stack for event in self):
            raise ArgumentError("export_stacks: no event has a stack; use profile(with_stack=True)")
        Path(path).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _folded(stack: list[str]) -> str:
    """A stack as flame graphs read it: no spaces in a frame, ";" between frames."""
    return ";".join(frame.replace(" ", "_").replace(";", "_") for frame in reversed(stack))


def _average(event: FunctionEvent, shapes: bool, frames: int) -> FunctionEventAvg:
    average = FunctionEventAvg(event)
    average.input_shapes = event.input_shapes if shapes else []
    average.stack = event.stack[:frames] if frames else []
    return average


@dataclass(frozen=True)
class _TableColumn:
    title: str
    cell: Callable[[Any], str]
    width: int = _MIN_WIDTH
    left: bool = False


class _Layout:
    """The columns that some events need, and the text."""

    def __init__(
        self,
        events: list[Any],
        shown: Shown,
        widths: tuple[int | None, int | None, int | None],
        unit: str | None,
    ) -> None:
        self._events = events
        self._shown = shown
        self._unit = unit
        self._cpu = sum(event.self_cpu_time_total for event in events)
        self._device = sum(
            event.self_device_time_total for event in events if event.device_type is DeviceType.CUDA
        )
        self._source_width = 0
        self._columns = self._make_columns(*widths)

    def _time(self, name: str) -> Callable[[Any], str]:
        return lambda event: time_text(getattr(event, name), self._unit)

    def _make_columns(
        self, name_width: int | None, shapes_width: int | None, source_width: int | None
    ) -> list[_TableColumn]:
        events = self._events
        longest = max(len(event.key) for event in events) + 4
        width = min(longest, name_width or longest)
        columns = [
            _TableColumn("Name", lambda event: _shortened(event.key, width), width),
            _TableColumn("Self CPU %", lambda e: share_text(e.self_cpu_time_total, self._cpu)),
            _TableColumn("Self CPU", self._time("self_cpu_time_total")),
            _TableColumn("CPU total %", lambda e: share_text(e.cpu_time_total, self._cpu)),
            _TableColumn("CPU total", self._time("cpu_time_total")),
            _TableColumn("CPU time avg", self._time("cpu_time")),
            *self._device_columns(),
            *self._memory_columns(),
            _TableColumn("# of Calls", lambda event: str(event.count)),
        ]
        if any(event.input_shapes for event in events):
            longest = max(len(str(event.input_shapes)) for event in events) + 4
            most = min(longest, shapes_width or longest)
            columns.append(
                _TableColumn("Input Shapes", lambda event: str(event.input_shapes)[:most], most)
            )
        if self._shown.flops and any(event.flops > 0 for event in events):
            columns.append(_TableColumn("Total KFLOPs", _kiloflops))
        if any(event.stack for event in events):
            longest = max(len(frame) for event in events for frame in event.stack) + 4
            self._source_width = min(longest, source_width or longest)
            columns.append(
                _TableColumn("Source Location", lambda _: "", self._source_width, left=True)
            )
        return columns

    def _device_name(self) -> str:
        return "sim. CUDA" if any(event.simulated for event in self._events) else "CUDA"

    def _device_columns(self) -> list[_TableColumn]:
        if not any(event.device_time_total > 0 for event in self._events):
            return []
        name = self._device_name()
        width = max(_MIN_WIDTH, len(f"{name} time avg"))
        return [
            _TableColumn(f"Self {name}", self._time("self_device_time_total"), width),
            _TableColumn(
                f"Self {name} %",
                lambda event: share_text(event.self_device_time_total, self._device),
                width,
            ),
            _TableColumn(f"{name} total", self._time("device_time_total"), width),
            _TableColumn(f"{name} time avg", self._time("device_time"), width),
        ]

    def _memory_columns(self) -> list[_TableColumn]:
        if not self._shown.memory:
            return []
        names = {"CPU Mem": "cpu_memory_usage", "Self CPU Mem": "self_cpu_memory_usage"}
        if any(event.device_memory_usage for event in self._events):
            names |= {
                "CUDA Mem": "device_memory_usage",
                "Self CUDA Mem": "self_device_memory_usage",
            }
        return [
            _TableColumn(title, lambda e, field=field: memory_text(getattr(e, field)), 13)  # type: ignore[misc]
            for title, field in names.items()
        ]

    def text(self, limit: int, header: str | None, top_level: bool) -> str:
        """The whole table, each line ended."""
        rule = "  ".join("-" * column.width for column in self._columns)
        lines = []
        if header is not None:
            lines += ["=" * len(rule), header]
        if top_level:
            lines += ["=" * len(rule), "Only events that are inside no other are shown"]
        lines += [rule, self._line([column.title for column in self._columns]), rule]
        rows = [e for e in self._events if not (top_level and e.cpu_parent is not None)]
        for event in rows if limit < 0 else rows[:limit]:
            lines += self._row(event)
        lines += [rule, f"Self CPU time total: {time_text(self._cpu, self._unit)}"]
        if self._device_columns():
            total = time_text(self._device, self._unit)
            lines.append(f"Self {self._device_name()} time total: {total}")
        return "\n".join([*lines, *self._shown.notes]) + "\n"

    def _row(self, event: Any) -> list[str]:
        cells = [column.cell(event) for column in self._columns]
        if not self._source_width:
            return [self._line(cells)]
        frames = [_end_of(frame, self._source_width) for frame in event.stack] or [""]
        empty = [""] * (len(cells) - 1)
        lines = [self._line([*cells[:-1], frames[0]])]
        lines += [self._line([*empty, frame]) for frame in frames[1:]]
        return [*lines, ""]

    def _line(self, cells: list[str]) -> str:
        parts = [
            cell.ljust(column.width) if column.left else cell.rjust(column.width)
            for cell, column in zip(cells, self._columns, strict=True)
        ]
        return "  ".join(parts).rstrip()


def _shortened(name: str, width: int) -> str:
    return name if len(name) <= width else name[: width - 3] + "..."


def _end_of(path: str, width: int) -> str:
    """The end of a path says more than its beginning."""
    return path if len(path) <= width else "..." + path[len(path) - width + 3 :]


def _kiloflops(event: Any) -> str:
    return f"{event.flops / 1e3:.3f}" if event.flops > 0 else "--"
