"""Reads a lesson (a MyST notebook): its header, and its cells in order."""

from __future__ import annotations

import re
from dataclasses import dataclass

_HEADER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_CODE = re.compile(r"^```\{code-cell\} ipython3\n(.*?)^```$\n?", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Cell:
    """One cell: "code" or "markdown", and its text without a newline at the end."""

    kind: str
    text: str


def cells(lesson: str) -> list[Cell]:
    """The cells of a lesson's text; raises ValueError if it has no notebook header."""
    header = _HEADER.match(lesson)
    if header is None:
        raise ValueError("a lesson begins with a jupytext header between two lines of ---")
    found: list[Cell] = []
    # split() gives text, code, text, code, ... text.
    for index, part in enumerate(_CODE.split(lesson[header.end() :])):
        if text := part.strip("\n"):
            found.append(Cell("code" if index % 2 else "markdown", text))
    return found


def code_cells(lesson: str) -> list[str]:
    """The code of a lesson, cell by cell."""
    return [cell.text for cell in cells(lesson) if cell.kind == "code"]
