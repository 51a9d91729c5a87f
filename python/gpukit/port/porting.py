"""Turns a file of torch's into one of gpukit's, and writes it only when it can be read again."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpukit.errors import LintError
from gpukit.lint.checking import silenced
from gpukit.lint.fixing import fixed_text, replace_file
from gpukit.lint.reading import Source, read, read_bytes
from gpukit.port.aliases import Names
from gpukit.port.found import CODES, Leftover, Place
from gpukit.port.imports import edits
from gpukit.port.leftovers import places

_ENDS = re.compile(r"\r\n|\r|\n")
_INDENTS: tuple[Any, ...] = (1, 2, 4, "\t", None, 3, 0)


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
    r"""Changes a program's imports of torch into imports of gpukit, and lists what will not run.

    Args:
        text: The program, or a notebook's JSON. It is neither imported nor run.
        path: The name that leftovers carry; one that ends in ".ipynb" says that it is a notebook.

    Returns:
        A Ported: the new text, a unified diff and the leftovers in the order of the lines.

    Raises:
        LintError: The text is no Python, no notebook, too large or nested too deeply.

    Example:
        >>> from gpukit import port
        >>> done = port.port_text("from torch import nn\nnet = nn.LSTM(2, 3)\n", "a.py")
        >>> print(done.text, end="")
        from gpukit import nn
        net = nn.LSTM(2, 3)
        >>> [(left.line, left.torch_name) for left in done.leftovers]
        [(2, 'torch.nn.LSTM')]
    """
    return port_source(read(path, text.encode("utf-8", "surrogatepass")), text)


def port_file(path: str | Path, *, write: bool = False) -> Ported:
    r"""Changes a .py or .ipynb file's imports of torch into imports of gpukit.

    Args:
        path: The file; at most 10 MiB. It is neither imported nor run.
        write: Replace the file, in one step, and only by what can be read again.

    Returns:
        A Ported: the new text, a unified diff and the leftovers in the order of the lines.

    Raises:
        LintError: The file cannot be read, is no Python, too large or nested too deeply.

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
    data = read_bytes(Path(path))
    source = read(str(path), data)
    done = port_source(source, decoded(source, data))
    if write and done.changed:
        replace_file(Path(path), done.text.encode(_encoding(source)))
    return done


def decoded(source: Source, data: bytes) -> str:
    """The text of a file's bytes, with its own line ends."""
    return data.decode(_encoding(source))


def _encoding(source: Source) -> str:
    return "utf-8" if source.notebook is not None else source.encoding


def port_source(source: Source, raw: str) -> Ported:
    """Ports a file that has been read; `raw` is its text with its own line ends."""
    try:
        names = Names(source)
        lines = list(source.lines)
        new = fixed_text("\n".join(lines), edits(names, lines)).split("\n")
        found = sorted(places(source, names), key=lambda each: (_where(each), each.code))
    except (RecursionError, MemoryError):
        raise LintError(f"{source.path}: nested too deeply to be read") from None
    left = [_leftover(source, place) for place in found if not _silenced(source, place)]
    if source.notebook is None:
        text, diff = _with_ends(raw, new), unified(source.path, lines, new)
    else:
        text, diff = _notebook(source, raw, lines, new)
    changed = sum(one != two for one, two in zip(lines, new, strict=True))
    text = text if changed else raw
    if changed:
        read(source.path, text.encode(_encoding(source), "surrogatepass"))
    return Ported(source.path, text, diff, changed, list(dict.fromkeys(left)))


def _where(place: Place) -> tuple[int, int]:
    """Line and column, in bytes from 0."""
    if isinstance(place.where, int):
        return place.where, 0
    if place.at_end:
        name = place.torch_name.rpartition(".")[2]
        end = getattr(place.where, "end_col_offset", 0) or 0
        return getattr(place.where, "end_lineno", 1) or 1, max(0, end - len(name.encode()))
    return getattr(place.where, "lineno", 1), getattr(place.where, "col_offset", 0)


def _silenced(source: Source, place: Place) -> bool:
    first, _ = _where(place)
    last = (
        place.where if isinstance(place.where, int) else getattr(place.where, "end_lineno", first)
    )
    return silenced(source, {first, last or first}, place.code)


def _leftover(source: Source, place: Place) -> Leftover:
    line, column = _where(place)
    text = source.lines[line - 1] if 0 < line <= len(source.lines) else ""
    cell, shown = source.place(line)
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
    lines = list(difflib.unified_diff(one, two, path, path, lineterm=""))
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


def _with_ends(raw: str, lines: list[str]) -> str:
    """The new lines with the old line ends."""
    ends = [*_ENDS.findall(raw), ""]
    return "".join(line + end for line, end in zip(lines, ends, strict=True))


def _notebook(source: Source, raw: str, lines: list[str], new: list[str]) -> tuple[str, str]:
    """A notebook's new JSON, in the form that it had, and a diff for each cell that changed."""
    cells: dict[int, list[int]] = {}
    for at, (cell, _) in enumerate(source.origin or ()):
        cells.setdefault(cell or 0, []).append(at)
    notebook = json.loads(raw.removeprefix("\ufeff"))
    diffs = []
    for number, rows in cells.items():
        old_lines, new_lines = [lines[at] for at in rows], [new[at] for at in rows]
        if old_lines == new_lines:
            continue
        _set_source(notebook["cells"][number - 1], new_lines)
        diffs.append(unified(f"{source.path}:cell {number}", [*old_lines, ""], [*new_lines, ""]))
    return _dumped(notebook, raw) if diffs else raw, "".join(diffs)


def _set_source(cell: dict[str, Any], lines: list[str]) -> None:
    old = cell["source"]
    text = _with_ends("".join(old), lines)
    if isinstance(old, str):
        cell["source"] = text
        return
    parts, at, bounds = [], 0, []
    for part in old:  # a part is a line as a rule, and need not be one
        at += part.count("\n") + (part.count("\r") - part.count("\r\n"))
        bounds.append(at)
    whole = _pieces(text)
    start = 0
    for bound, part in zip(bounds, old, strict=True):
        stop = bound if part.endswith(("\n", "\r")) or part is not old[-1] else len(whole)
        parts.append("".join(whole[start:stop]))
        start = stop
    cell["source"] = parts if "".join(parts) == text else text.splitlines(keepends=True)


def _pieces(text: str) -> list[str]:
    found, start = [], 0
    for end in _ENDS.finditer(text):
        found.append(text[start : end.end()])
        start = end.end()
    return [*found, text[start:]]


def _dumped(notebook: Any, raw: str) -> str:
    """JSON in the form of the old one, where some usual form gives it back as it was."""
    old = json.loads(raw.removeprefix("\ufeff"))
    mark = "\ufeff" if raw.startswith("\ufeff") else ""
    body = raw.removeprefix("\ufeff")
    tail = body[len(body.rstrip()) :]
    for indent in _INDENTS:
        for escaped in (False, True):
            given: dict[str, Any] = {"ensure_ascii": escaped, "indent": indent}
            if json.dumps(old, **given) + tail == body:
                return mark + json.dumps(notebook, **given) + tail
    return mark + json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"
