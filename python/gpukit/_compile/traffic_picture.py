"""The picture of an explanation: bytes that groups move, before and after."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from gpukit._language import shown
from gpukit.report.drawing import WIDTH, drawing, label, mark

_LONGEST, _BAR, _STEP, _TOP = 250, 14, 62, 52
_MOST_LETTERS = 40
_BEFORE, _AFTER = "#a68a00", "#2f7fc1"


class _Group(Protocol):
    @property
    def operators(self) -> tuple[str, ...]: ...
    @property
    def bytes_before(self) -> int: ...
    @property
    def bytes_after(self) -> int: ...


def bars(name: str, groups: Iterable[_Group]) -> str:
    """Two bars a group, in one scale."""
    every, typed = list(groups), name  # what a user has typed is not translated
    title = shown(f"Bytes that {typed} moves")
    most = max((max(each.bytes_before, each.bytes_after) for each in every), default=0) or 1
    parts = [
        label(4, 16, title),
        mark(4, 36, _BEFORE, shown("by operators")),
        mark(WIDTH / 2, 36, _AFTER, shown("by chains")),
    ]
    for number, group in enumerate(every):
        y = _TOP + _STEP * number
        parts.append(label(4, y + 10, _title(group.operators)))
        parts += _bar(y + 16, group.bytes_before, most, _BEFORE)
        parts += _bar(y + 16 + _BAR + 2, group.bytes_after, most, _AFTER)
    return drawing(title, _TOP + _STEP * len(every), parts)


def _bar(y: int, count: int, most: int, color: str) -> list[str]:
    width = max(1, round(_LONGEST * count / most))
    return [
        f'<rect x="4" y="{y}" width="{width}" height="{_BAR}" fill="{color}"/>',
        label(width + 10, y + 12, shown(f"{count:,} bytes")),
    ]


def _title(operators: tuple[str, ...]) -> str:
    """The names that there is room for, and how many more there are."""
    fits = [
        count
        for count in range(1, len(operators) + 1)
        if len(" ".join(operators[:count])) <= _MOST_LETTERS
    ]
    most = max(fits, default=1)
    names, rest = " ".join(operators[:most]), len(operators) - most
    return f"{names} {shown(f'and {rest} more')}" if rest > 0 else names
