"""Small questions about single nodes of a tree."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)
Item = TypeVar("Item")

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
LOOPS = (ast.For, ast.AsyncFor, ast.While)


def position(node: ast.AST) -> tuple[int, int]:
    """Where a node begins."""
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def method(node: ast.AST) -> str:
    """The name of the method that a call calls, or ""."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr
    return ""


def bare(node: ast.AST) -> str:
    """The bare name that a call calls, as "print", or ""."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id
    return ""


def receiver(node: ast.Call) -> ast.expr | None:
    """`x` of a call `x.method(...)`."""
    return node.func.value if isinstance(node.func, ast.Attribute) else None


def owner(node: ast.Call) -> str:
    """The bare name `x` of a call `x.method(...)`, or ""."""
    of = receiver(node)
    return of.id if isinstance(of, ast.Name) else ""


def grouped(pairs: Iterable[tuple[Key, Item]]) -> dict[Key, list[Item]]:
    """Key -> its items, in their order."""
    found: dict[Key, list[Item]] = {}
    for key, item in pairs:
        found.setdefault(key, []).append(item)
    return found


def keyword(node: ast.Call, name: str) -> ast.expr | None:
    """The value of a keyword of a call."""
    return next((word.value for word in node.keywords if word.arg == name), None)


def is_true(node: ast.AST | None) -> bool:
    """The constant True."""
    return isinstance(node, ast.Constant) and node.value is True


def parameters(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> list[str]:
    """The names of a function's parameters."""
    every = node.args
    groups = [*every.posonlyargs, *every.args, *every.kwonlyargs]
    extra = [each for each in (every.vararg, every.kwarg) if each is not None]
    return [each.arg for each in (*groups, *extra)]


def same(one: ast.AST | None, two: ast.AST | None) -> bool:
    """The same name or dotted name."""
    while isinstance(one, ast.Attribute) and isinstance(two, ast.Attribute):
        if one.attr != two.attr:
            return False
        one, two = one.value, two.value
    return isinstance(one, ast.Name) and isinstance(two, ast.Name) and one.id == two.id


def names_in(node: ast.AST) -> set[str]:
    """All names that an expression or statement mentions."""
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def bound_in(node: ast.AST) -> set[str]:
    """All names that a statement binds."""
    return {
        each.id
        for each in ast.walk(node)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }


def ends_before(statement: ast.stmt | None, use: ast.AST) -> bool:
    """A statement is done, or a loop, with or if has begun, before a name is read."""
    if statement is None:
        return False
    if isinstance(statement, (*LOOPS, ast.With, ast.AsyncWith, ast.If)):
        return position(statement) < position(use)
    return (statement.end_lineno or 0, statement.end_col_offset or 0) <= position(use)
