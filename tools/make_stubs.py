"""Write python/gpukit/_core.pyi from the installed extension; `--check` only compares.

The names that `gpukit/__init__.pyi` takes from the extension are written too.

Needs gpukit, pybind11-stubgen and ruff in the same environment.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STUB = ROOT / "python" / "gpukit" / "_core.pyi"
PACKAGE_STUB = ROOT / "python" / "gpukit" / "__init__.pyi"
FROM_CORE = "from gpukit._core import "


# The types of Tensor's slots, which the C API does not expose.
_BOOL, _INT, _FLOAT = "builtins.bool", "builtins.int", "builtins.float"
SLOT_TYPES = {
    "__await__": "collections.abc.Generator[Any, None, Tensor]",
    "__bool__": _BOOL,
    "__contains__": _BOOL,
    "__delitem__": "None",
    "__float__": _FLOAT,
    "__hash__": _INT,
    "__index__": _INT,
    "__int__": _INT,
    "__iter__": "collections.abc.Iterator[Tensor]",
    "__len__": _INT,
    "__new__": "Tensor",
    "__repr__": "str",
    "__setitem__": "None",
}
# Of the parameters of slots, by slot and by name.
SLOT_PARAMETERS = {
    "__getitem__": {"key": "Index"},
    "__delitem__": {"key": "Index"},
    "__setitem__": {"key": "Index", "value": "Tensor | Number | Sequence[object] | AnyArray"},
    "__matmul__": {"value": "Tensor"},
    "__rmatmul__": {"value": "Tensor"},
    "__eq__": {"value": "object"},
    "__ne__": {"value": "object"},
}
OPERAND = {"value": "Tensor | Number", "key": "Tensor | Number", "mod": "None"}
# Of functions and classes that pybind11 binds: parameters, by name, and results.
BOUND_PARAMETERS = {
    "arg0": "object",
    "blocking": _BOOL,
    "d": "DTypeLike",
    "device": "DeviceLike | None",
    "enable_timing": _BOOL,
    "end_event": "Event",
    "event": "Event",
    "from_": "DTypeLike",
    "index": _INT,
    "n": _INT,
    "priority": _INT,
    "ptr": _INT,
    "seed": _INT,
    "state": "Tensor | bytes",
    "stream": "Stream",
    "tensor1": "Tensor | Number | DTypeLike",
    "tensor2": "Tensor | Number | DTypeLike",
    "to": "DTypeLike",
    "type": f"str | {_INT} | device",
    "type1": "DTypeLike",
    "type2": "DTypeLike",
}
BOUND_RESULTS = {
    "__enter__": "Self",
    "get_default_dtype": "dtype",
    "index": f"{_INT} | None",
    "manual_seed": "Generator",
    "promote_types": "dtype",
    "record_event": "Event",
    "result_type": "dtype",
    "get_state": "Tensor",
    "set_state": "Generator",
}
# With these a type checker would take any attribute, and find no typo.
LEFT_OUT = {"__delattr__", "__setattr__"}
# The type names that rows of csrc/bindings use.
HEADER = """
from __future__ import annotations
import builtins
import collections.abc
import numpy
import numpy.typing
import typing
from collections.abc import Callable, Sequence
from types import EllipsisType, ModuleType
from typing import Any, Literal, NamedTuple, SupportsIndex, TypeAlias, TypeVar
from typing_extensions import Buffer, Self

RealNumber: TypeAlias = builtins.bool | builtins.int | builtins.float
Number: TypeAlias = RealNumber | builtins.complex
AnyArray: TypeAlias = numpy.typing.NDArray[numpy.generic]
DTypeLike: TypeAlias = dtype | str | builtins.type[object] | numpy.dtype[numpy.generic]
DeviceLike: TypeAlias = device | str | builtins.int
IndexItem: TypeAlias = (
    SupportsIndex | slice | EllipsisType | Tensor | Sequence[builtins.int]
    | Sequence[Sequence[builtins.int]] | AnyArray | None
)
GradientEdge: TypeAlias = tuple[GraphNode, builtins.int]
Index: TypeAlias = IndexItem | tuple[IndexItem, ...]
S = TypeVar("S", bound=Tensor)

class NamedResults(tuple[Tensor, ...]):
    def __getattr__(self, name: str) -> Tensor: ...

class ValuesAndIndices(NamedTuple):
    values: Tensor
    indices: Tensor

class Size(tuple[builtins.int, ...]):
    '''The sizes of a tensor's dimensions: a tuple of ints with numel().'''
    def __new__(cls, sizes: collections.abc.Iterable[SupportsIndex] = ()) -> Size: ...
    @typing.overload
    def __getitem__(self, index: SupportsIndex) -> builtins.int: ...
    @typing.overload
    def __getitem__(self, index: slice) -> Size: ...
    def __add__(self, other: Any) -> Size: ...
    def __radd__(self, other: Any) -> Size: ...
    def __mul__(self, count: SupportsIndex) -> Size: ...
    def __rmul__(self, count: SupportsIndex) -> Size: ...
    def numel(self) -> builtins.int:
        '''The product of all sizes: how many elements there are.'''
"""
# Names that gpukit gives to dtypes, functions and methods, and annotations mean otherwise.
SHADOWED = {"bool", "complex", "float", "int", "type"}
IGNORED = {"__eq__": "override", "__ne__": "override", "__ipow__": "misc"}
# Results of functions that return plain containers.
CONTAINERS = {
    "dict": "dict[str, typing.Any]",
    "list": "list[typing.Any]",
    "tuple": "tuple[typing.Any, ...]",
}


class _Qualifier(ast.NodeTransformer):
    """Builtin types by their full names, since the module has its own things of these names."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in SHADOWED:
            return node
        return ast.Attribute(value=ast.Name(id="builtins"), attr=node.id)


def annotate_slot(function: ast.FunctionDef) -> None:
    """Give a slot of Tensor the types that the generator did not find."""
    if function.name == "__hash__":
        function.args.args = function.args.args[:1]
    own = SLOT_PARAMETERS.get(function.name, {})
    for argument in function.args.args[1:]:
        if text := own.get(argument.arg) or OPERAND.get(argument.arg):
            argument.annotation = type_of(text)
    if function.returns is None:
        function.returns = type_of(SLOT_TYPES.get(function.name, "Tensor"))


def type_of(text: str) -> ast.expr:
    """An annotation from its text."""
    return ast.parse(text, mode="eval").body


def first_line(text: str) -> str:
    """The line that editors show."""
    return text.strip().split("\n")[0]


def with_sequences(signature: str) -> list[str]:
    """A "*size: int" takes one sequence too, which has its name."""
    found = re.search(r"\*(\w+): ([^,)=]*(?:\[[^]]*\][^,)=]*)*)", signature)
    if not found:
        return [signature]
    name, kind = found.groups()
    rest = signature[found.end() :].replace("*, ", "")
    keywords = rest.startswith(", ")
    more = ", *" if keywords else ""
    return [signature, f"{signature[: found.start()]}{name}: Sequence[{kind}]{more}{rest}"]


def functions(signatures: list[str], meaning: str, *, method: bool) -> list[ast.stmt]:
    """The definition of a row, or its overloads; the first says what it does."""
    texts = [text for signature in signatures for text in with_sequences(signature)]
    lines = []
    for number, text in enumerate(texts):
        lines += ["@typing.overload"] if len(texts) > 1 else []
        line = text.replace("self: Tensor", "self", 1) if method else text
        comment = repr(first_line(meaning)) if number == 0 else "..."
        lines += [f"def {line}:", f"    {comment}"]
    return ast.parse("\n".join(lines)).body


def attribute(name: str, kind: str, meaning: str, *, settable: bool) -> list[ast.stmt]:
    """A property of Tensor."""
    lines = ["@property", f"def {name}(self) -> {kind}: {first_line(meaning)!r}"]
    if settable:
        lines += [f"@{name}.setter", f"def {name}(self, value: {kind}) -> None: ..."]
    return ast.parse("\n".join(lines)).body


def annotate_bound(function: ast.FunctionDef) -> None:
    """Give what pybind11 binds the types that the generator calls Any, where they are known."""
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    missing: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
    pairs = list(zip(positional, [*missing, *arguments.defaults], strict=True))
    for argument, default in [
        *pairs,
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]:
        if text := is_any(argument.annotation) and BOUND_PARAMETERS.get(argument.arg):
            optional = isinstance(default, ast.Constant) and default.value is None
            none = " | None" if optional and "None" not in text else ""
            argument.annotation = type_of(text + none)
    if is_any(function.returns) and function.name in BOUND_RESULTS:
        function.returns = type_of(BOUND_RESULTS[function.name])


def is_any(annotation: ast.expr | None) -> bool:
    """Whether the generator found no type."""
    return annotation is not None and ast.unparse(annotation) in {"typing.Any", "object"}


def shorten_docstring(node: ast.FunctionDef | ast.ClassDef) -> None:
    """Only the first line stays."""
    text = ast.get_docstring(node)
    first = node.body[0]
    if text is not None and isinstance(first, ast.Expr):
        first.value = ast.Constant(first_line(text))


def annotate_function(function: ast.FunctionDef, qualifier: _Qualifier) -> None:
    """Full names of builtins, and no annotation of `self`."""
    every = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    for argument in [*every, function.args.vararg, function.args.kwarg]:
        if argument is None:
            continue
        if argument.annotation is None:
            variadic = argument in (function.args.vararg, function.args.kwarg)
            argument.annotation = type_of("typing.Any") if variadic else None
            continue
        argument.annotation = (
            None if argument.arg == "self" else qualifier.visit(argument.annotation)
        )
    if function.returns is not None:
        plain = CONTAINERS.get(ast.unparse(function.returns))
        function.returns = type_of(plain) if plain else qualifier.visit(function.returns)
    elif function.name == "__call__":
        function.returns = type_of("typing.Any")


def names_of(kind: str) -> dict[str, list[ast.stmt]]:
    """The definitions of the rows of a kind, by name."""
    from gpukit import _core

    found: dict[str, list[ast.stmt]] = {}
    for row_kind, name, signatures, meaning in _core.stub_rows():
        if row_kind == kind:
            found[name] = functions(signatures, meaning, method=kind == "method")
        elif kind == "method" and "property" in row_kind:
            found[name] = attribute(name, signatures[0], meaning, settable=row_kind != "property")
    return found


def with_rows(body: list[ast.stmt], kind: str) -> list[ast.stmt]:
    """The definitions of rows in place of those that the generator read from docstrings."""
    rows = names_of(kind)
    others = [node for node in body if getattr(node, "name", None) not in rows]
    made = [node for name in sorted(rows) for node in rows[name]]
    return [*others, *made]


def completed(text: str) -> str:
    """The generated stub with what the rows say, and builtins by their full names."""
    tree = ast.parse(text)
    tree.body = [
        node
        for node in with_rows(tree.body, "function")
        if not isinstance(node, (ast.Import, ast.ImportFrom))
        and getattr(node, "name", None) != "Size"  # HEADER has it
    ]
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == "Tensor":
            node.body = [i for i in node.body if getattr(i, "name", None) not in LEFT_OUT]
            for item in node.body:
                if isinstance(item, ast.FunctionDef):
                    annotate_slot(item)
            node.body = with_rows(node.body, "method")
    qualifier = _Qualifier()
    for found in ast.walk(tree):
        if isinstance(found, (ast.FunctionDef, ast.ClassDef)):
            shorten_docstring(found)
        if isinstance(found, ast.FunctionDef):
            annotate_bound(found)
            annotate_function(found, qualifier)
    tree.body[1:1] = ast.parse(HEADER).body
    return "\n".join(marked(line) for line in ast.unparse(tree).split("\n"))


def marked(line: str) -> str:
    """The line of a method that means to differ from its kind, with the mark for type checkers."""
    for name, code in IGNORED.items():
        if line.strip().startswith(f"def {name}(") and line.endswith("-> Tensor:"):
            return f"{line}  # type: ignore[{code}]"
    return line


# Users see these classes as gpukit's; their stubs stand in the extension's.
STUBGEN = """
from gpukit import _core
for one in (_core.Tensor, _core.device, _core.dtype, _core.Generator):
    one.__module__ = "gpukit._core"
from pybind11_stubgen import main
main()
"""


def generate() -> str:
    """The stub of the extension that this Python imports, formatted."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", STUBGEN, "gpukit._core", "-o", folder]
        # Run elsewhere, so that the installed package is found and not the source folder.
        result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise SystemExit(f"make_stubs: pybind11-stubgen failed\n{result.stdout}{result.stderr}")
        stub = Path(folder, "gpukit", "_core.pyi")
        stub.write_text(completed(stub.read_text(encoding="utf-8")), encoding="utf-8")
        shutil.copy(ROOT / "pyproject.toml", folder)
        subprocess.run(["ruff", "format", "--quiet", str(stub)], check=True)
        return stub.read_text(encoding="utf-8")


def names_from_core() -> list[str]:
    """The names that the installed package takes from the extension."""
    code = "import gpukit; print(*gpukit._FROM_CORE)"
    with tempfile.TemporaryDirectory() as folder:
        result = subprocess.run(
            [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True
        )
    return sorted(result.stdout.split(), key=import_order)


def import_order(name: str) -> tuple[bool, list[tuple[str, int]]]:
    """As ruff sorts imports: classes first, numbers in names by value."""
    parts = re.findall(r"(\D*)(\d*)", name)
    return name[0].islower(), [(text, int(digits or 0)) for text, digits in parts]


def package_stub() -> str:
    """`gpukit/__init__.pyi` with a line for each name from the extension."""
    lines = PACKAGE_STUB.read_text(encoding="utf-8").splitlines(keepends=True)
    first = next(i for i, line in enumerate(lines) if line.startswith(FROM_CORE))
    others = [line for line in lines if not line.startswith(FROM_CORE)]
    imports = [f"{FROM_CORE}{name} as {name}\n" for name in names_from_core()]
    return "".join([*others[:first], *imports, *others[first:]])


def print_difference(path: Path, text: str) -> bool:
    """True when the file in the tree is not `text`."""
    lines = list(
        difflib.unified_diff(
            path.read_text(encoding="utf-8").splitlines(),
            text.splitlines(),
            path.name,
            "the extension",
            lineterm="",
        )
    )
    if lines:
        print("\n".join(lines))
        print(f"make_stubs: {path.name} is old; run python tools/make_stubs.py")
    return bool(lines)


def main() -> int:
    """Write the stubs, or compare them with what stands in the tree."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    texts = {STUB: generate(), PACKAGE_STUB: package_stub()}
    if arguments.check:
        different = [path for path, text in texts.items() if print_difference(path, text)]
        return 1 if different else 0
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
