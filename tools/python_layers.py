"""The import rule of python/gpukit, run by tools/check_layers.py: no cycles, nothing upward.

An import counts at module level, inside functions and under TYPE_CHECKING alike.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# The subpackages (rooms) that the modules of a subpackage may import from. Modules directly in
# gpukit/ and those of SHARED serve all of them; the package itself is the users' interface.
SHARED = {"_language", "_names", "_system"}
ROOMS = {
    "_checkpoint": "nn",
    "_cli": "_simulation bench cloud doctor lint monitor port report distributed",
    "_compile": "report",
    "_devices": "_tensors cuda report",
    "_language": "",
    "_names": "",
    "_ipython": "_simulation report",
    "_operators": "_tensors array_api",
    "_simulation": "cuda",
    "_system": "report",
    "_tensors": "",
    "accelerator": "cuda",
    "amp": "",
    "array_api": "_tensors fft",
    "autograd": "profiler",
    "backends": "",
    "bench": "_simulation distributed monitor report",
    "cloud": "bench report",
    "config": "cuda",
    "cuda": "_tensors amp monitor random report",
    "doctor": "_simulation monitor report",
    "distributed": "autograd",
    "distributions": "_tensors autograd nn",
    "fft": "",
    "func": "autograd nn",
    "interop": "",
    "linalg": "",
    "lint": "",
    "monitor": "report",
    "multiprocessing": "nn",
    "nn": "_devices _operators autograd distributed",
    "optim": "_tensors autograd nn",
    "planning": "autograd bench cloud cuda report",
    "port": "lint nn",
    "profiler": "_devices _simulation cuda",
    "random": "",
    "report": "",
    "signal": "",
    "special": "",
    "testing": "_tensors bench report",
    "utils": "amp autograd bench distributed random",
}

# Single modules that may do more than their room, and why.
EXCEPTIONS = {
    "gpukit._system.counting": "monitor",  # counts by NVML, so that the driver is not started
    "gpukit._system.info": "monitor",  # asks NVML whether it sees the GPU
    "gpukit._system.libraries": "_simulation cuda",  # the variables that act on the first use
    "gpukit._compile.choice": "_simulation",  # the engine of a simulated device
    "gpukit.cuda._debug": "_devices",  # set_sync_debug_mode is gpukit.watch
    "gpukit.monitor._energy": "_simulation",  # the clock of a simulated device
    "gpukit.monitor._diff": "doctor",  # parses a pasted table of nvidia-smi as the doctor does
}


@dataclass(frozen=True)
class Import:
    """One import: the module that has it, its line, and the module it loads."""

    module: str
    line: int
    loads: str


def modules(package: Path) -> dict[str, Path]:
    """Dotted name -> file, of all modules of a package."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = [package.name, *path.relative_to(package).with_suffix("").parts]
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(name: str, path: Path, known: dict[str, Path]) -> Iterator[Import]:
    """What a module imports from its own package, also inside functions and for types alone."""
    waiting: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while waiting:
        node = waiting.pop()
        waiting += ast.iter_child_nodes(node)
        for each in _loaded(node, name, path):
            loaded = _module(each, known)
            if loaded and loaded != name:
                yield Import(name, getattr(node, "lineno", 1), loaded)


def _module(dotted: str, known: dict[str, Path]) -> str:
    """The module that a dotted name is, or that holds it; "" for another package's."""
    while dotted and dotted not in known:
        dotted = dotted.rpartition(".")[0]
    return dotted


def _loaded(node: ast.AST, name: str, path: Path) -> list[str]:
    """The dotted names that an import names."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    around = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    outer = around[: len(around) - node.level + 1] if node.level else []
    base = ".".join([*outer, *([node.module] if node.module else [])])
    return [f"{base}.{alias.name}" for alias in node.names]


def circles(found: list[Import]) -> list[list[str]]:
    """Import cycles, the modules of each in alphabetical order (Tarjan's algorithm)."""
    graph: dict[str, set[str]] = {}
    for each in found:
        graph.setdefault(each.module, set()).add(each.loads)
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    groups: list[list[str]] = []

    def visit(name: str) -> None:
        number[name] = lowest[name] = len(number)
        stack.append(name)
        for loaded in sorted(graph.get(name, ())):
            if loaded not in number:
                visit(loaded)
                lowest[name] = min(lowest[name], lowest[loaded])
            elif loaded in stack:
                lowest[name] = min(lowest[name], number[loaded])
        if lowest[name] == number[name]:
            at = stack.index(name)
            if len(stack) > at + 1:
                groups.append(sorted(stack[at:]))
            del stack[at:]

    for name in sorted(graph):
        if name not in number:
            visit(name)
    return groups


def room(name: str, known: dict[str, Path]) -> str:
    """The folder of the package that a module stands in, or "" beside them."""
    parts = name.split(".")
    inside = len(parts) > 2 or known[name].name == "__init__.py"
    return parts[1] if len(parts) > 1 and inside else ""


def _bound(node: ast.stmt, name: str) -> list[str]:
    """The names that a statement of the package `name` binds to something that is no module."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, ast.ImportFrom) and node.module != name:
        return [alias.asname or alias.name for alias in node.names]
    return []


def hidden(known: dict[str, Path]) -> Iterator[tuple[Path, int, str]]:
    """Modules that a package hides by a function or class of the same name."""
    for name, path in known.items():
        tree = ast.parse(path.read_text(encoding="utf-8")) if path.name == "__init__.py" else None
        for node in tree.body if tree is not None else ():
            for bound in _bound(node, name):
                if f"{name}.{bound}" in known:
                    text = f"{bound} hides the module {name}.{bound}: call the file _{bound}.py"
                    yield path, node.lineno, text


def missing(name: str, path: Path, known: dict[str, Path]) -> Iterator[tuple[Path, int, str]]:
    """Imports `from package.module import …` of a module that the package does not have."""
    package = name.split(".", maxsplit=1)[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.ImportFrom) or node.level or not node.module:
            continue
        wanted = node.module.split(".")
        built = node.module in {f"{package}._core", f"{package}._version"}
        if wanted[0] == package and node.module not in known and not built:
            yield path, node.lineno, f"there is no module {node.module}"


def faults(package: Path) -> Iterator[tuple[Path, int, str]]:
    """(file, line, fault) of each cycle and each import from a higher subpackage."""
    known = modules(package)
    # The package's own names are users' words: `import gpukit` in a function loads nothing new.
    found = [
        each
        for name, path in known.items()
        for each in imports(name, path, known)
        if each.loads != package.name
    ]
    for group in circles(found):
        inside = [each for each in found if each.module in group and each.loads in group]
        first = min(inside, key=lambda each: (each.module, each.line))
        text = f"these modules import one another: {', '.join(group)}"
        yield known[first.module], first.line, text
    yield from hidden(known)
    for name, path in known.items():
        yield from missing(name, path, known)
    for each in found:
        own, other = room(each.module, known), room(each.loads, known)
        allowed = f"{ROOMS.get(own, '')} {EXCEPTIONS.get(each.module, '')}".split()
        if own and other and own != other and other not in {*allowed, *SHARED}:
            yield known[each.module], each.line, f"{own}/ may not import from {other}/"
    for name, path in known.items():
        own = room(name, known)
        if path.name == "__init__.py" and own and own not in ROOMS:
            yield path, 1, f"{own}/ has no row in tools/python_layers.py"
