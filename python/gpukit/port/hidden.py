"""Imports of torch by a text, which no edit reaches: exec, __import__, importlib, sys.modules."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gpukit.errors import LintError
from gpukit.lint.nodes import keyword
from gpukit.lint.reading import read_text
from gpukit.port.aliases import Names
from gpukit.port.found import Place

# What imports a module by its name, which is the first argument or has this keyword.
_IMPORTERS = {
    "__import__": "name",
    "importlib.__import__": "name",
    "importlib.import_module": "name",
    "pkgutil.resolve_name": "name",
    "pytest.importorskip": "modname",
}

# What runs texts, whichever argument they are.
_RUNNERS = frozenset(["exec", "eval", "compile", "timeit.Timer", "timeit.repeat", "timeit.timeit"])


def hidden_imports(names: Names) -> Iterator[Place]:
    """Every place where a file imports torch by a text."""
    for call in names.program.all_calls:
        called = _called(names, call)
        if called in _IMPORTERS:
            module = _module(names, call, _IMPORTERS[called])
            if module:
                yield _place(call, module, f"write 'gpukit{module.removeprefix('torch')}'")
        elif called in _RUNNERS:
            given = [*call.args, *(word.value for word in call.keywords)]
            found = {each for node in given for each in _imported_in(_text(names, node))}
            if found:
                yield _place(call, min(found), "write 'import gpukit as torch'")
    for node in names.program.of(ast.Subscript):
        module = _of_torch(_text(names, node.slice))
        if module and names.path(node.value) == "sys.modules" and not _is_stored(node):
            yield _place(node, module, f"write 'gpukit{module.removeprefix('torch')}'")


def _place(node: ast.AST, module: str, advice: str) -> Place:
    return Place(node, "GPP006", module, f"torch is imported by a text: {advice} there")


def _called(names: Names, call: ast.Call) -> str:
    """The path of what a call calls; a builtin's is its name, unless the file binds that."""
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
    """The text that an expression is: a constant, or a name that is bound to one and no more."""
    bound = (names.bindings(node) or []) if isinstance(node, ast.Name) else []
    if len(bound) == 1 and bound[0].how == "value" and not bound[0].steps:
        node = bound[0].value
    said = node.value if isinstance(node, ast.Constant) else None
    return said if isinstance(said, str) else ""


def _imported_in(text: str) -> set[str]:
    """The modules of torch's that a program imports, itself or by a text of its own."""
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
    """`sys.modules["torch"] = fake` says itself what torch is."""
    return isinstance(node.ctx, ast.Store)
