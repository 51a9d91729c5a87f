"""Code that gpukit never reaches: guarded by a test for a missing feature, or in a `try`."""

from __future__ import annotations

import ast
from typing import Any

from gpukit.lint.nodes import FUNCTIONS
from gpukit.port.aliases import Names
from gpukit.port.surface import Missing, find
from gpukit.port.vocabulary import OTHER_DEVICES

_FORESEEN = frozenset(
    {"AttributeError", "ImportError", "ModuleNotFoundError", "NotImplementedError"}
)
_NO = frozenset({"torch.backends.mps.is_available", "torch.backends.mps.is_built"})
_MAX_DEPTH = 12


class Guards:
    """Which parts of a file run under gpukit, as far as tests say it."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self._annotations_wait = any(
            node.module == "__future__" and any(a.name == "annotations" for a in node.names)
            for node in names.program.of(ast.ImportFrom)
        )

    def unreached(self, node: ast.AST) -> bool:
        """A node that does not run under gpukit, or whose failure the file foresees."""
        inner = node
        for outer in self.names.program.ancestors(node):
            if self._skips(outer, inner):
                return True
            inner = outer
        return False

    def _skips(self, outer: ast.AST, inner: ast.AST) -> bool:
        if isinstance(outer, (ast.If, ast.While)) and inner is not outer.test:
            taken = self.truth(outer.test)
            body: list[Any] = outer.body
            return taken is False if inner in body else taken is True and isinstance(outer, ast.If)
        if isinstance(outer, ast.IfExp) and inner is not outer.test:
            return self.truth(outer.test) is (inner is outer.orelse)
        if isinstance(outer, ast.BoolOp):
            before = outer.values[: outer.values.index(inner)] if inner in outer.values else []
            stops = isinstance(outer.op, ast.Or)
            return any(self.truth(each) is stops for each in before)
        if isinstance(outer, ast.Try):
            return inner in outer.body and any(map(self._catches, outer.handlers))
        return self._waits(outer, inner)

    def _waits(self, outer: ast.AST, inner: ast.AST) -> bool:
        """An annotation that Python does not work out."""
        if isinstance(outer, ast.AnnAssign) and inner is outer.annotation:
            local = isinstance(self.names.program.scope(outer), FUNCTIONS)
            return self._annotations_wait or (local and isinstance(outer.target, ast.Name))
        said = (isinstance(outer, ast.arg) and inner is outer.annotation) or (
            isinstance(outer, FUNCTIONS) and inner is outer.returns
        )
        return said and self._annotations_wait

    def _catches(self, handler: ast.ExceptHandler) -> bool:
        named = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        return any(isinstance(each, ast.Name) and each.id in _FORESEEN for each in named)

    def truth(self, test: ast.expr | None, depth: int = 0) -> bool | None:
        """The value of a test under gpukit; None if the text does not say."""
        if test is None or depth > _MAX_DEPTH:
            return None
        if isinstance(test, ast.Constant):
            return bool(test.value)
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            inner = self.truth(test.operand, depth + 1)
            return None if inner is None else not inner
        if isinstance(test, ast.BoolOp):
            return self._joined(test, depth)
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            return self._compared(test, test.ops[0], test.comparators[0])
        if isinstance(test, ast.Call):
            return self._called(test)
        return self._named(test, depth)

    def _joined(self, test: ast.BoolOp, depth: int) -> bool | None:
        found = [self.truth(each, depth + 1) for each in test.values]
        decides = isinstance(test.op, ast.Or)
        if decides in found:
            return decides
        return None if None in found else not decides

    def _compared(self, test: ast.Compare, op: ast.cmpop, other: ast.expr) -> bool | None:
        sides = [test.left, other]
        words = {side.value for side in sides if isinstance(side, ast.Constant)}
        if None in words and isinstance(op, (ast.Is, ast.IsNot)):
            path = self.names.path(test.left)
            if path.startswith("torch.version.") and isinstance(find(path), (Missing, type(None))):
                return isinstance(op, ast.Is)
            return None
        text = {str(word).split(":")[0] for word in words if isinstance(word, str)}
        if text and text <= OTHER_DEVICES and self._is_device(sides):
            return not isinstance(op, (ast.Eq, ast.In)) if isinstance(op, _ASKS) else None
        return None

    def _is_device(self, sides: list[ast.expr]) -> bool:
        said = " ".join(ast.unparse(side) for side in sides if not isinstance(side, ast.Constant))
        return "dev" in said.lower() or said.endswith(".type") or "accelerator" in said

    def _called(self, test: ast.Call) -> bool | None:
        if isinstance(test.func, ast.Name) and test.func.id == "hasattr" and len(test.args) == 2:
            path, name = self.names.path(test.args[0]), test.args[1]
            if path.split(".")[0] == "torch" and isinstance(name, ast.Constant):
                return not isinstance(find(f"{path}.{name.value!s}"), Missing)
        return False if self.names.called(test) in _NO else None

    def _named(self, test: ast.expr, depth: int) -> bool | None:
        path = self.names.path(test)
        if path == "typing.TYPE_CHECKING":
            return False
        if path.startswith("torch.version."):
            found = find(path)
            return False if found is None or isinstance(found, Missing) else None
        if not isinstance(test, ast.Name):
            return None
        bound = self.names.bindings(test) or []
        if test.id == "TYPE_CHECKING" and not bound:
            return False
        one = (
            bound[0] if len(bound) == 1 and bound[0].how == "value" and not bound[0].steps else None
        )
        return self.truth(one.value, depth + 1) if one is not None else None


_ASKS = (ast.Eq, ast.NotEq, ast.In, ast.NotIn)
