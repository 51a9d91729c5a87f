"""Operators that are written in Python: the operators that they call may run in their places.

They join chains then. Whether they may is decided here and nowhere else: while the body runs, by
what it calls (`BodyRecorder`), and when groups are made, by what its code reads (`opened`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from typing import Any

from gpukit import _core
from gpukit._compile.called import ANSWERED
from gpukit._compile.endings import ending_of
from gpukit._compile.lowering import Reason, lowered
from gpukit._compile.scan import read
from gpukit._compile.trace import (
    CASTS,
    Body,
    Facts,
    Operation,
    Place,
    Trace,
    UnknownTypeError,
    Value,
    mapped,
    values_in,
)

# The modules that have the bodies, and what a body is called where it has another name.
_MODULES = ("gpukit._operators.composed", "gpukit._operators.linear_algebra")
_SIZES = "depends on sizes"
# What may return the tensor that it is given, for reasons that guards hold or by its elements.
_SAME = CASTS | {"conj", "contiguous", "flatten", "moveaxis", "movedim", "positive"}
_FUNCTIONS = {"round": "round_to", "clip": "clamp"}


class _UnknownTensorError(Exception):
    """A tensor that nothing in the trace has made as it is."""


class _Open:
    """An operator inside another one, while it runs."""

    __slots__ = ("arguments", "body", "call", "records")

    def __init__(self, call: Any) -> None:
        self.call = call
        self.body = Body()
        self.arguments: dict[str, Any] = {}
        self.records = _core.is_grad_enabled()


class BodyRecorder:
    """Hears of the operators inside the one that runs, and records them as its body.

    `facts`, `value_of` and `register` are the trace's. `refused` says why an operator cannot be in
    a body, or gives "". `forget` takes what was registered from the tensors that the trace knows.
    """

    def __init__(
        self,
        facts: list[Facts],
        refused: Callable[[str, dict[str, Any]], str],
        value_of: Callable[[Any], Value | None],
        register: Callable[[Any], Value],
        forget: Callable[[int, Value], None],
    ) -> None:
        self.body: Body | None = None  # None until the operator that runs has called another
        self._facts, self._refused, self._value_of = facts, refused, value_of
        self._register, self._forget = register, forget
        self._open: list[_Open] = []
        self._made: list[tuple[int, Value]] = []

    def before(self, call: Any) -> None:
        """An operator inside is called."""
        if self.body is None:
            self.body = Body()
        around, opened = self._around(), _Open(call)
        self._open.append(opened)
        if not around.reason:
            try:
                arguments = call.arguments.items()
                opened.arguments = {name: mapped(item, self._number) for name, item in arguments}
                around.reason = self._refused(call.name, opened.arguments)
            except UnknownTypeError as error:
                kind = error.args[0]
                sizes = issubclass(kind, tuple)
                around.reason = _SIZES if sizes else f"gives {call.name} a {kind.__name__}"
            except _UnknownTensorError:
                around.reason = "has a tensor of its own"
            if call.operator.kind in {"module", "function"}:
                around.reason = f"calls {call.name}"
        opened.body.reason = around.reason

    def after(self, call: Any) -> None:
        """It has ended."""
        opened = self._open.pop()
        around = self._around()
        if around.reason:
            return
        try:
            around.reason = self._noted(call, opened, around)
        except (UnknownTypeError, _UnknownTensorError):
            around.reason = f"calls {call.name}, which makes no new tensor"

    def taken(self, result: Any, changes: bool) -> tuple[Body | None, Any]:
        """The body of the operator that ends, and its result by numbers if the body has made it."""
        body, self.body = self.body, None
        self._open.clear()
        numbered = None
        if body is not None and changes:
            body.reason = "writes into a tensor"
        elif body is not None and not body.reason:
            made = {each for part in body.operations for each in values_in(part.result)}
            try:
                numbered = mapped(result, self._number)
            except (UnknownTypeError, _UnknownTensorError):
                body.reason = "gives what no operator has made"
            if not body.reason and not made.issuperset(values_in(numbered)):
                body.reason, numbered = "returns what it was given", None
        kept = set(values_in(numbered))
        for key, each in self._made:
            if each not in kept:
                self._forget(key, each)
        self._made.clear()
        return body, numbered

    def _around(self) -> Body:
        if self._open:
            return self._open[-1].body
        assert self.body is not None
        return self.body

    def _number(self, tensor: Any) -> Value:
        value = self._value_of(tensor)
        if value is None or tensor.requires_grad != self._facts[value.number].requires_grad:
            raise _UnknownTensorError
        return value

    def _noted_tensor(self, tensor: Any) -> Value:
        value = self._register(tensor)
        self._made.append((id(tensor), value))
        return value

    def _noted(self, call: Any, opened: _Open, around: Body) -> str:
        """Adds the operator to the body around it, or says why that cannot be."""
        name, result = call.name, call.result
        if call.error is not None:
            return f"goes on after an error of {name}"
        if name in ANSWERED:
            return ""
        if type(result) is tuple or type(result) is list:
            return f"calls {name}, whose results depend on sizes in number"
        given: list[Value | None] = []
        mapped(result, lambda tensor: given.append(self._value_of(tensor)))
        inside = {each for part in opened.body.operations for each in values_in(part.result)}
        if given and inside.issuperset(given):  # by its own body
            value = mapped(result, self._noted_tensor if opened.body.reason else self._number)
        elif not given or any(given):  # one tensor under two numbers could not be told apart
            return "" if name in _SAME else f"calls {name}, which makes no new tensor"
        else:
            value = mapped(result, self._noted_tensor)
        place = Place(*call.place)
        body = opened.body if opened.body.operations else None
        arguments, records = opened.arguments, opened.records
        around.operations.append(
            Operation(call.operator, name, arguments, value, False, place, records, body)
        )
        return ""


def opened(operations: list[Operation], trace: Trace) -> list[Operation]:
    """The operators, with the bodies of those that may run as their bodies in their places."""
    found: list[Operation] = []
    for operation in operations:
        body = operation.body
        if body is not None and not body.reason:
            body.reason = _why_closed(operation.name, body, trace)
        if body is None or body.reason:
            found.append(operation)
        else:
            found += opened(body.operations, trace)
    return found


def _why_closed(name: str, body: Body, trace: Trace) -> str:
    if not trace.exact and reads_sizes(name):
        return _SIZES
    if not any(_joins(operation, trace) for operation in body.operations):
        return "has nothing that could join a chain"
    return ""


def _joins(operation: Operation, trace: Trace) -> bool:
    body = operation.body
    if body is not None:
        return not body.reason and not _why_closed(operation.name, body, trace)
    is_step = not isinstance(lowered(operation, trace), Reason)
    return is_step or ending_of(operation, trace) is not None


@cache
def reads_sizes(name: str) -> bool:
    """Whether an operator's body asks for sizes, so that what it calls holds for these alone."""
    name = name.strip("_")
    name = _FUNCTIONS.get(name, name)
    for module in map(sys.modules.get, _MODULES):
        function = getattr(module, name, None)
        if function is not None:
            return read((function,)).reads_sizes
    return True
