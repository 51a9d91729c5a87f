"""The picture of an explanation: bytes that groups move, before and after."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Protocol

_WIDTH, _BAR, _STEP, _TOP = 480, 14, 62, 28
_MOST_NAMES = 8
_BEFORE, _AFTER = "#bcbd22", "#1f77b4"


class _Group(Protocol):
    @property
    def operators(self) -> tuple[str, ...]: ...
    @property
    def bytes_before(self) -> int: ...
    @property
    def bytes_after(self) -> int: ...


def bars(name: str, groups: Iterable[_Group]) -> str:
    """Two bars a group, in one scale."""
    shown = list(groups)
    most = max((max(each.bytes_before, each.bytes_after) for each in shown), default=0) or 1
    height = _TOP + _STEP * len(shown)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH + 160} {height}" '
        f'width="{_WIDTH + 160}" font-family="sans-serif" font-size="11">',
        f"<title>Bytes that the chains of {escape(name)} move</title>",
        f'<rect width="{_WIDTH + 160}" height="{height}" fill="white"/>',
        f'<text x="4" y="14">{escape(name)}: bytes moved by operators, and by chains</text>',
    ]
    for number, group in enumerate(shown):
        y = _TOP + _STEP * number
        parts.append(f'<text x="4" y="{y + 10}">{escape(_title(group.operators))}</text>')
        parts += _bar(y + 16, group.bytes_before, most, _BEFORE)
        parts += _bar(y + 16 + _BAR + 2, group.bytes_after, most, _AFTER)
    return "".join([*parts, "</svg>"])


def _bar(y: int, count: int, most: int, color: str) -> list[str]:
    width = max(1, round(_WIDTH * count / most))
    return [
        f'<rect x="4" y="{y}" width="{width}" height="{_BAR}" fill="{color}"/>',
        f'<text x="{width + 10}" y="{y + 11}">{count:,} bytes</text>',
    ]


def _title(operators: tuple[str, ...]) -> str:
    rest = len(operators) - _MOST_NAMES
    names = " ".join(operators[:_MOST_NAMES])
    return f"{names} and {rest} more" if rest > 0 else names
