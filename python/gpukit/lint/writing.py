"""Writes changed lines back to a file: every byte that is not part of a change is preserved."""

from __future__ import annotations

import contextlib
import json
import os
import re
import stat
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from gpukit.errors import LintError
from gpukit.lint import json_spans
from gpukit.lint.reading import MARK, Source

_ENDS = re.compile(r"\r\n|\r|\n")

Change = tuple[int, int, str]  # start, end, replacement


def rewritten(source: Source, lines: Sequence[str]) -> str:
    """The raw text with new lines, as many as the source has; line endings and layout are kept."""
    if list(lines) == source.lines:
        return source.raw
    if source.origin is None:
        mark = MARK if source.raw.startswith(MARK) else ""
        ends = [*_ENDS.findall(source.raw), ""]
        return mark + "".join(line + end for line, end in zip(lines, ends, strict=True))
    text, at, parts = source.raw, 0, []
    for start, stop, new in sorted(_in_notebook(source, lines)):
        parts += [text[at:start], new]
        at = stop
    return "".join([*parts, text[at:]])


def _in_notebook(source: Source, lines: Sequence[str]) -> Iterator[Change]:
    """The changes in a notebook's JSON."""
    cells: dict[int, list[int]] = {}
    for row, (cell, _) in enumerate(source.origin or ()):
        cells.setdefault(cell or 0, []).append(row)
    places = dict(enumerate(_cells(source.raw), 1))
    for cell, rows in cells.items():
        old, new = ([one[row] for row in rows] for one in (source.lines, lines))
        if old != new:
            yield from _in_cell(source.raw, places[cell], old, new)


def _cells(raw: str) -> Iterator[int]:
    """The start of each cell of a notebook."""
    whole = json_spans.begin(raw, len(MARK) if raw.startswith(MARK) else 0)
    for start, _ in json_spans.elements(raw, json_spans.member(raw, whole, "cells")):
        yield start


def _in_cell(raw: str, cell: int, old: list[str], new: list[str]) -> Iterator[Change]:
    """The changes in the strings of a cell's source, which need not be lines."""
    spans = json_spans.strings(raw, json_spans.member(raw, cell, "source"))
    texts = [json.loads(raw[start:end]) for start, end in spans]
    at = 0
    for one, two, end in zip(old, new, [*_ENDS.findall("".join(texts)), ""], strict=True):
        if one != two:
            start, stop, text = _difference(one, two)
            yield from _in_strings(raw, spans, texts, (at + start, at + stop, text))
        at += len(one) + len(end)


def _difference(old: str, new: str) -> Change:
    """The one span in which two lines differ."""
    start = _common_prefix(old, new)
    same = _common_prefix(old[start:][::-1], new[start:][::-1])
    return start, len(old) - same, new[start : len(new) - same]


def _common_prefix(one: str, two: str) -> int:
    """The length of the common prefix of two texts."""
    pairs = zip(one, two, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(two)))


def _in_strings(
    raw: str, spans: list[tuple[int, int]], texts: list[str], change: Change
) -> Iterator[Change]:
    """A change of the joined strings as changes of the JSON text that holds them."""
    start, stop, text = change
    new = json.dumps(text, ensure_ascii=raw.isascii())[1:-1]
    base = 0
    for place, (span, held) in enumerate(zip(spans, texts, strict=True)):
        end = base + len(held)
        last = place == len(spans) - 1
        if start < end or (last and start == end):  # the first string gets the text
            letters = json_spans.letters(raw, *span)
            yield letters[start - base], letters[min(stop, end) - base], new
            start, new = end, ""
            if stop <= end:
                return
        base = end


def encoded(source: Source, text: str) -> bytes:
    """A file's new text in its encoding. Lines that did not change keep their bytes."""
    whole = text.encode(source.encoding)
    if source.encoding.startswith("utf-8"):
        return whole
    old = source.data.splitlines(keepends=True)
    before, after = (list(filter(None, re.split(r"(?<=\n)|(?<=\r)(?!\n)", each)))
                     for each in (source.raw, text))  # fmt: skip
    if not len(old) == len(before) == len(after):
        return whole  # an encoding in which a line ending is more than one byte
    kept = b"".join(
        data if one == two else two.encode(source.encoding)
        for data, one, two in zip(old, before, after, strict=True)
    )
    return kept if kept.decode(source.encoding) == text else whole


def write_text(path: Path, source: Source, text: str) -> None:
    """Replaces the file that a source was read from."""
    replace_file(path, encoded(source, text))


def replace_file(path: Path, data: bytes) -> None:
    """Writes a file next to the old one and renames it over the old one, with its mode.

    A link stays a link: what it leads to is replaced, as by ruff and black.
    """
    target = path.resolve()
    if not target.stat().st_mode & 0o222:  # renaming would replace what nobody may write
        raise LintError(f"{path}: is read-only and stays as it is")
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(stat.S_IMODE(target.stat().st_mode))
        Path(name).replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
