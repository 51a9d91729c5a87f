"""Which columns of a table fit side by side in a terminal of a given width.

No column vanishes and no cell is cut: texts are broken into lines, and what does not fit next to
the rest goes into another table, which repeats the first column.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from gpukit.report.column import Column

_GAP = 3  # between two columns, and one less at the edges together
_NARROWEST, _NARROWEST_KEY = 14, 10


def _natural(columns: Sequence[Column], rows: list[list[str]]) -> list[int]:
    """The width of each column that breaks nothing."""
    cells = [[column.title, *(row[i] for row in rows)] for i, column in enumerate(columns)]
    return [max(cell_len(line) for text in each for line in text.split("\n")) for each in cells]


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * len(widths) - 1


def _narrowed(widths: list[int], floors: list[int], room: int) -> list[int]:
    """The widths, of which the widest shrink first, down to their minimum."""
    widths = list(widths)
    while _total(widths) > room:
        loose = [i for i, width in enumerate(widths) if width > floors[i]]
        if not loose:
            break
        widths[max(loose, key=lambda i: widths[i])] -= 1
    return widths


def _groups(floors: list[int], room: int) -> list[list[int]]:
    """Groups of columns that fit side by side; each group begins with the first column."""
    groups: list[list[int]] = [[0]]
    for place in range(1, len(floors)):
        tried = [*groups[-1], place]
        if _total([floors[i] for i in tried]) <= room or len(groups[-1]) == 1:
            groups[-1] = tried
        else:
            groups.append([0, place])
    return groups


def parts(
    columns: Sequence[Column], rows: list[list[str]], room: int
) -> list[list[tuple[int, int]]]:
    """For each table that is drawn: the place and the width of each of its columns."""
    if not columns:
        return [[]]
    natural = _natural(columns, rows)
    floors = [
        width if column.numeric else min(width, _NARROWEST)
        for column, width in zip(columns, natural, strict=True)
    ]
    floors[0] = min(natural[0], max(_NARROWEST_KEY, room // 3))
    floors = [min(floor, max(1, room - floors[0] - _GAP - 2)) for floor in floors]
    drawn = []
    for group in _groups(floors, room):
        widths = _narrowed([natural[i] for i in group], [floors[i] for i in group], room)
        drawn.append(list(zip(group, widths, strict=True)))
    return drawn
