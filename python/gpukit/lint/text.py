"""A parsed file: imports, parents, scopes, calls, and what each name is bound to."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, TypeVar

from gpukit.lint.nodes import (
    FUNCTIONS,
    LOOPS,
    bare,
    ends_before,
    grouped,
    method,
    parameters,
    position,
)
from gpukit.lint.reading import Source

T = TypeVar("T", bound=ast.AST)
Scope = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef
Loop = ast.For | ast.AsyncFor | ast.While

_NEAR = 100  # names bound by one statement, among which one that is done is looked for

# The parser shares one node of each of these kinds; no rule needs their position.
_SHARED = (ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop)


class Text:
    """One file: positions of nodes, and the names that are imported, bound and called.

    Nodes are numbered in text order, each before its children. What is
    inside a node is therefore a range of numbers, and a question such as "does this loop call
    backward()" is a binary search in the list of such calls, not a walk.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.tree = source.tree
        self.nodes: list[ast.AST] = []
        self.parents: dict[ast.AST, ast.AST] = {}
        self._number: dict[ast.AST, int] = {}
        self._end: dict[ast.AST, int] = {}  # the number after the last node inside
        self._blocks: dict[ast.AST, tuple[list[ast.stmt], int]] = {}
        self._scopes: dict[ast.AST, Scope] = {}
        self._loops: dict[ast.AST, Loop] = {}
        self._kinds: dict[type[ast.AST], list[ast.AST]] = {}
        self._number_nodes()
        self.modules = self._imports()

    def _number_nodes(self) -> None:
        waiting: list[ast.AST] = [self.tree]
        while waiting:
            node = waiting.pop()
            self._number[node] = len(self.nodes)
            self.nodes.append(node)
            self._kinds.setdefault(type(node), []).append(node)
            children = [c for c in ast.iter_child_nodes(node) if not isinstance(c, _SHARED)]
            for child in children:
                self._place(child, node)
            waiting += sorted(children, key=position, reverse=True)
        for node in reversed(self.nodes):
            end = self._end.setdefault(node, self._number[node] + 1)
            if node in self.parents:
                outer = self.parents[node]
                self._end[outer] = max(end, self._end.get(outer, 0))
        for node in self.nodes:
            for name in ("body", "orelse", "finalbody"):
                block = getattr(node, name, None)
                statements: list[ast.stmt] = block if isinstance(block, list) else []
                for index, each in enumerate(statements):
                    self._blocks[each] = statements, index
                    if name == "body" and isinstance(node, LOOPS):
                        self._loops[each] = node

    def _place(self, child: ast.AST, parent: ast.AST) -> None:
        self.parents[child] = parent
        if isinstance(parent, (*FUNCTIONS, ast.Module)):
            self._scopes[child] = parent
        else:
            self._scopes[child] = self._scopes[parent]

    # -- names ---------------------------------------------------------------------------------

    def _imports(self) -> dict[str, str]:
        """Name -> dotted path; gpukit's names are read as torch's, which they repeat."""
        found: dict[str, str] = {}
        for node in self.of(ast.Import):
            for alias in node.names:
                name = alias.asname or alias.name.split(".")[0]
                found[name] = alias.name if alias.asname else alias.name.split(".")[0]
        for each in self.of(ast.ImportFrom):
            for alias in each.names:
                found[alias.asname or alias.name] = f"{each.module or ''}.{alias.name}"
        self.gpukit_names = {name for name, path in found.items() if path.split(".")[0] == "gpukit"}
        return {name: _as_torch(path) for name, path in found.items()}

    @cached_property
    def uses_torch(self) -> bool:
        """Imports torch or gpukit."""
        return any(path.split(".")[0] == "torch" for path in self.modules.values())

    def of(self, *kinds: type[T]) -> list[T]:
        """All nodes of the kinds, in the order of the text and outer ones first."""
        found: list[Any] = [node for kind in kinds for node in self._kinds.get(kind, ())]
        return found if len(kinds) == 1 else sorted(found, key=self._number.__getitem__)

    def path(self, node: ast.AST | None) -> str:
        """`torch.cuda.synchronize` of a name or an attribute that starts at an import, else ""."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self.modules:
            return ""
        return ".".join([self.modules[node.id], *reversed(parts)])

    def from_gpukit(self, node: ast.AST) -> bool:
        """A dotted name that starts at a gpukit import."""
        while isinstance(node, ast.Attribute):
            node = node.value
        return isinstance(node, ast.Name) and node.id in self.gpukit_names

    def called(self, node: ast.AST | None) -> str:
        """The dotted path that a call calls, or ""."""
        return self.path(node.func) if isinstance(node, ast.Call) else ""

    def calls(self, *paths: str) -> list[ast.Call]:
        """All calls of these dotted paths."""
        return self._merged(self._by_path, paths)

    def methods(self, *names: str) -> list[ast.Call]:
        """All calls `x.name(...)`, in the order of the text."""
        return self._merged(self._by_method, names)

    def named(self, *names: str) -> list[ast.Call]:
        """All calls of bare names `name(...)`, in the order of the text."""
        return self._merged(self._by_name, names)

    def _merged(self, table: dict[str, list[ast.Call]], keys: Sequence[str]) -> list[ast.Call]:
        if len(keys) == 1:
            return table.get(keys[0], [])
        found = [call for key in keys for call in table.get(key, ())]
        return sorted(found, key=self._number.__getitem__)

    @cached_property
    def all_calls(self) -> list[ast.Call]:
        """All calls, in the order of the text."""
        return self.of(ast.Call)

    @cached_property
    def _by_path(self) -> dict[str, list[ast.Call]]:
        return grouped((self.called(call), call) for call in self.all_calls)

    @cached_property
    def _by_method(self) -> dict[str, list[ast.Call]]:
        return grouped((method(call), call) for call in self.all_calls)

    @cached_property
    def _by_name(self) -> dict[str, list[ast.Call]]:
        return grouped((bare(call), call) for call in self.all_calls)

    def device_words(self) -> Iterator[ast.Constant]:
        """The strings that `device=`, `.to()` and `torch.device()` are given."""
        for call in self.all_calls:
            words = [word.value for word in call.keywords if word.arg == "device"]
            if method(call) == "to" or self.called(call) == "torch.device":
                words += call.args[:1]
            for word in words:
                yield from self._strings(word)

    def _strings(self, node: ast.AST) -> Iterator[ast.Constant]:
        """The strings that an expression can be: itself, either of two, or what a name is bound to.

        A name is what it was last bound to, where that is sure.
        """
        if isinstance(node, ast.Name):
            bound = self.binding(node)
            node = bound if isinstance(bound, (ast.Constant, ast.IfExp)) else node
        for each in (node.body, node.orelse) if isinstance(node, ast.IfExp) else (node,):
            if isinstance(each, ast.Constant) and isinstance(each.value, str):
                yield each

    # -- structure -----------------------------------------------------------------------------

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around a node, the nearest first."""
        while node in self.parents:
            node = self.parents[node]
            yield node

    def scope(self, node: ast.AST) -> Scope:
        """The function or module whose names a node uses."""
        return self._scopes.get(node, self.tree)

    def statement(self, node: ast.AST) -> ast.stmt | None:
        """The statement that contains a node."""
        for each in (node, *self.ancestors(node)):
            if isinstance(each, ast.stmt):
                return each
        return None

    def loop(self, node: ast.AST) -> Loop | None:
        """The innermost loop whose body holds a node, in the same function."""
        for each in (node, *self.ancestors(node)):
            if each is not node and isinstance(each, (*FUNCTIONS, ast.Lambda)):
                return None
            if each in self._loops:
                return self._loops[each]
        return None

    def contains(self, outer: ast.AST, node: ast.AST) -> bool:
        """Whether a node is inside another one, or is that node."""
        return self._number[outer] <= self._number[node] < self._end[outer]

    def among(
        self,
        nodes: list[T],
        inside: ast.AST | list[ast.stmt],
        *,
        after: ast.AST | None = None,
        before: ast.AST | None = None,
    ) -> list[T]:
        """Those of the nodes, a list in the order of the text, inside a node or a block.

        `after` a node is after everything inside it; `before` one is before it begins.
        """
        if not inside:
            return []
        first, last = (inside[0], inside[-1]) if isinstance(inside, list) else (inside, inside)
        low, high = self._number[first], self._end[last]
        low = low if after is None else max(low, self._end[after])
        high = high if before is None else min(high, self._number[before])
        start = bisect_left(nodes, low, key=self._number.__getitem__)
        return nodes[start : bisect_left(nodes, high, key=self._number.__getitem__)]

    def each_step(self, node: ast.AST) -> Loop | None:
        """The innermost loop, if the node runs at each of its steps: under no `if` of its body."""
        loop = self.loop(node)
        for outer in self.ancestors(node):
            if outer is loop:
                return loop
            if isinstance(outer, (ast.If, ast.Try, ast.IfExp)):
                return None
        return None

    def block(self, statement: ast.AST) -> list[ast.stmt]:
        """The list of statements that a statement is one of."""
        return self._blocks[statement][0] if statement in self._blocks else []

    def following(self, statement: ast.stmt) -> Iterator[ast.stmt]:
        """The statements after a statement in its block."""
        block, index = self._blocks.get(statement, ([], 0))
        for later in range(index + 1, len(block)):
            yield block[later]

    def inside(self, node: ast.AST, *kinds: type[ast.AST]) -> bool:
        """Stands within a node of one of the kinds."""
        return any(isinstance(outer, kinds) for outer in self.ancestors(node))

    def within_with(self, node: ast.AST, *paths: str) -> bool:
        """Stands under `with` one of these, or in a function decorated by it."""
        for outer in self.ancestors(node):
            guards: list[ast.expr] = []
            if isinstance(outer, (ast.With, ast.AsyncWith)):
                guards = [item.context_expr for item in outer.items]
            elif isinstance(outer, FUNCTIONS):
                guards = outer.decorator_list
            for guard in guards:
                if (self.called(guard) or self.path(guard)) in paths:
                    return True
        return False

    def ungraded(self, node: ast.AST) -> bool:
        """Whether gradient recording is off at a node."""
        if self.within_with(
            node, "torch.no_grad", "torch.inference_mode", "torch.autograd.no_grad"
        ):
            return True
        calls = self.calls("torch.set_grad_enabled", "torch.autograd.set_grad_enabled")
        return bool(calls)

    # -- what names hold -----------------------------------------------------------------------

    @cached_property
    def bindings(self) -> dict[tuple[Scope, str], list[tuple[ast.AST, ast.expr | None]]]:
        """(scope, name) -> where it is bound and to what expression, in the order of the text."""
        found: dict[tuple[Scope, str], list[tuple[ast.AST, ast.expr | None]]] = {}

        def bind(target: ast.AST, value: ast.expr | None) -> None:
            if isinstance(target, ast.Name):
                found.setdefault((self.scope(target), target.id), []).append((target, value))
            elif isinstance(target, (ast.Tuple, ast.List)):
                values = value.elts if isinstance(value, (ast.Tuple, ast.List)) else []
                same = len(values) == len(target.elts)
                for index, each in enumerate(target.elts):
                    bind(each, values[index] if same else None)
            elif isinstance(target, ast.Starred):
                bind(target.value, None)

        for node in self.nodes:
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    bind(target, node.value)
            elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)):
                bind(node.target, node.value)
            elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
                bind(node.target, None)
            elif isinstance(node, ast.withitem) and node.optional_vars is not None:
                bind(node.optional_vars, None)
        for each in found.values():
            each.sort(key=lambda pair: position(pair[0]))
        return found

    def binding(self, name: ast.Name) -> ast.expr | None:
        """The expression that a name was last bound to, or None where that is not sure."""
        scope: Scope = self.scope(name)
        bound = self.bindings.get((scope, name.id))
        if bound is None and not self._is_parameter(scope, name.id):
            bound, scope = self.bindings.get((self.tree, name.id)), self.tree
            return bound[-1][1] if bound and self._sure(bound[-1][0], name) else None
        bound = bound or []
        at = bisect_left(bound, position(name), key=lambda pair: position(pair[0]))
        for target, value in reversed(bound[max(0, at - _NEAR) : at]):
            if ends_before(self.statement(target), name):
                return value if self._sure(target, name) else None
        return None

    def _is_parameter(self, scope: Scope, name: str) -> bool:
        return isinstance(scope, FUNCTIONS) and name in parameters(scope)

    def _sure(self, bound: ast.AST, use: ast.AST) -> bool:
        """The binding ran before the use whichever way an `if` went."""
        around = set(self.ancestors(use))
        for outer in self.ancestors(bound):
            if isinstance(outer, (ast.If, ast.Try)) and outer not in around:
                return False
        return True

    @cached_property
    def functions(self) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
        """All functions, outer ones first."""
        return self.of(*FUNCTIONS)

    @cached_property
    def module_classes(self) -> set[str]:
        """Names of classes of this file that are torch modules."""
        found: set[str] = set()
        for node in self.of(ast.ClassDef):
            for base in node.bases:
                path = self.path(base)
                if path in {"torch.nn.Module", "torch.nn.Sequential"} or (
                    isinstance(base, ast.Name) and base.id in found
                ):
                    found.add(node.name)
        return found

    @cached_property
    def moves_defaults(self) -> bool:
        """The file sets a default device, so that factories may give tensors anywhere."""
        names = ("torch.set_default_device", "torch.set_default_tensor_type")
        return bool(self.calls(*names)) or any(
            self.called(item.context_expr) == "torch.device" for item in self.of(ast.withitem)
        )


def _as_torch(path: str) -> str:
    parts = path.split(".")
    return ".".join(["torch", *parts[1:]]) if parts[0] == "gpukit" else path
