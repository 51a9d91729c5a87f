"""_core.pyi names what the extension has; `make_stubs.py --check` compares it all."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

import gpukit
from gpukit import _core

STUB = Path(gpukit.__file__).parent / "_core.pyi"


def is_type_only(node: ast.stmt) -> bool:
    """True for names that exist only for type checkers: aliases, and result pairs."""
    if isinstance(node, ast.AnnAssign):
        return ast.unparse(node.annotation) == "TypeAlias"
    bases = node.bases if isinstance(node, ast.ClassDef) else []
    return bool({"NamedTuple", "tuple[Tensor, ...]"} & {ast.unparse(base) for base in bases})


def stub_members() -> dict[str, set[str]]:
    """Top-level names of the stub; for classes with the names of their members."""
    members: dict[str, set[str]] = {}
    for node in ast.parse(STUB.read_text(encoding="utf-8")).body:
        if is_type_only(node):
            continue
        if isinstance(node, ast.ClassDef):
            members[node.name] = {
                item.name for item in node.body if isinstance(item, ast.FunctionDef)
            } | {
                item.target.id
                for item in node.body
                if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
            }
        elif isinstance(node, ast.FunctionDef):
            members[node.name] = set()
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            members[node.target.id] = set()
    return members


def public(names: object) -> set[str]:
    return {name for name in dir(names) if not name.startswith("_")}


def test_top_level_names() -> None:
    found = {name for name in stub_members() if not name.startswith("_")}
    assert found == public(_core)


def test_members_of_classes() -> None:
    stubs = stub_members()
    for name, thing in vars(_core).items():
        if isinstance(thing, type) and not issubclass(thing, BaseException):
            own = {member for member in vars(thing) if not member.startswith("_")}
            assert own <= stubs[name], name


@pytest.mark.parametrize("name", ["cloud", "doctor", "monitor"])
def test_callable_modules_have_all_their_functions_for_type_checkers(name: str) -> None:
    tree = ast.parse(STUB.with_name("__init__.pyi").read_text(encoding="utf-8"))
    [of] = [
        ast.unparse(node.annotation)
        for node in tree.body
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == name
    ]
    [kind] = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == of]
    typed = {node.name for node in kind.body if isinstance(node, ast.FunctionDef)}
    module = getattr(gpukit, name)
    functions = {each for each in module.__all__ if inspect.isfunction(getattr(module, each))}
    assert functions - typed == set()
