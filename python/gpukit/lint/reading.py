"""Reads .py and .ipynb files into one Python text with a map back to files' lines and cells."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import re
import sys
import tokenize
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gpukit.errors import LintError

MAX_BYTES = 10 * 2**20
MAX_BRACKETS = 150
MAX_INDENT = 90
MAX_CHAIN = 1500  # operators, dots or keywords in one row that the parser would nest
MAX_LINES = 200_000
MARK = "\ufeff"  # the byte order mark at the beginning of a text

_SHELL = re.compile(r"^(\s*)(?:[A-Za-z_][\w, ]*=\s*)?([!%]{1,2})(.*)$")
_TIMED = re.compile(r"^(\s*)%(time) (\S.*)$")  # runs the statement, and keeps the names it binds
_SETUP = re.compile(r"^%%timeit(?:\s+-\w+(?:\s*\d+)?)*\s+(?=[^\s-])(?P<code>.*)$")
_KEEPS = re.compile(r"^%%capture(?:\s+--\S+)*\s+(?P<name>[A-Za-z_]\w*)")
_HELP = re.compile(r"^\s*\??\??[\w.]+\?{1,2}\s*$|^\s*\?{1,2}[\w.]+\s*$")
_PYTHON_CELLS = {"time", "timeit", "capture", "prun", "gpubench", "gpuwatch", "memit"}
_CHAIN = re.compile(r"(?:[-+~.*/@%&|^<>=,]|not\b|and\b|or\b|lambda\b|if\b|else\b|await\b)")


@dataclass(frozen=True)
class Shell:
    """A line for the shell or for IPython: `kind` is "!" or "%", `text` what follows."""

    line: int
    kind: str
    text: str


@dataclass
class Source:
    """A file as one Python text. `origin[i]` is (cell or None, line) of its line i + 1.

    `raw` is the file's unmodified text, with its line ends and with a notebook's JSON;
    `data` its bytes, which a text that was never a file has not.
    """

    path: str
    text: str
    tree: ast.Module
    lines: list[str]
    raw: str
    shell: list[Shell] = field(default_factory=list)
    origin: list[tuple[int | None, int]] | None = None
    encoding: str = "utf-8"
    data: bytes = b""

    def location(self, line: int) -> tuple[int | None, int]:
        """(cell, line in it) of a line of the text."""
        if self.origin is None or not 0 < line <= len(self.origin):
            return None, line
        return self.origin[line - 1]


def read_file(path: str | Path) -> Source:
    """The Source of a regular file, refused above MAX_BYTES before it is read."""
    try:
        data = _bounded(Path(path))
    except LintError:
        raise
    except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: links in a circle (3.10)
        reason = getattr(error, "strerror", None) or str(error)
        raise LintError(f"{path}: {reason}") from None
    return read(str(path), data)


def read_stdin(path: str) -> Source:
    """The Source of standard input, named `path`."""
    return read(path, sys.stdin.buffer.read(MAX_BYTES + 1))


def _bounded(path: Path) -> bytes:
    if not path.is_file():
        raise LintError(f"{path}: {'is not a file' if path.exists() else 'no such file'}")
    if path.stat().st_size > MAX_BYTES:
        raise LintError(f"{path}: larger than {MAX_BYTES >> 20} MiB, which is not read")
    with path.open("rb") as file:
        return file.read(MAX_BYTES + 1)


def read(path: str, data: bytes) -> Source:
    """The Source of a file's bytes; a LintError where they hold no Python or no notebook."""
    _refuse_size(path, len(data))
    raw, encoding = _decoded(path, data)
    source = read_text(path, raw)
    source.encoding, source.data = encoding, data
    return source


def read_text(path: str, raw: str) -> Source:
    """The Source of a text, whatever encoding it names; a LintError as of `read`."""
    _refuse_size(path, len(raw))  # every character takes at least one byte
    if "\0" in raw:
        raise LintError(f"{path}: holds null bytes; it is binary, not Python text")
    try:
        return _notebook(path, raw) if path.endswith(".ipynb") else _script(path, raw)
    except (RecursionError, MemoryError):
        raise LintError(f"{path}: nested too deeply to be read") from None


def _refuse_size(path: str, count: int) -> None:
    if count > MAX_BYTES:
        raise LintError(f"{path}: larger than {MAX_BYTES >> 20} MiB, which is not read")


def _decoded(path: str, data: bytes) -> tuple[str, str]:
    """A file's text and its encoding."""
    if path.endswith(".ipynb"):
        try:
            return data.decode(), "utf-8"
        except UnicodeDecodeError as error:
            raise LintError(f"{path}: no notebook: {error}") from None
    if b"\0" in data:
        raise LintError(f"{path}: holds null bytes; it is binary, not Python text")
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return data.decode(encoding), encoding
    except (SyntaxError, UnicodeDecodeError, LookupError) as error:
        raise LintError(f"{path}: not text of a known encoding: {error}") from None


def with_plain_ends(text: str) -> str:
    """The text with all line endings as line feeds."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def split_lines(text: str) -> list[str]:
    """Lines as Python counts them: form feeds and other separators do not end one."""
    return text.split("\n")


def _script(path: str, raw: str) -> Source:
    text = with_plain_ends(raw.removeprefix(MARK))
    shell: list[Shell] = []
    try:
        tree = parse(path, text)
    except LintError:
        plain, shell = without_magics(split_lines(text), 0)
        if not shell:
            raise
        tree = parse(path, "\n".join(plain))  # a notebook that was saved as a script
        _in_own_columns(tree, plain, split_lines(text))
    return Source(path, text, tree, split_lines(text), raw, shell)


def parse(path: str, text: str) -> ast.Module:
    """The tree of a text. What would exhaust the parser's stack is refused before."""
    _refuse_nesting(path, text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError as error:
        where = f":{error.lineno}" if error.lineno else ""
        raise LintError(f"{path}{where}: no Python: {error.msg}") from None
    except ValueError as error:
        raise LintError(f"{path}: no Python: {error}") from None


def _refuse_nesting(path: str, text: str) -> None:
    depth = 0
    if text.count("\n") > MAX_LINES:
        raise LintError(f"{path}: more than {MAX_LINES} lines, which is not read")
    for number, line in enumerate(text.split("\n"), 1):
        body = line.lstrip()
        if len(line) - len(body) > 1000:
            raise LintError(f"{path}:{number}: nested too deeply to be read")
        depth = max(0, depth + sum(map(body.count, "([{")) - sum(map(body.count, ")]}")))
        inner = _deepest(body) if len(body) > MAX_BRACKETS else 0
        if depth > 5 * MAX_BRACKETS or inner > MAX_BRACKETS:
            raise LintError(f"{path}:{number}: nested too deeply to be read")
        if len(body) > MAX_CHAIN and _chain(body) > MAX_CHAIN:
            raise LintError(f"{path}:{number}: nested too deeply to be read")


def _deepest(line: str) -> int:
    depth = deepest = 0
    for sign in line:
        if sign in "([{":
            depth += 1
            deepest = max(deepest, depth)
        elif sign in ")]}":
            depth = max(0, depth - 1)
    return deepest


def _chain(line: str) -> int:
    """Operators of a line outside of its strings; commas do not nest."""
    bare = re.sub(r"'[^'\n]*'|\"[^\"\n]*\"", "", line)
    return sum(1 for found in _CHAIN.finditer(bare) if found.group() != ",")


def without_magics(lines: list[str], offset: int) -> tuple[list[str], list[Shell]]:
    """Lines with `!`, `%` and `?` ones replaced by `pass`, and what these said."""
    plain: list[str] = []
    shell: list[Shell] = []
    carried = False
    for number, line in enumerate(lines, offset + 1):
        found = _SHELL.match(line)
        if carried:
            shell[-1] = Shell(shell[-1].line, shell[-1].kind, f"{shell[-1].text} {line.strip()}")
            plain.append("")
        elif timed := _TIMED.match(line):
            shell.append(Shell(number, "%", f"{timed.group(2)} {timed.group(3)}"))
            plain.append(timed.group(1) + _timed(timed.group(3)))
        elif found:
            shell.append(Shell(number, found.group(2)[0], found.group(3).strip().rstrip("\\")))
            name = line[: found.start(2)]
            plain.append(f"{name}None" if "=" in name else f"{found.group(1)}pass")
        else:
            plain.append("pass" if _HELP.match(line) else line)
        carried = bool(found or carried) and line.rstrip().endswith("\\")
    return plain, shell


def _timed(statement: str) -> str:
    """The Python of `%time STATEMENT`; "pass" where the statement is none."""
    shell = _SHELL.match(statement)
    if shell and "=" in (bound := statement[: shell.start(2)]):  # q = !ls
        statement = f"{bound}None"
    for text in (f"pass; {statement}", statement):  # "pass; " takes as many columns as "%time "
        with contextlib.suppress(LintError):
            parse("", text)
            return text
    return "pass"


def _cell_texts(path: str, notebook: Any) -> Iterator[tuple[int, str]]:
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if (
        cells is None
        and isinstance(notebook, dict)
        and isinstance(notebook.get("worksheets"), list)
    ):
        raise LintError(f"{path}: a notebook of format 3; open and save it in Jupyter first")
    if not isinstance(cells, list):
        raise LintError(f"{path}: no notebook: it has no list of cells")
    for number, cell in enumerate(cells, 1):
        if not isinstance(cell, dict):
            raise LintError(f"{path}: not a notebook: cell {number} is not an object")
        if cell.get("cell_type") != "code":
            continue
        text = cell.get("source", "")
        if isinstance(text, list) and all(isinstance(part, str) for part in text):
            text = "".join(text)
        if not isinstance(text, str):
            raise LintError(f"{path}: not a notebook: the source of cell {number} is not text")
        yield number, with_plain_ends(text)


def _plain_cell(path: str, text: str, offset: int) -> tuple[list[str], list[Shell]]:
    lines = split_lines(text)
    first = next((line for line in lines if line.strip()), "")
    if first.lstrip().startswith("%%"):
        word = first.strip()[2:].split(" ")[0]
        at = lines.index(first)
        if word not in _PYTHON_CELLS:
            kind = "!" if word in {"bash", "sh", "script"} else "%"
            said = [Shell(offset + i, kind, x.strip()) for i, x in enumerate(lines, 1) if x.strip()]
            return [""] * len(lines), said if kind == "!" else said[:1]
        rest, shell = _plain_cell(path, "\n".join(lines[at + 1 :]), offset + at + 1)
        head = [*[""] * at, _of_magic(path, first)]
        return head + rest, [Shell(offset + at + 1, "%", first.strip()[1:]), *shell]
    lines = _without_indent(lines)
    try:
        parse(path, "\n".join(lines))
    except LintError:
        return without_magics(lines, offset)
    return lines, []


def _of_magic(path: str, line: str) -> str:
    """What a cell's magic binds: %%capture its name, %%timeit the names of its setup."""
    if kept := _KEEPS.match(line):
        return f"{kept['name']} = None"
    if setup := _SETUP.match(line):
        with contextlib.suppress(LintError):
            parse(path, setup["code"])
            return "pass; ".ljust(setup.start("code")) + setup["code"]
    return ""


def _without_indent(lines: list[str]) -> list[str]:
    """A cell whose code starts with an indent, as IPython runs it: that indent is taken off."""
    first = next((line for line in lines if line.strip()), "")
    indent = first[: len(first) - len(first.lstrip(" \t"))]
    if not indent:
        return lines
    return [line.removeprefix(indent) if line.startswith(indent) else line for line in lines]


def _taken_off(line: str, whole: str) -> int:
    """Bytes of a line that the Python text leaves out before its code: an indent, or %time."""
    timed = _TIMED.match(whole)
    code = line.lstrip(" \t")
    fits = timed is not None and code in {timed[3], f"pass; {timed[3]}"}
    if not fits:
        fits = bool(line) and whole.endswith(line) and whole[: -len(line)].isspace()
    return len(whole.encode()) - len(line.encode()) if fits else 0


def _in_own_columns(tree: ast.Module, lines: list[str], shown: list[str]) -> None:
    """Positions in the cells' own columns where something before the code was taken off."""
    pairs = enumerate(zip(lines, shown, strict=True), 1)
    indents = {row: count for row, (line, whole) in pairs if (count := _taken_off(line, whole))}
    if not indents:
        return
    for node in ast.walk(tree):
        if isinstance(
            node, (ast.stmt, ast.expr, ast.arg, ast.keyword, ast.alias, ast.excepthandler)
        ):
            node.col_offset += indents.get(node.lineno, 0)
            if node.end_col_offset is not None:
                node.end_col_offset += indents.get(node.end_lineno or 0, 0)


def _notebook(path: str, raw: str) -> Source:
    try:
        notebook = json.loads(raw.removeprefix(MARK))
    except ValueError as error:
        raise LintError(f"{path}: no notebook: {error}") from None
    lines: list[str] = []
    shown: list[str] = []
    shell: list[Shell] = []
    origin: list[tuple[int | None, int]] = []
    for number, text in _cell_texts(path, notebook):
        plain, said = _plain_cell(path, text, len(lines))
        parse(f"{path}:cell {number}", "\n".join(plain))
        origin += [(number, line) for line in range(1, len(plain) + 1)]
        lines += plain
        shown += split_lines(text)
        shell += said
    tree = parse(path, "\n".join(lines))
    _in_own_columns(tree, lines, shown)
    return Source(path, "\n".join(lines), tree, shown, raw, shell, origin)
