"""Applies safe fixes: the new text is parsed before it replaces the old one, atomically."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from gpukit.errors import LintError
from gpukit.lint.checking import hits
from gpukit.lint.findings import Edit
from gpukit.lint.reading import Source, read_file, read_text
from gpukit.lint.writing import rewritten, write_text

_ROUNDS = 10


def fixed_lines(given: Iterable[str], edits: Iterable[Edit]) -> list[str]:
    """The same number of lines, with all edits that do not overlap; the last ones first."""
    lines = [line.encode("utf-8", "surrogatepass") for line in given]
    reached = (len(lines) + 1, 0)
    for edit in sorted(set(edits), reverse=True):
        if (edit.end_line, edit.end_column) > reached or edit.line != edit.end_line:
            continue  # overlaps one that is done, or spans lines
        line = lines[edit.line - 1]
        new = edit.text.encode()
        lines[edit.line - 1] = line[: edit.column] + new + line[edit.end_column :]
        reached = (edit.line, edit.column)
    return [line.decode("utf-8", "surrogatepass") for line in lines]


def fix_source(source: Source, codes: Iterable[str] | None = None) -> tuple[str, int]:
    """The repaired text of a script or notebook, and how many findings that fixed."""
    codes = None if codes is None else set(codes)
    found, settled = hits(source, codes), 0
    for _ in range(_ROUNDS):
        edits = [edit for _, edit in found if edit is not None]
        text = rewritten(source, fixed_lines(source.lines, edits))
        if text == source.raw:
            break
        try:
            new = read_text(source.path, text)
        except LintError:
            break
        left = hits(new, codes)
        if len(left) >= len(found):
            break  # an edit that fixes nothing is not a fix
        settled += len(found) - len(left)
        source, found = new, left
    return source.raw, settled


def fix_file(path: Path, codes: Iterable[str] | None = None) -> int:
    """Fixes a file in place and returns how many findings were fixed; with 0 it is unchanged."""
    source = read_file(path)
    text, settled = fix_source(source, codes)
    if settled:
        write_text(path, source, text)
    return settled
