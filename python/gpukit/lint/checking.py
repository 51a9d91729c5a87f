"""Runs the rules over a file and takes out what `# noqa` or the selection silences."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from gpukit.errors import LintError
from gpukit.lint.findings import RULES, Edit, Finding, Hit, Rule
from gpukit.lint.program import Program
from gpukit.lint.reading import Source, read_file, read_text

_NOQA = re.compile(r"#\s*noqa(?P<codes>\s*:\s*[A-Z]+[0-9]*(?:[,\s]+[A-Z]+[0-9]+)*)?", re.IGNORECASE)
_CODE = re.compile(r"[A-Z]+[0-9]+", re.IGNORECASE)


def rules() -> dict[str, Rule]:
    """All rules by their codes, in order."""
    import gpukit.lint.rules  # noqa: F401 - fills the table

    return dict(sorted(RULES.items()))


def check_text(text: str, path: str = "<text>") -> list[Finding]:
    r"""The findings of all rules in a Python text, in the order of its lines.

    Args:
        text: The program, or a notebook's JSON.
        path: The name that findings carry; one that ends in ".ipynb" says that it is a notebook.

    Returns:
        A list of Finding; empty where nothing was found.

    Raises:
        LintError: The text is neither Python nor a notebook, is too large or nested too deeply.

    Example:
        >>> from gpukit import lint
        >>> lint.check_text("import torch\nprint(torch.cuda.is_available())\n")
        []
    """
    return check_source(read_text(path, text))


def check_file(path: str | Path) -> list[Finding]:
    r"""The findings of all rules in a .py or .ipynb file; in the order of its lines.

    Args:
        path: The file; at most 10 MiB. It is neither imported nor run.

    Returns:
        A list of Finding; empty where nothing was found.

    Raises:
        LintError: The file cannot be read, is not Python, is too large or nested too deeply.

    Example:
        >>> import pathlib, tempfile
        >>> from gpukit import lint
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "a.py")
        ...     _ = file.write_text("import torch\nx = torch.Tensor(3)\n")
        ...     [finding] = lint.check_file(file)
        >>> finding.name
        'uninitialized-tensor'
    """
    return check_source(read_file(path))


def check_source(source: Source, codes: Iterable[str] | None = None) -> list[Finding]:
    """The findings of the named rules, or of all, without those that `# noqa` silences."""
    return [finding for finding, _ in hits(source, codes)]


def hits(source: Source, codes: Iterable[str] | None = None) -> list[tuple[Finding, Edit | None]]:
    """Findings and the edits that repair them, in the order of the text."""
    wanted = set(rules() if codes is None else codes)
    found: list[tuple[tuple[int, int], Finding, Edit | None]] = []
    try:
        program = Program(source)
        for each in rules().values():
            if each.code in wanted:
                for hit in each.check(program):
                    line, column = _where(hit)
                    if not silenced(source, _lines(hit), each.code):
                        finding = _finding(source, each, hit, line, column)
                        found.append(((line, column), finding, hit.edit))
    except (RecursionError, MemoryError):
        raise LintError(f"{source.path}: nested too deeply to be read") from None
    unique: dict[tuple[int, int, str], tuple[Finding, Edit | None]] = {}
    for (line, column), finding, edit in sorted(found, key=lambda one: (one[0], one[1].code)):
        unique.setdefault((line, column, finding.code), (finding, edit))
    return list(unique.values())


def _where(hit: Hit) -> tuple[int, int]:
    if isinstance(hit.where, int):
        return hit.where, 1
    return getattr(hit.where, "lineno", 1), getattr(hit.where, "col_offset", 0) + 1


def _finding(source: Source, each: Rule, hit: Hit, line: int, column: int) -> Finding:
    message = f"{each.message}: {hit.detail}" if hit.detail.startswith("did you") else each.message
    if hit.detail and message == each.message:
        message = f"{each.message} ({hit.detail})"
    text = source.lines[line - 1] if 0 < line <= len(source.lines) else ""
    cell, shown = source.location(line)
    # Columns of the tree count bytes; readers count characters.
    column = len(text.encode()[: column - 1].decode(errors="replace")) + 1
    fixable = hit.edit is not None
    return Finding(source.path, shown, column, each.code, each.name, message, text, cell, fixable)


def _lines(hit: Hit) -> set[int]:
    first, _ = _where(hit)
    last = first if isinstance(hit.where, int) else getattr(hit.where, "end_lineno", first) or first
    return {first} if hasattr(hit.where, "body") else {first, last}  # a loop's first line speaks


def silenced(source: Source, lines: Iterable[int], code: str) -> bool:
    """`# noqa` on one of the lines silences a code, or all."""
    for number in lines:
        text = source.lines[number - 1] if 0 < number <= len(source.lines) else ""
        found = _NOQA.search(text)
        if found is None:
            continue
        named = found.group("codes")
        if not named or code in {each.upper() for each in _CODE.findall(named)}:
            return True
    return False
