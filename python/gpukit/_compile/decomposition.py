"""Operators that are several in one, as those: their steps can then join a chain.

Only where no gradient is recorded: the derivative of the one operator rounds elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gpukit import _core
from gpukit._compile.trace import Facts, Operation, Trace, Value


@dataclass(frozen=True)
class _Called:
    """An operator that no call was observed of."""

    function: Callable[..., Any]

    def call(self, arguments: dict[str, Any]) -> Any:
        """Calls it."""
        return self.function(**arguments)


_FUNCTIONS = {name: getattr(_core, name) for name in ("sub", "square", "mean", "sum")}


def decomposed(operations: list[Operation], trace: Trace) -> list[Operation]:
    """The operators, with what stands for some of them."""
    if trace.records:
        return operations
    return [part for operation in operations for part in _parts(operation, trace)]


def _parts(operation: Operation, trace: Trace) -> list[Operation]:
    if operation.name != "squared_error":
        return [operation]
    left, right = (operation.arguments.get(name) for name in ("input", "target"))
    reduction = operation.arguments.get("reduction", "mean")
    made = operation.result
    if not (isinstance(left, Value) and isinstance(right, Value) and isinstance(made, Value)):
        return [operation]
    a, b = (trace.facts[each.number] for each in (left, right))
    if a.dtype != b.dtype or a.shape != b.shape or not a.dtype.is_floating_point:
        return [operation]
    trace.facts.append(Facts(a.shape, a.dtype, a.device))
    difference = Value(len(trace.facts) - 1)
    parts = [_part("sub", {"input": left, "other": right}, difference, operation)]
    if reduction == "none":
        return [*parts, _part("square", {"input": difference}, made, operation)]
    trace.facts.append(Facts(a.shape, a.dtype, a.device))
    square = Value(len(trace.facts) - 1)
    parts.append(_part("square", {"input": difference}, square, operation))
    return [*parts, _part(reduction, {"input": square}, made, operation)]


def _part(name: str, arguments: dict[str, Any], made: Value, whole: Operation) -> Operation:
    called = _Called(_FUNCTIONS[name])
    return Operation(called, name, arguments, made, False, whole.place, whole.records)
