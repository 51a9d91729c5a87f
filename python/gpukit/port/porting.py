"""Turns a file of torch's into one of gpukit's, and writes it only when it can be read again."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from gpukit.errors import LintError
from gpukit.lint.checking import silenced
from gpukit.lint.fixing import fixed_lines
from gpukit.lint.nodes import grouped
from gpukit.lint.output import plain
from gpukit.lint.reading import Source, read_file, read_text
from gpukit.lint.writing import rewritten, write_text
from gpukit.port.aliases import Names
from gpukit.port.found import CODES, Leftover, Location
from gpukit.port.imports import edits
from gpukit.port.leftovers import locations


@dataclass(frozen=True)
class Ported:
    r"""A file with its imports changed: the new text, the difference, and what is left over.

    Example:
        >>> from gpukit import port
        >>> done = port.port_text("import torch\nprint(torch.ones(2))\n", "a.py")
        >>> print(done.diff, end="")
        --- a.py
        +++ a.py
        @@ -1,2 +1,2 @@
        -import torch
        +import gpukit as torch
         print(torch.ones(2))
        >>> done.changed, done.leftovers
        (1, [])
    """

    path: str
    text: str
    diff: str
    changed: int  # lines
    leftovers: list[Leftover]


def port_text(text: str, path: str = "<text>") -> Ported:
    r"""Changes a program's torch imports into gpukit imports, and lists what will not run.

    Args:
        text: The program, or a notebook's JSON. It is neither imported nor run.
        path: The name that leftovers carry; one that ends in ".ipynb" says that it is a notebook.

    Returns:
        A Ported: the new text, a unified diff and the leftovers in the order of the lines.

    Raises:
        LintError: The text is neither Python nor a notebook, is too large or nested too deeply.

    Example:
        >>> from gpukit import port
        >>> done = port.port_text("from torch import nn\nnet = nn.Bilinear(2, 3)\n", "a.py")
        >>> print(done.text, end="")
        from gpukit import nn
        net = nn.Bilinear(2, 3)
        >>> [(left.line, left.torch_name) for left in done.leftovers]
        [(2, 'torch.nn.Bilinear')]
    """
    return port_source(read_text(path, text))


def port_file(path: str | Path, *, write: bool = False) -> Ported:
    r"""Changes a .py or .ipynb file's torch imports into gpukit imports.

    Args:
        path: The file; at most 10 MiB. It is neither imported nor run.
        write: Replace the file, in one step, and only by what can be read again.

    Returns:
        A Ported: the new text, a unified diff and the leftovers in the order of the lines.

    Raises:
        LintError: The file cannot be read, is not Python, is too large or nested too deeply.

    Example:
        >>> import pathlib, tempfile
        >>> from gpukit import port
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "a.py")
        ...     _ = file.write_text("import torch\nprint(torch.ones(2))\n")
        ...     _ = port.port_file(file, write=True)
        ...     print(file.read_text(), end="")
        import gpukit as torch
        print(torch.ones(2))
    """
    source = read_file(path)
    done = port_source(source)
    if write and done.changed:
        write_text(Path(path), source, done.text)
    return done


def port_source(source: Source) -> Ported:
    """Ports a file that has been read."""
    try:
        names = Names(source)
        lines = fixed_lines(source.lines, chain.from_iterable(edits(names).values()))
        found = sorted(locations(source, names), key=lambda each: (_where(each), each.code))
    except (RecursionError, MemoryError):
        raise LintError(f"{source.path}: nested too deeply to be read") from None
    left = [_leftover(source, place) for place in found if not _silenced(source, place)]
    text = rewritten(source, lines)
    changed = sum(one != two for one, two in zip(source.lines, lines, strict=True))
    if changed:
        read_text(source.path, text)
    return Ported(source.path, text, _diff(source, lines), changed, list(dict.fromkeys(left)))


def _where(place: Location) -> tuple[int, int]:
    """Line and column, in bytes from 0."""
    if isinstance(place.where, int):
        return place.where, 0
    if place.at_end:
        name = place.torch_name.rpartition(".")[2]
        end = getattr(place.where, "end_col_offset", 0) or 0
        return getattr(place.where, "end_lineno", 1) or 1, max(0, end - len(name.encode()))
    return getattr(place.where, "lineno", 1), getattr(place.where, "col_offset", 0)


def _silenced(source: Source, place: Location) -> bool:
    first, _ = _where(place)
    last = (
        place.where if isinstance(place.where, int) else getattr(place.where, "end_lineno", first)
    )
    return silenced(source, {first, last or first}, place.code)


def _leftover(source: Source, place: Location) -> Leftover:
    line, column = _where(place)
    text = source.lines[line - 1] if 0 < line <= len(source.lines) else ""
    cell, shown = source.location(line)
    column = len(text.encode("utf-8", "surrogatepass")[:column].decode("utf-8", "replace")) + 1
    rule, _ = CODES[place.code]
    return Leftover(
        source.path, shown, column, place.code, rule, place.message, text, cell,
        torch_name=place.torch_name,
    )  # fmt: skip


def unified(path: str, old: Sequence[str], new: Sequence[str]) -> str:
    """A unified diff of two lists of lines, or "" where they are equal."""
    if list(old) == list(new):
        return ""
    ended = bool(old) and old[-1] == ""
    one, two = (list(each[:-1] if ended else each) for each in (old, new))
    name = plain(path)  # a line break in it would add a line to the difference
    lines = list(difflib.unified_diff(one, two, name, name, lineterm=""))
    if not ended:
        lines = _without_end(lines, one[-1], two[-1])
    return "\n".join(lines) + "\n"


def _without_end(lines: list[str], old: str, new: str) -> list[str]:
    """Marks the last line of a file that has no line end, as `patch` wants it."""
    mark = "\\ No newline at end of file"
    shown = {f" {old}"} if old == new else {f"-{old}", f"+{new}"}
    found: list[str] = []
    for number, line in enumerate(lines):
        found.append(line)
        last = number == len(lines) - 1 or (old != new and number == len(lines) - 2)
        if last and line in shown:
            found.append(mark)
    return found


def _diff(source: Source, lines: Sequence[str]) -> str:
    """The difference of a script, or of each cell of a notebook that changed."""
    if source.origin is None:
        return unified(source.path, source.lines, lines)
    rows = enumerate(cell or 0 for cell, _ in source.origin)
    cells = grouped((cell, row) for row, cell in rows)
    return "".join(
        unified(f"{source.path}:cell {cell}", *([*(one[row] for row in rows), ""]
                                               for one in (source.lines, lines)))
        for cell, rows in cells.items()
    )  # fmt: skip
