"""A column of a table: where its values are, and how they are written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gpukit._language import shown
from gpukit.report.text import NOT_MEASURED, printable


def _plain(value: Any) -> str:
    if value is None:
        return NOT_MEASURED
    return printable(str(value))


@dataclass(frozen=True)
class Column:
    """One column: the key in each row, its heading, and how a value is written.

    `code`: the values are names or lines of a program, which are the same in every language.
    """

    key: str
    title: str
    text: Callable[[Any], str] = _plain
    numeric: bool = False
    code: bool = False

    def cell(self, row: Mapping[str, Any]) -> str:
        """The row's value as text."""
        value = row.get(self.key)
        return NOT_MEASURED if value is None else self.text(value)

    def shown(self, row: Mapping[str, Any]) -> str:
        """The row's value as people see it."""
        return self.cell(row) if self.code else shown(self.cell(row))
