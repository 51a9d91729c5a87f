"""Resolves names in a text to torch names, through imports and assignments."""

from __future__ import annotations

import ast
from bisect import bisect_left
from dataclasses import dataclass
from itertools import islice

from gpukit.lint.nodes import FUNCTIONS, parameters, position
from gpukit.lint.program import Program
from gpukit.lint.reading import Source
from gpukit.lint.text import Scope
from gpukit.port.surface import Missing, find, is_own
from gpukit.port.vocabulary import OTHER_MEANING

_MAX_DEPTH = 30
_NEAR = 20  # bindings of one name that are considered around a use
_FAR = 400  # statements below a binding among which its use is sought


@dataclass(frozen=True)
class Bound:
    """One binding of a name: to a module's path, or to (a part of) the value of an expression.

    `how` is "import", "value", "item" (of a loop), "entered" (by with) or "changed" (x += 1);
    `steps` are the places in nested tuples of targets.
    """

    at: ast.AST
    how: str
    value: ast.expr | None = None
    path: str = ""
    steps: tuple[int, ...] = ()


class Names:
    """The bindings of all names in a file, and the dotted paths of expressions."""

    def __init__(self, source: Source) -> None:
        self.program = Program(source)
        self.bound: dict[tuple[Scope, str], list[Bound]] = {}
        self.starred: list[str] = []  # modules of `from torch.nn import *`
        self.attributes: dict[tuple[ast.ClassDef, str], list[Bound]] = {}
        for node in self.program.nodes:
            self._read(node)
        for each in self.bound.values():
            each.sort(key=lambda one: position(one.at))
        self._imported = {
            id(each): _preferred(paths)
            for each in self.bound.values()
            if (paths := [one.path for one in each if one.how == "import"])
        }
        self._paths: dict[ast.AST, str] = {}
        self._deep = 0

    def _read(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.split(".")[0]
                path = alias.name if alias.asname else first
                self._enter(node, alias.asname or first, Bound(node, "import", path=as_torch(path)))
        elif isinstance(node, ast.ImportFrom):
            self._import_from(node)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                self._bind(target, Bound(node, "value", node.value))
        elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)):
            self._bind(node.target, Bound(node, "value", node.value))
        elif isinstance(node, ast.AugAssign):
            self._bind(node.target, Bound(node, "changed", node.value))
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            self._bind(node.target, Bound(node, "item", node.iter))
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            self._bind(node.optional_vars, Bound(node, "entered", node.context_expr))
        elif isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.ExceptHandler)) and node.name:
            self._enter(node, node.name, Bound(node, "value"))

    def _import_from(self, node: ast.ImportFrom) -> None:
        module = "." * node.level + (node.module or "")
        for alias in node.names:
            if alias.name == "*":
                self.starred.append(as_torch(module))
            else:
                path = as_torch(f"{module}.{alias.name}")
                self._enter(node, alias.asname or alias.name, Bound(node, "import", path=path))

    def _enter(self, node: ast.AST, name: str, bound: Bound) -> None:
        scope = self.program.scope(node)
        self.bound.setdefault((scope, name), []).append(bound)

    def _bind(self, target: ast.AST, bound: Bound) -> None:
        if isinstance(target, ast.Name):
            self._enter(target, target.id, bound)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for place, each in enumerate(target.elts):
                inner = Bound(bound.at, bound.how, bound.value, "", (*bound.steps, place))
                self._bind(each, inner)
        elif isinstance(target, ast.Starred):
            self._bind(target.value, Bound(bound.at, "value"))
        elif isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
            owner = self.class_around(target)
            if owner is not None and target.value.id == "self":
                self.attributes.setdefault((owner, target.attr), []).append(bound)

    def class_around(self, node: ast.AST) -> ast.ClassDef | None:
        """The class whose method contains a node."""
        around = self.program.ancestors(node)
        return next((each for each in around if isinstance(each, ast.ClassDef)), None)

    def scopes(self, node: ast.AST) -> list[Scope]:
        """The function that contains a node, the enclosing functions, and the module."""
        found = [self.program.scope(node)]
        while not isinstance(found[-1], ast.Module):
            found.append(self.program.scope(found[-1]))
        return found

    def bindings(self, name: ast.Name) -> list[Bound] | None:
        """All bindings of a name in the innermost scope that binds it; None for a parameter."""
        for outer in self.program.ancestors(name):
            if isinstance(outer, ast.Lambda) and name.id in parameters(outer):
                return None
            if isinstance(outer, FUNCTIONS):
                break
        for scope in self.scopes(name):
            if isinstance(scope, FUNCTIONS) and name.id in parameters(scope):
                return None
            if (scope, name.id) in self.bound:
                return self.bound[scope, name.id]
        return []

    def parameter(self, name: ast.Name) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        """The function whose parameter a name is."""
        for scope in self.scopes(name):
            if isinstance(scope, FUNCTIONS) and name.id in parameters(scope):
                return scope
            if (scope, name.id) in self.bound:
                return None
        return None

    def path(self, node: ast.AST | None) -> str:
        """The dotted path of a name or an attribute chain, or ""."""
        if not isinstance(node, (ast.Name, ast.Attribute)) or self._deep > _MAX_DEPTH:
            return ""
        if node not in self._paths:
            self._deep += 1
            self._paths[node] = ""  # a name that is assigned to itself
            self._paths[node] = (
                self._name(node) if isinstance(node, ast.Name) else self._chain(node)
            )
            self._deep -= 1
        return self._paths[node]

    def _chain(self, node: ast.Attribute) -> str:
        parts: list[str] = []
        inner: ast.expr = node
        while isinstance(inner, ast.Attribute):
            parts.append(inner.attr)
            inner = inner.value
        base = self.path(inner)
        return _of_own(".".join([base, *reversed(parts)])) if base else ""

    def _name(self, node: ast.Name) -> str:
        bound = self.bindings(node)
        if bound is None:
            return ""
        if id(bound) in self._imported:
            return self._imported[id(bound)]
        if not bound:  # a part of a lesson whose import is elsewhere
            return "torch" if node.id == "torch" else self._from_star(node.id)
        if len(bound) == 1 and bound[0].how == "value" and not bound[0].steps:
            return self.path(bound[0].value)
        return ""

    def _from_star(self, name: str) -> str:
        """A name that nothing binds is the last star's that has it."""
        from gpukit.lint.known import TOP

        for module in reversed(self.starred):
            if module.split(".")[0] == "torch" and (module != "torch" or name in TOP):
                return f"{module}.{name}" if _starred_has(module, name) else ""
        return ""

    def called(self, node: ast.AST | None) -> str:
        """The path that a call calls, or ""."""
        return self.path(node.func) if isinstance(node, ast.Call) else ""

    def of_torch(self, path: str) -> bool:
        """A path that starts at torch."""
        return path.split(".", maxsplit=1)[0] == "torch"

    def before(self, bound: list[Bound], node: ast.AST) -> list[Bound]:
        """The last binding that certainly ran before a use; otherwise all that may have."""
        count = bisect_left(bound, position(node), key=lambda each: position(each.at))
        statement = self.program.statement(node)
        around = {statement, *self.program.ancestors(node)}
        for each in reversed(bound[max(0, count - _NEAR) : count]):
            inner = each.at if isinstance(each.at, ast.stmt) else self.program.statement(each.at)
            if each.how == "changed" or inner is None or inner is statement:
                continue
            if self._straight(inner, around):
                return [each]
            break
        near = bound[max(0, count - _NEAR) : count + _NEAR]
        return [each for each in near if each.how != "changed"]

    def _straight(self, inner: ast.stmt, around: set[ast.AST | None]) -> bool:
        """Whether the use is below the binding in the same block."""
        if isinstance(inner, (ast.If, ast.Try)):
            return False
        later = self.program.following(inner)
        return any(one in around for one in islice(later, _FAR))


def as_torch(path: str) -> str:
    """A gpukit path under torch's name, so that ported code can be checked again.

    gpukit's own modules keep their names: torch has no such modules.
    """
    top, dot, rest = path.partition(".")
    if top != "gpukit" or rest.startswith("_") or is_own(rest.split(".", maxsplit=1)[0]):
        return path
    return f"torch{dot}{rest}"


def _of_own(path: str) -> str:
    """A torch path that only gpukit has, as `torch.bench` after `import gpukit as torch`."""
    top, _, rest = path.partition(".")
    name = rest.split(".", maxsplit=1)[0]
    own = top == "torch" and f"torch.{name}" not in OTHER_MEANING and is_own(name)
    return f"gpukit.{rest}" if own else path


def _preferred(paths: list[str]) -> str:
    """torch's, where a name is imported twice (`try: ... except ImportError: ...`)."""
    return next((path for path in paths if path.split(".")[0] == "torch"), paths[0])


def _starred_has(module: str, name: str) -> bool:
    return (
        module == "torch"
        or not isinstance(find(f"{module}.{name}"), Missing)
        or (name[:1].isupper())
    )
