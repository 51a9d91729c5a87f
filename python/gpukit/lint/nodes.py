"""Small questions about single nodes of a tree."""

from __future__ import annotations

import ast

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


def receiver(node: ast.Call) -> ast.expr | None:
    """`x` of a call `x.method(...)`."""
    return node.func.value if isinstance(node.func, ast.Attribute) else None


def keyword(node: ast.Call, name: str) -> ast.expr | None:
    """The value of a keyword of a call."""
    return next((word.value for word in node.keywords if word.arg == name), None)


def is_true(node: ast.AST | None) -> bool:
    """The constant True."""
    return isinstance(node, ast.Constant) and node.value is True


def parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
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
    """A statement is done, or a loop or with has begun, before a name is read."""
    if statement is None:
        return False
    if isinstance(statement, (*LOOPS, ast.With, ast.AsyncWith)):
        return position(statement) < position(use)
    return (statement.end_lineno or 0, statement.end_col_offset or 0) <= position(use)
