"""A table of results that prints in a terminal, in a notebook, in an issue and in a program."""

from __future__ import annotations

import csv
import html
import io
import json
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from gpukit._language import shown
from gpukit.report.column import Column
from gpukit.report.forms import Forms
from gpukit.report.text import printable

SCHEMA = 1

# currentColor adapts to light and dark themes without knowing which one is on.
_STYLE = (
    "<style>.gpukit{overflow-x:auto}"  # on a phone the table scrolls, not the page
    ".gpukit table{border-collapse:collapse;color:inherit;background:transparent}"
    ".gpukit th,.gpukit td{padding:.25em .7em;text-align:left!important;color:inherit;"
    "background:transparent;word-break:keep-all;"  # Chinese breaks where words end, as English
    "border-bottom:1px solid color-mix(in srgb,currentColor 20%,transparent)}"
    ".gpukit .n{text-align:right!important;font-variant-numeric:tabular-nums}"
    ".gpukit .n,.gpukit .c{white-space:nowrap}"
    ".gpukit caption{text-align:left;font-weight:600;padding:.3em 0}"
    ".gpukit p{margin:.3em 0;opacity:.8}</style>"
)


def _markdown(text: str) -> str:
    """Text from outside, escaped so that Markdown shows it literally, on one line."""
    safe = html.escape(printable(text), quote=False).replace("\n", " ")
    return safe.replace("|", "\\|").replace("`", "\\`")


@dataclass(repr=False)
class Table(Forms):
    """Rows of values under columns, with a title above and notes below.

    The values are kept as they were measured; only showing them turns them into text.

    Example:
        >>> from gpukit.report import Column, Table
        >>> table = Table("Sizes", [Column("n", "n", numeric=True)], [{"n": 3}])
        >>> print(table.to_markdown())
        **Sizes**
        <BLANKLINE>
        | n |
        |--:|
        | 3 |
    """

    title: str
    columns: Sequence[Column]
    rows: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def _shown(self) -> list[Column]:
        """Columns that have a value in some row; empty columns are dropped."""
        return [c for c in self.columns if any(r.get(c.key) is not None for r in self.rows)]

    def to_text(self, *, color: bool = False, width: int | None = None) -> str:
        """Text for a terminal; without colour unless asked."""
        from rich.console import Console

        stream = io.StringIO()
        console = Console(
            file=stream,
            width=width or 200,
            force_terminal=color,
            no_color=not color,
            highlight=False,
            force_jupyter=False,  # in a kernel rich would display it, and leave the text empty
        )
        console.print(self)
        return "\n".join(line.rstrip() for line in stream.getvalue().rstrip().splitlines())

    def __rich_console__(self, console: Any, options: Any) -> Any:
        from rich import box
        from rich.table import Table as RichTable
        from rich.text import Text

        from gpukit.report.layout import parts

        # rich would break a title at the width of its table.
        yield Text(printable(shown(self.title)), style="bold")
        columns = [replace(each, title=shown(each.title)) for each in self._shown()]
        rows = [[column.shown(row) for column in columns] for row in self.rows]
        for part in parts(columns, rows, options.max_width):
            drawn = RichTable(box=box.SIMPLE_HEAD, pad_edge=False)
            for place, width in part:
                column = columns[place]
                drawn.add_column(
                    Text(column.title),
                    justify="right" if column.numeric else "left",
                    width=width,
                    overflow="fold",
                )
            for cells in rows:
                drawn.add_row(*(Text(cells[place]) for place, _ in part))
            yield drawn
        for note in self.notes:
            yield Text(printable(shown(note)))

    def print(self, file: Any = None) -> None:
        """Prints to a terminal in colour, to anything else as plain text. Honours NO_COLOR."""
        from rich.console import Console

        target = sys.stdout if file is None else file
        interactive = bool(getattr(target, "isatty", lambda: False)())
        width = None if interactive else 200
        console = Console(file=target, width=width, highlight=False, force_jupyter=False)
        console.print(self)

    def to_html(self) -> str:
        """One fragment without script or outside files; everything from outside is escaped."""
        columns = self._shown()
        head = "".join(
            f'<th class="n">{html.escape(shown(c.title))}</th>'
            if c.numeric
            else f"<th>{html.escape(shown(c.title))}</th>"
            for c in columns
        )
        body = "".join(f"<tr>{self._html_cells(columns, row)}</tr>" for row in self.rows)
        notes = "".join(f"<p>{html.escape(printable(shown(note)))}</p>" for note in self.notes)
        title = html.escape(printable(shown(self.title)))
        return (
            f'<div class="gpukit">{_STYLE}<table><caption>{title}</caption>'
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}</div>"
        )

    @staticmethod
    def _html_cells(columns: Sequence[Column], row: Mapping[str, Any]) -> str:
        kinds = (' class="n"' if c.numeric else ' class="c"' if c.code else "" for c in columns)
        return "".join(
            f"<td{kind}>{html.escape(column.shown(row))}</td>"
            for kind, column in zip(kinds, columns, strict=True)
        )

    def to_markdown(self) -> str:
        """A GitHub table with the title above and the notes below."""
        columns = self._shown()

        def line(cells: list[str]) -> str:
            return "| " + " | ".join(_markdown(cell) for cell in cells) + " |"

        lines = [f"**{_markdown(shown(self.title))}**", "", line([shown(c.title) for c in columns])]
        lines.append("|" + "|".join("--:" if c.numeric else "---" for c in columns) + "|")
        lines += [line([c.shown(row) for c in columns]) for row in self.rows]
        if self.notes:
            lines += ["", *(_markdown(shown(note)) for note in self.notes)]
        return "\n".join(lines)

    def to_csv(self) -> str:
        """The raw values, one line per row."""
        stream = io.StringIO()
        writer = csv.DictWriter(
            stream, [c.key for c in self.columns], extrasaction="ignore", lineterminator="\n"
        )
        writer.writeheader()
        writer.writerows(self.rows)
        return stream.getvalue()

    def to_dict(self) -> dict[str, Any]:
        """The raw values and the notes, with the number of the schema."""
        return {"schema": SCHEMA, "title": self.title, "rows": self.rows, "notes": self.notes}

    def to_json(self) -> str:
        """`to_dict` as one JSON document."""
        return json.dumps(self.to_dict(), indent=2, default=str)

    def __len__(self) -> int:
        return len(self.rows)


class Tabular(Forms, ABC):
    """A result that shows itself as a table."""

    @abstractmethod
    def to_table(self) -> Table:
        """The content of the display."""

    def to_text(self) -> str:
        """Plain text."""
        return self.to_table().to_text()

    def to_markdown(self) -> str:
        """A GitHub table."""
        return self.to_table().to_markdown()

    def to_html(self) -> str:
        """One HTML fragment without script; everything from outside is escaped."""
        return self.to_table().to_html()
