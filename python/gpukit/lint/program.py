"""A parsed file as rules see it: imports, parents, scopes, and what each expression holds."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TypeVar

from gpukit.lint.nodes import FUNCTIONS, LOOPS, ends_before, method, parameters, position
from gpukit.lint.reading import Source
from gpukit.lint.values import NOTHING, Reader, Value

T = TypeVar("T", bound=ast.AST)
Scope = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef


class Program:
    """One file and the questions that rules ask of it."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.tree = source.tree
        self.nodes = list(ast.walk(source.tree))
        self.parents: dict[ast.AST, ast.AST] = {}
        for node in self.nodes:
            for child in ast.iter_child_nodes(node):
                self.parents[child] = node
        self.modules = self._imports()
        self._values: dict[ast.AST, Value] = {}
        self._depth = 0

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
        """All nodes of the kinds, outer ones first."""
        return [node for node in self.nodes if isinstance(node, kinds)]

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
        """A dotted name that starts at an import of gpukit."""
        while isinstance(node, ast.Attribute):
            node = node.value
        return isinstance(node, ast.Name) and node.id in self.gpukit_names

    def called(self, node: ast.AST | None) -> str:
        """The dotted path that a call calls, or ""."""
        return self.path(node.func) if isinstance(node, ast.Call) else ""

    def calls(self, *paths: str) -> list[ast.Call]:
        """All calls of these dotted paths."""
        if len(paths) == 1:
            return self.calls_by_path.get(paths[0], [])
        found = [call for path in paths for call in self.calls_by_path.get(path, ())]
        return sorted(found, key=position)

    @cached_property
    def calls_by_path(self) -> dict[str, list[ast.Call]]:
        """Dotted path -> its calls, in the order of the text."""
        found: dict[str, list[ast.Call]] = {}
        for call in self.all_calls:
            found.setdefault(self.called(call), []).append(call)
        return found

    @cached_property
    def all_calls(self) -> list[ast.Call]:
        """All calls, in the order of the text."""
        return sorted(self.of(ast.Call), key=position)

    def methods(self, *names: str) -> list[ast.Call]:
        """All calls `x.name(...)`, in the order of the text."""
        return [call for call in self.all_calls if method(call) in names]

    # -- structure -----------------------------------------------------------------------------

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around a node, the nearest first."""
        while node in self.parents:
            node = self.parents[node]
            yield node

    def scope(self, node: ast.AST) -> Scope:
        """The function or module whose names a node uses."""
        for outer in self.ancestors(node):
            if isinstance(outer, (*FUNCTIONS, ast.Module)):
                return outer
        return self.tree

    def statement(self, node: ast.AST) -> ast.stmt | None:
        """The statement that a node stands in."""
        for each in (node, *self.ancestors(node)):
            if isinstance(each, ast.stmt):
                return each
        return None

    def loop(self, node: ast.AST) -> ast.For | ast.AsyncFor | ast.While | None:
        """The innermost loop whose body holds a node, in the same function."""
        inner = node
        for outer in self.ancestors(node):
            if isinstance(outer, (*FUNCTIONS, ast.Lambda)):
                return None
            if isinstance(outer, LOOPS) and any(inner is each for each in outer.body):
                return outer
            inner = outer
        return None

    def each_step(self, node: ast.AST) -> ast.For | ast.AsyncFor | ast.While | None:
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
        parent = self.parents.get(statement)
        for name in ("body", "orelse", "finalbody"):
            block = getattr(parent, name, None)
            if isinstance(block, list) and any(each is statement for each in block):
                return block
        return []

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
        """No gradient is recorded where a node stands."""
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
        before = [pair for pair in bound or () if ends_before(self.statement(pair[0]), name)]
        if not before or not self._sure(before[-1][0], name):
            return None
        return before[-1][1]

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
        return [node for node in self.nodes if isinstance(node, FUNCTIONS)]

    @cached_property
    def module_classes(self) -> set[str]:
        """Names of classes of this file that are torch modules."""
        found: set[str] = set()
        for node in sorted(self.of(ast.ClassDef), key=position):
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

    def value(self, node: ast.AST | None) -> Value:
        """What an expression holds; NOTHING where the text does not say."""
        if node is None or self._depth > 40:
            return NOTHING
        if node not in self._values:
            self._depth += 1
            self._values[node] = NOTHING  # a name bound to itself
            try:
                self._values[node] = Reader(self).read(node)
            finally:
                self._depth -= 1
        return self._values[node]

    def tensors(self, nodes: Iterable[ast.AST]) -> list[Value]:
        """The values of those expressions that are tensors."""
        values = [self.value(node) for node in nodes]
        return [value for value in values if value.kind == "tensor"]


def _as_torch(path: str) -> str:
    parts = path.split(".")
    return ".".join(["torch", *parts[1:]]) if parts[0] == "gpukit" else path
