"""Result kinds of calls and attributes, from the annotations of the installed gpukit."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from gpukit.port.kinds import MODULE, NUMBER, PARAMETER, TENSOR, TEXT, UNKNOWN, Kind
from gpukit.port.surface import Missing, find, returned_type

_PLAIN = {
    "Tensor": TENSOR,
    "Parameter": PARAMETER,
    "Module": MODULE,
    "int": NUMBER,
    "float": NUMBER,
    "str": TEXT,
}
_ONE_BY_ONE = frozenset(["Iterable", "Iterator", "Sequence", "list"])
_NO_DIM = re.compile(r"\bdim: [^=,]*= None\b")


def result(path: str, owner: Kind = UNKNOWN) -> Kind:
    """The result kind of a function or method; `owner` is the kind for a method returning Self."""
    return _annotated(returned_type(path), owner)


def _annotated(said: str, owner: Kind = UNKNOWN) -> Kind:
    try:
        return _kind(ast.parse(said, mode="eval").body, owner)
    except SyntaxError:  # no annotation
        return UNKNOWN


def _kind(node: ast.expr, owner: Kind) -> Kind:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return _annotated(node.value, owner)
    if isinstance(node, ast.BinOp):  # Parameter | None; a union of two kinds is not certain
        optional = isinstance(node.right, ast.Constant) and node.right.value is None
        return _kind(node.left, owner) if optional else UNKNOWN
    name = _last(node)
    if name == "Self":
        return owner
    if not isinstance(node, ast.Subscript):
        return _PLAIN.get(name, UNKNOWN)
    inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    kinds = [_kind(each, owner) for each in inner if _last(each) != "..."]
    if name in _ONE_BY_ONE:
        return Kind("list", True, kinds[0])
    if name == "tuple":
        alike = len(kinds) < len(inner)  # tuple[Tensor, ...]
        return Kind("tuple", True, kinds[0] if alike else None, () if alike else tuple(kinds))
    return Kind("dict", True, kinds[-1]) if name.lower().endswith("dict") else UNKNOWN


def _last(node: ast.expr) -> str:
    """The last part of an annotation's name."""
    node = node.value if isinstance(node, ast.Subscript) else node
    if isinstance(node, ast.Constant):
        return "..." if node.value is ... else str(node.value)
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def pair(path: str) -> str:
    """When a function returns a named tuple: "always", "dim" (only with dim) or ""."""
    thing, name = find(path), path.rpartition(".")[2]
    if isinstance(thing, Missing) or isinstance(find(f"torch.return_types.{name}"), Missing):
        return ""
    return "dim" if _NO_DIM.search((thing.__doc__ or "").split("\n")[0]) else "always"


def attribute(path: str, name: str) -> Kind:
    """The kind of a module's attribute; if the class is uncertain, of any module that has it."""
    own = [_declared(each, name) for each in _lineage(find(path))]
    some = (_declared(each, name) for each in _modules() if path == MODULE.cls)
    return next((kind for kind in (*own, *some) if not kind.unknown), UNKNOWN)


def _lineage(thing: Any) -> tuple[type, ...]:
    return thing.__mro__ if inspect.isclass(thing) else ()


def _declared(owner: type, name: str) -> Kind:
    return _annotated(str(vars(owner).get("__annotations__", {}).get(name, "")))


@cache
def _modules() -> tuple[type, ...]:
    """All gpukit.nn modules."""
    import gpukit.nn as space

    return tuple(_classes(space, space.Module))


def _classes(space: Any, base: type) -> Iterator[type]:
    for name in dir(space):
        each = getattr(space, name, None)
        if inspect.isclass(each) and issubclass(each, base):
            yield each
