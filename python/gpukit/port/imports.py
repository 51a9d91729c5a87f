"""The edits that turn torch imports into gpukit imports; nothing else in a text is changed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from gpukit.lint.findings import Edit
from gpukit.port.aliases import Names
from gpukit.port.surface import Missing, find

_FROM = re.compile(rb"from(?:\s|\\\n)+")
_CODE = re.compile(rb"[^#\\]*?(?=\s*(?:[#\\]|$))")  # an import has no string: # is a comment

# Other libraries of GPU lessons, and where gpukit has their names: they are changed only where
# gpukit has everything of theirs that the file uses.
_ALIKE = {"tensorflow": "gpukit", "gpustat": "gpukit.monitor", "d2l.torch": "gpukit"}
_ONLY = {
    "tensorflow": ("config.",),
    "d2l.torch": ("try_gpu", "try_all_gpus", "cpu", "gpu", "num_gpus"),
}


def edits(names: Names) -> dict[ast.AST, list[Edit]]:
    """Import (an alias of `import a, b`, or a whole `from a import b`) -> its edits."""
    libraries = {"torch": "gpukit", **_replaced(names)}
    lines = [line.encode("utf-8", "surrogatepass") for line in names.program.source.lines]
    found: dict[ast.AST, list[Edit]] = {}
    for node in names.program.of(ast.Import):
        for alias in node.names:
            found[alias] = list(_imported(alias, lines, libraries))
    for each in names.program.of(ast.ImportFrom):
        if each.level == 0:
            found[each] = list(_imported_from(each, lines, libraries))
    return {node: edit for node, edit in found.items() if edit}


def _replaced(names: Names) -> dict[str, str]:
    """Libraries besides torch whose imports are changed -> the gpukit module."""
    used = {library: _used(names, library) for library in _ALIKE}
    return {
        library: module
        for library, module in _ALIKE.items()
        if used[library] and all(_alike(library, module, path) for path in used[library])
    }


def _used(names: Names, library: str) -> set[str]:
    """Every dotted name of a library that the file uses, without the library's own."""
    found = set()
    for node in names.program.of(ast.Name, ast.Attribute):
        path = names.path(node)
        inner = isinstance(names.program.parents.get(node), ast.Attribute)
        if path.startswith(f"{library}.") and not inner:
            found.add(path.removeprefix(f"{library}."))
        elif path == library and not inner:
            found.add("")  # handed on as a whole
    return found


def _alike(library: str, module: str, path: str) -> bool:
    allowed = path.startswith(_ONLY.get(library, ""))
    return bool(path) and allowed and not isinstance(find(f"{module}.{path}"), Missing)


def _imported(
    alias: ast.alias, lines: Sequence[bytes], libraries: dict[str, str]
) -> Iterator[Edit]:
    """The edits of `torch.nn as nn` or `torch` after import."""
    library = _library(alias.name, libraries)
    if library and alias.asname:  # the rest stays, and may continue on the next line
        yield from _renamed(alias.lineno, alias.col_offset, lines, library, libraries)
    elif library and "." not in library:  # gpukit loads its submodules itself
        yield from _replaced_by(alias, lines, f"{libraries[library]} as {library}")


def _imported_from(
    node: ast.ImportFrom, lines: Sequence[bytes], libraries: dict[str, str]
) -> Iterator[Edit]:
    library, [first, *others] = _library(node.module or "", libraries), node.names
    whole = f"{node.module}.{first.name}"
    if library:
        line, column = _module_location(node, lines)
        yield from _renamed(line, column, lines, library, libraries)
    elif whole in libraries and not others:  # from d2l import torch as d2l
        named = first.asname or first.name
        yield from _replaced_by(node, lines, f"import {libraries[whole]} as {named}")


def _library(module: str, libraries: dict[str, str]) -> str:
    """The library that a module belongs to, or ""."""
    return next((each for each in libraries if f"{module}.".startswith(f"{each}.")), "")


def _renamed(
    line: int, column: int, lines: Sequence[bytes], library: str, libraries: dict[str, str]
) -> Iterator[Edit]:
    """The edit of a library's name at a place; none if it continues on the next line."""
    name = re.compile(rb"\s*\.\s*".join(re.escape(part.encode()) for part in library.split(".")))
    found = name.match(lines[line - 1], column)
    if found is not None:
        yield Edit(line, column, line, found.end(), libraries[library])


def _replaced_by(
    node: ast.alias | ast.ImportFrom, lines: Sequence[bytes], text: str
) -> Iterator[Edit]:
    """The edits that replace an import by a text; comments on its other lines stay."""
    first, last = node.lineno, node.end_lineno or node.lineno
    stop = node.end_col_offset or 0
    rest = lines[last - 1][stop:].strip()
    ends = not rest or rest.startswith(b"#")  # the statement: no continuation is needed
    for number in range(first, last + 1):
        line, start = lines[number - 1], node.col_offset if number == first else 0
        code = _CODE.match(line, start)
        end = stop if number == last else code.end() if code else len(line)
        if number < last and ends and line.endswith(b"\\"):
            end = len(line)
        yield Edit(number, start, number, end, text if number == first else "")


def _module_location(node: ast.ImportFrom, lines: Sequence[bytes]) -> tuple[int, int]:
    """Line and column in bytes of the module's name behind `from`."""
    text = b"\n".join(
        [lines[node.lineno - 1][node.col_offset :], *lines[node.lineno : node.end_lineno]]
    )
    found = _FROM.match(text)
    before = found.group() if found is not None else b"from "
    line = node.lineno + before.count(b"\n")
    column = len(before.rpartition(b"\n")[2])
    return line, column + (node.col_offset if line == node.lineno else 0)
