"""A GPU's memory history, as a table by line and as a picture over time."""

from __future__ import annotations

import linecache
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from gpukit import _core
from gpukit._language import shown
from gpukit.cuda._memory_history import ALLOC, FREE, NOWHERE, MemoryEvent, Place
from gpukit.report import Column, Table, Tabular, bytes_text
from gpukit.report.drawing import LINE, WIDTH, drawing, label, mark

_LEFT, _TOP, _HEIGHT = 70, 28, 160
_WIDTH, _BOTTOM = WIDTH - _LEFT - 4, _TOP + _HEIGHT
_MAX_LINES = 8
_COLORS = ("#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#b07aa1", "#76b7b2", "#edc948", "#9c755f")
_REST = "#bab0ac"


@dataclass
class MemoryLine:
    """The allocations of one program line. `bytes` is the total, `held` is live at the end.

    Example:
        >>> from gpukit.cuda._memory_picture import MemoryLine
        >>> MemoryLine("train.py", 3, "step", "exp").where
        'train.py:3'
    """

    file: str
    line: int
    function: str
    operator: str
    count: int = 0
    bytes: int = 0
    held: int = 0
    at_peak: int = 0

    @property
    def where(self) -> str:
        """The file's name and the line."""
        return f"{Path(self.file).name}:{self.line}" if self.file else "not known"

    @property
    def source(self) -> str:
        """The line's text, "" when its file is gone."""
        return linecache.getline(self.file, self.line).strip()


class MemoryHistory(Tabular):
    """The events of one device; shows itself as a table, in a notebook with the picture.

    Attributes:
        events: MemoryEvent, oldest first.
        lines: MemoryLine, most bytes at the peak first.
        peak: the most bytes that were allocated at once.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1):
        ...     gpukit.cuda.record_memory_history()
        ...     for n in (1000, 2000):
        ...         x = gpukit.ones(n, device="cuda")
        ...     history = gpukit.cuda.memory_history()
        ...     gpukit.cuda.record_memory_history(None)
        >>> history.peak, history.lines[0].count, history.lines[0].held
        (12000, 2, 8000)
    """

    def __init__(self, events: Sequence[MemoryEvent], device: int) -> None:
        self.events = list(events)
        self.device = device
        self.simulated = bool(_core.device("cuda", device).simulated)
        self.peak = max((event.total for event in self.events), default=0)
        self.lines = self._lines()

    def _lines(self) -> list[MemoryLine]:
        lines: dict[tuple[Place, str], MemoryLine] = {}
        at_peak = False
        for event in self.events:
            line = lines.setdefault(
                (event.place, event.operator), MemoryLine(*event.place, event.operator)
            )
            if event.action == ALLOC:
                line.count += 1
                line.bytes += event.bytes
            line.held += -event.bytes if event.action == FREE else event.bytes
            if event.total == self.peak and not at_peak:
                at_peak = True
                for each in lines.values():
                    each.at_peak = each.held
        return sorted(lines.values(), key=lambda line: (-line.at_peak, -line.bytes))

    def to_table(self) -> Table:
        """The content of the display."""
        columns = [
            Column("where", "where"),
            Column("operator", "operator", lambda name: name or shown("not seen"), code=True),
            Column("count", "times", numeric=True),
            Column("bytes", "allocated", bytes_text, numeric=True),
            Column("at_peak", "at the peak", bytes_text, numeric=True),
            Column("held", "held", bytes_text, numeric=True),
            Column("source", "line", code=True),
        ]
        keys = [column.key for column in columns]
        rows = [{key: getattr(line, key) for key in keys} for line in self.lines]
        notes = [
            f"{self._name}: at most {bytes_text(self.peak)} at once.",
            "Which of several dropped blocks was released first is inferred from the total.",
        ]
        return Table("Allocations by line", columns, rows, notes)

    @property
    def _name(self) -> str:
        """The device as it is shown: a simulated one says so."""
        return f"cuda:{self.device}{' (simulated)' if self.simulated else ''}"

    def to_dict(self) -> dict[str, Any]:
        """The raw values."""
        return {
            "device": self.device,
            "simulated": self.simulated,
            "peak": self.peak,
            "lines": [{**line.__dict__, "source": line.source} for line in self.lines],
            "events": [event.__dict__ for event in self.events],
        }

    def to_html(self) -> str:
        """The picture above the table."""
        return self.to_svg() + self.to_table().to_html()

    def to_svg(self) -> str:
        """The picture: bytes over the events, a colour for each line, the largest below."""
        lines = [line for line in self.lines if line.bytes or line.held][:_MAX_LINES]
        keys = [((line.file, line.line, line.function), line.operator) for line in lines]
        names = [f"{line.where} {line.operator or shown('not seen')}" for line in lines]
        names.append(shown("others"))
        colors = [*_COLORS[: len(lines)], _REST]
        heading = shown(f"Memory of {self._name}")
        parts = [
            label(4, 16, heading),
            label(_LEFT - 6, _TOP + 12, bytes_text(self.peak), anchor="end"),
            label(_LEFT - 6, _BOTTOM, "0 B", anchor="end"),
            label(_LEFT, _BOTTOM + LINE, shown(f"{len(self.events)} events, the oldest first")),
        ]
        bottom = [0] * len(self.events)
        for number, (layer, name) in enumerate(zip(self._layers(keys), names, strict=True)):
            top = [low + value for low, value in zip(bottom, layer, strict=True)]
            parts.append(self._area(bottom, top, colors[number], name))
            parts.append(mark(4, _BOTTOM + LINE * (number + 2) + 6, colors[number], name))
            bottom = top
        parts.append(
            f'<path d="M{_LEFT},{_BOTTOM}H{_LEFT + _WIDTH}" fill="none" stroke="currentColor"/>'
        )
        return drawing(heading, _BOTTOM + LINE * (len(names) + 2), parts)

    def _layers(self, keys: list[tuple[Place, str]]) -> list[list[int]]:
        """Bytes after each event, of each of these lines and of the rest."""
        held = dict.fromkeys(keys, 0)
        layers: list[list[int]] = [[] for _ in range(len(keys) + 1)]
        for event in self.events:
            key = (event.place, event.operator)
            if key in held:
                held[key] += -event.bytes if event.action == FREE else event.bytes
            values = [max(0, held[each]) for each in keys]
            for layer, value in zip(layers, values, strict=False):
                layer.append(value)
            layers[-1].append(max(0, event.total - sum(values)))
        return layers

    def _area(self, bottom: list[int], top: list[int], color: str, name: str) -> str:
        step = _WIDTH / max(1, len(top))
        scale = _HEIGHT / max(1, self.peak)

        def points(values: list[int]) -> list[str]:
            found = []
            for number, value in enumerate(values):
                y = max(float(_TOP), _BOTTOM - value * scale)
                found += [f"{_LEFT + x * step:.1f},{y:.1f}" for x in (number, number + 1)]
            return found

        outline = " ".join(points(top) + points(bottom)[::-1])
        return f'<polygon points="{outline}" fill="{color}"><title>{escape(name)}</title></polygon>'


__all__ = ["NOWHERE", "MemoryHistory", "MemoryLine"]
