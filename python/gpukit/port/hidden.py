"""torch imports through strings, which are not edited: exec, __import__, importlib."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gpukit.errors import LintError
from gpukit.lint.nodes import keyword
from gpukit.lint.reading import read_text
from gpukit.port.aliases import Names
from gpukit.port.found import Location

# Functions that import a module by name: the first argument, or this keyword.
_IMPORTERS = {
    "__import__": "name",
    "importlib.__import__": "name",
    "importlib.import_module": "name",
    "pkgutil.resolve_name": "name",
    "pytest.importorskip": "modname",
}

# Functions that run strings, in any argument.
_RUNNERS = frozenset(["exec", "eval", "compile", "timeit.Timer", "timeit.repeat", "timeit.timeit"])


def hidden_imports(names: Names) -> Iterator[Location]:
    """Every place where a file imports torch through a string."""
    for call in names.program.all_calls:
        called = _called(names, call)
        if called in _IMPORTERS:
            module = _module(names, call, _IMPORTERS[called])
            if module:
                yield _location(call, module, f"write 'gpukit{module.removeprefix('torch')}'")
        elif called in _RUNNERS:
            given = [*call.args, *(word.value for word in call.keywords)]
            found = {each for node in given for each in _imported_in(_text(names, node))}
            if found:
                yield _location(call, min(found), "write 'import gpukit as torch'")
    for node in names.program.of(ast.Subscript):
        module = _of_torch(_text(names, node.slice))
        if module and names.path(node.value) == "sys.modules" and not _is_stored(node):
            yield _location(node, module, f"write 'gpukit{module.removeprefix('torch')}'")


def _location(node: ast.AST, module: str, advice: str) -> Location:
    return Location(node, "GPP006", module, f"torch is imported through a string: {advice} there")


def _called(names: Names, call: ast.Call) -> str:
    """The path of the called function; a builtin's is its name, unless the file rebinds it."""
    func = call.func
    if isinstance(func, ast.Name) and names.bindings(func) == []:
        return func.id
    return names.called(call).removeprefix("builtins.")


def _module(names: Names, call: ast.Call, word: str) -> str:
    """The module of torch's that a call imports, or ""."""
    given = call.args[0] if call.args else keyword(call, word)
    said = _text(names, given)
    if said.startswith("."):  # import_module(".nn", "torch")
        package = call.args[1] if len(call.args) > 1 else keyword(call, "package")
        said = _text(names, package) + said
    return _of_torch(said)


def _of_torch(module: str) -> str:
    return module if module.split(".", maxsplit=1)[0] == "torch" else ""


def _text(names: Names, node: ast.expr | None) -> str:
    """The string value of an expression: a constant, or a name bound once, to a constant."""
    bound = (names.bindings(node) or []) if isinstance(node, ast.Name) else []
    if len(bound) == 1 and bound[0].how == "value" and not bound[0].steps:
        node = bound[0].value
    said = node.value if isinstance(node, ast.Constant) else None
    return said if isinstance(said, str) else ""


def _imported_in(text: str) -> set[str]:
    """The torch modules that a program imports, directly or through a string."""
    if "torch" not in text:
        return set()
    try:
        names = Names(read_text("<text>", text))
    except LintError:
        return set()
    plain = [alias.name for node in names.program.of(ast.Import) for alias in node.names]
    plain += [node.module or "" for node in names.program.of(ast.ImportFrom) if not node.level]
    found = {module for module in plain if _of_torch(module)}
    return found | {place.torch_name for place in hidden_imports(names)}


def _is_stored(node: ast.Subscript) -> bool:
    """`sys.modules["torch"] = fake` defines torch itself."""
    return isinstance(node.ctx, ast.Store)
