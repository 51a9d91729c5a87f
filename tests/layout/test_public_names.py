"""Every public name is there, is documented, and stands in the stub."""

from __future__ import annotations

import ast
import inspect
import pkgutil
from pathlib import Path

import pytest

import gpukit

PACKAGE = Path(gpukit.__file__).parent
# Modules that can be called; all others must not share a name with a function.
CALLABLE_MODULES = {"bench", "cloud", "doctor", "monitor"}


def names_of_stub(path: Path) -> set[str]:
    """The names that a stub defines or re-exports at its top level."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
        elif isinstance(node, ast.Assign):
            names.update(target.id for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names.update((alias.asname or alias.name).split(".")[0] for alias in node.names)
    return names


def test_names_are_unique_and_sorted_out() -> None:
    assert len(gpukit.__all__) == len(set(gpukit.__all__))
    assert [name for name in gpukit.__all__ if name.startswith("_") and name != "__version__"] == []


@pytest.mark.parametrize("name", gpukit.__all__)
def test_name_is_there(name: str) -> None:
    assert hasattr(gpukit, name)
    assert name in dir(gpukit)


@pytest.mark.parametrize("name", gpukit.__all__)
def test_name_is_documented(name: str) -> None:
    thing = getattr(gpukit, name)
    if inspect.isclass(thing) or inspect.ismodule(thing) or callable(thing):
        assert (thing.__doc__ or "").strip()


def test_stub_has_every_name() -> None:
    missing = set(gpukit.__all__) - names_of_stub(PACKAGE / "__init__.pyi")
    assert missing == set()


def test_no_module_hides_a_function() -> None:
    modules = {module.name for module in pkgutil.iter_modules([str(PACKAGE)])}
    functions = {name for name in gpukit.__all__ if inspect.isfunction(getattr(gpukit, name))}
    assert modules & functions - CALLABLE_MODULES == set()


def test_unknown_name_is_answered_with_a_near_one() -> None:
    with pytest.raises(AttributeError, match="ones"):
        _ = gpukit.onse


def test_package_is_typed() -> None:
    assert (PACKAGE / "py.typed").exists()
