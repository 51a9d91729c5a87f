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


# What the C API tells nobody: the types of Tensor's slots and attributes.
_BOOL, _INT, _FLOAT = "builtins.bool", "builtins.int", "builtins.float"
SLOT_TYPES = {
    "__await__": "collections.abc.Generator[typing.Any, None, Tensor]",
    "__bool__": _BOOL,
    "__contains__": _BOOL,
    "__delattr__": "None",
    "__delitem__": "None",
    "__float__": _FLOAT,
    "__hash__": _INT,
    "__index__": _INT,
    "__int__": _INT,
    "__iter__": "collections.abc.Iterator[Tensor]",
    "__len__": _INT,
    "__new__": "Tensor",
    "__repr__": "str",
    "__setattr__": "None",
    "__setitem__": "None",
}
PROPERTY_TYPES = {
    "T": "Tensor",
    "__array_priority__": _INT,
    "__cuda_array_interface__": "dict[str, typing.Any]",
    "data": "Tensor",
    "device": "device",
    "dtype": "dtype",
    "grad": "Tensor | None",
    "grad_fn": "GraphNode | None",
    "is_cpu": _BOOL,
    "is_cuda": _BOOL,
    "is_leaf": _BOOL,
    "itemsize": _INT,
    "layout": "str",
    "mT": "Tensor",
    "nbytes": _INT,
    "ndim": _INT,
    "requires_grad": _BOOL,
    "retains_grad": _BOOL,
    "shape": "tuple[builtins.int, ...]",
}
# Names that gpukit gives to dtypes, functions and methods, and annotations mean otherwise.
SHADOWED = {"bool", "float", "int", "type"}
SETTABLE = ("data", "grad", "requires_grad")
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


def annotate_tensor(function: ast.FunctionDef) -> None:
    """Give a slot or attribute of Tensor the types that the generator did not find."""
    if function.name == "__hash__":
        function.args.args = function.args.args[:1]
    for argument in function.args.args[1:] + [
        a for a in (function.args.vararg, function.args.kwarg) if a is not None
    ]:
        if argument.annotation is None:
            argument.annotation = type_of("typing.Any")
    if function.returns is not None:
        return
    function.returns = type_of(SLOT_TYPES.get(function.name, "Tensor"))


def type_of(text: str) -> ast.expr:
    """An annotation from its text."""
    return ast.parse(text, mode="eval").body


def properties() -> list[ast.stmt]:
    """The attributes of Tensor, which the generator does not see."""
    lines = []
    for name, text in PROPERTY_TYPES.items():
        lines += ["@property", f"def {name}(self) -> {text}: ..."]
        if name in SETTABLE:
            lines += [f"@{name}.setter", f"def {name}(self, value: {text}) -> None: ..."]
    return ast.parse("\n".join(lines)).body


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


def completed(text: str) -> str:
    """The generated stub with the types of Tensor filled in and builtins by their full names."""
    tree = ast.parse(text)
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == "Tensor":
            functions = [item for item in node.body if isinstance(item, ast.FunctionDef)]
            for item in functions:
                annotate_tensor(item)
            node.body += properties()
    qualifier = _Qualifier()
    for found in ast.walk(tree):
        if isinstance(found, ast.FunctionDef):
            annotate_function(found, qualifier)
    future = "from __future__ import annotations"
    source = ast.unparse(tree).replace(future, future + "\nimport builtins", 1)
    return "\n".join(marked(line) for line in source.split("\n"))


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
