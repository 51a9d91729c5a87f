"""The edits that turn imports of torch into imports of gpukit; nothing else of a text is changed."""  # noqa: E501

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from gpukit.lint.findings import Edit
from gpukit.port.aliases import Names
from gpukit.port.surface import Missing, find

_FROM = re.compile(r"from(?:\s|\\\n)+")

# Other libraries of GPU lessons, and where gpukit has their names: they are changed only where
# gpukit has everything of theirs that the file uses.
_ALIKE = {"tensorflow": "gpukit", "gpustat": "gpukit.monitor", "d2l.torch": "gpukit"}
_ONLY = {
    "tensorflow": ("config.",),
    "d2l.torch": ("try_gpu", "try_all_gpus", "cpu", "gpu", "num_gpus"),
}


def replaced_libraries(names: Names) -> dict[str, str]:
    """Libraries beside torch whose imports are changed -> the module of gpukit."""
    found = {}
    for library, module in _ALIKE.items():
        used = _used(names, library)
        if used and all(_alike(library, module, path) for path in used):
            found[library.split(".")[0]] = module
    return found


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
    whole = "torch" + module.removeprefix("gpukit") + "." + path
    return bool(path) and allowed and not isinstance(find(whole), Missing)


def edits(names: Names, lines: list[str]) -> Iterator[Edit]:
    """The edits of all imports."""
    others = replaced_libraries(names)
    for node in names.program.of(ast.Import):
        for alias in node.names:
            new = _imported(alias, others)
            if new:
                yield _replace(alias, lines, new)
    for each in names.program.of(ast.ImportFrom):
        top = (each.module or "").split(".")[0]
        if each.level == 0 and (top == "torch" or top in others):
            yield from _imported_from(each, lines, others)


def _imported(alias: ast.alias, others: dict[str, str]) -> str:
    """What stands for `torch.nn as nn` or `torch` after import, or ""."""
    top, _, rest = alias.name.partition(".")
    if top == "torch" and alias.asname:
        return f"gpukit{'.' if rest else ''}{rest} as {alias.asname}"
    if top == "torch":
        return "gpukit as torch"  # `import torch.nn` binds torch, and gpukit loads its parts itself
    if top in others and not rest:
        return f"{others[top]} as {alias.asname or top}"
    return ""


def _imported_from(
    node: ast.ImportFrom, lines: list[str], others: dict[str, str]
) -> Iterator[Edit]:
    module = node.module or ""
    top = module.partition(".")[0]
    if module == "d2l" and len(node.names) == 1 and node.names[0].name == "torch":
        yield _replace(node, lines, f"import {others['d2l']} as {node.names[0].asname or 'torch'}")
        return
    place = _module_place(node, lines)
    if place is not None:
        line, column = place
        new = others.get(top, "gpukit")
        yield Edit(line, column, line, column + len(top), new)


def _replace(node: ast.alias | ast.ImportFrom, lines: list[str], text: str) -> Edit:
    end_line, end = node.end_lineno or node.lineno, node.end_col_offset or 0
    if end_line != node.lineno:  # spread over lines by a backslash: the first holds the name
        end_line, end = node.lineno, len(lines[node.lineno - 1].encode("utf-8", "surrogatepass"))
    return Edit(node.lineno, node.col_offset, end_line, end, text)


def _module_place(node: ast.ImportFrom, lines: list[str]) -> tuple[int, int] | None:
    """Line and column in bytes of the module's name behind `from`."""
    first = lines[node.lineno - 1].encode("utf-8", "surrogatepass")[node.col_offset :]
    text = "\n".join([first.decode("utf-8", "replace"), *lines[node.lineno : node.lineno + 3]])
    found = _FROM.match(text)
    if found is None:
        return None
    before = text[: found.end()]
    line = node.lineno + before.count("\n")
    column = len(before.rpartition("\n")[2].encode())
    return line, column + (node.col_offset if line == node.lineno else 0)
