"""Repairs what is safe to repair: the new text is parsed before it replaces the old, all at once."""  # noqa: E501

from __future__ import annotations

import contextlib
import json
import os
import stat
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from gpukit.errors import LintError
from gpukit.lint.checking import hits
from gpukit.lint.findings import Edit
from gpukit.lint.reading import Source, parse, read, read_bytes, split_lines

_ROUNDS = 10


def fixed_text(text: str, edits: Iterable[Edit]) -> str:
    """The text with all edits that do not overlap; the last places first."""
    lines = [line.encode("utf-8", "surrogatepass") for line in split_lines(text)]
    reached = (len(lines) + 1, 0)
    for edit in sorted(set(edits), reverse=True):
        if (edit.end_line, edit.end_column) > reached or edit.line != edit.end_line:
            continue  # overlaps one that is done, or spans lines
        line = lines[edit.line - 1]
        new = edit.text.encode()
        lines[edit.line - 1] = line[: edit.column] + new + line[edit.end_column :]
        reached = (edit.line, edit.column)
    return b"\n".join(lines).decode("utf-8", "surrogatepass")


def fix_source(source: Source, codes: Iterable[str] | None = None) -> tuple[str, int]:
    """The repaired text of a script and how many findings that settled."""
    codes = None if codes is None else set(codes)
    text, settled = source.text, 0
    for _ in range(_ROUNDS):
        found = hits(read(source.path, text.encode("utf-8", "surrogatepass")), codes)
        edits = [edit for _, edit in found if edit is not None]
        new = fixed_text(text, edits)
        if new == text:
            break
        try:
            parse(source.path, new)
        except LintError:
            break
        left = len(hits(read(source.path, new.encode("utf-8", "surrogatepass")), codes))
        if left >= len(found):
            break  # an edit that settles nothing is no repair
        text, settled = new, settled + len(found) - left
    return text, settled


def fix_file(path: Path, codes: Iterable[str] | None = None) -> int:
    """Repairs a file in place and gives how many findings that settled; 0 leaves it untouched."""
    data = read_bytes(path)
    source = read(str(path), data)
    if source.notebook is not None:
        return _fix_notebook(path, source, data, codes)
    text, settled = fix_source(source, codes)
    if settled:
        if b"\r\n" in data:
            text = text.replace("\n", "\r\n")
        replace_file(path, text.encode(source.encoding))
    return settled


def _fix_notebook(path: Path, source: Source, data: bytes, codes: Iterable[str] | None) -> int:
    edits = [edit for _, edit in hits(source, codes) if edit is not None]
    shown = "\n".join(source.lines)
    lines = split_lines(fixed_text(shown, edits))
    notebook: Any = json.loads(data.decode("utf-8-sig"))
    texts: dict[int, list[str]] = {}
    for (cell, _), line in zip(source.origin or (), lines, strict=True):
        texts.setdefault(cell or 0, []).append(line)
    changed = 0
    for number, new in texts.items():
        cell = notebook["cells"][number - 1]
        old = "".join(cell["source"])
        text = "\n".join(new)
        if text != old.replace("\r\n", "\n"):
            cell["source"] = (
                text.splitlines(keepends=True) if isinstance(cell["source"], list) else text
            )
            changed += 1
    if not changed:
        return 0
    indent = 2 if b'\n  "' in data else 1
    out = json.dumps(notebook, ensure_ascii=False, indent=indent).encode() + b"\n"
    left = hits(read(str(path), out), codes)  # parsed again: a LintError leaves the file untouched
    before = len(hits(source, codes))
    if len(left) >= before:
        return 0
    replace_file(path, out)
    return before - len(left)


def replace_file(path: Path, data: bytes) -> None:
    """Writes a file beside the old one and puts it in its place, with the old one's mode."""
    target = path.resolve()
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
