"""Records what a function calls while it runs: the observer of gpukit's one interception point."""

from __future__ import annotations

import weakref
from typing import Any

from gpukit import _core
from gpukit._compile.bodies import BodyRecorder
from gpukit._compile.called import (
    ANSWERED,
    INDEXES,
    MAY_BE_SIZED_BY_VALUES,
    READS_VALUE,
    REFUSED,
    SIZED_BY_VALUES,
    writes,
)
from gpukit._compile.faults import Fault, UntraceableError
from gpukit._compile.lowering import ELEMENTWISE
from gpukit._compile.trace import (
    CASTS,
    Facts,
    Operation,
    Place,
    Trace,
    UnknownTypeError,
    Value,
    mapped,
    values_in,
)

MOST_OPERATIONS = 10_000

# Operators that give one new tensor and change none, of which nothing is written in Python.
PLAIN = (ELEMENTWISE | {"sum", "mean", "amax", "amin", "matmul"}) - {"round"}
_PLAIN = frozenset((bool, int, float, str, type(None), _core.dtype, _core.device))


class Tracer:
    """Hears of every operator of its thread while it is observing."""

    def __init__(self, tensors: list[Any], strict: bool) -> None:
        self.trace = Trace()
        self.fault: Fault | None = None
        self.sets_gradients = False  # by autograd.Function, checkpoints and the like
        self.asks_sizes = False  # what was recorded holds for these shapes alone
        self.sized_by_values: Place | None = None
        self._strict = strict  # a fault raises immediately, at the user's line
        self._known: dict[int, tuple[Value, Any]] = {}
        self._calls: list[Any] = []  # Operations; of plain operators, what the core notes of them
        self._call: Any = None  # the operator that runs; those inside it are its body
        self._bodies = BodyRecorder(
            self.trace.facts, self._refused, self._value_of, self._enter, self._forget
        )
        self._arguments: dict[str, Any] | None = None  # its own, by numbers
        self._operator: Any = None
        self._name = ""
        self._reads_gradient = False  # one of its arguments requires it
        self._records = True
        for tensor in tensors:
            known = self._value_of(tensor) or self._register(tensor)
            self.trace.arguments.append(known.number)

    def observe(self) -> Any:
        """Begins; of plain operators the core notes what the methods below do."""
        facts, calls = self.trace.facts, self._calls
        return _core.record(self, self._known, facts, calls, Value, Facts, PLAIN, MOST_OPERATIONS)

    # The two below run between operators that have emptied the processor's caches: each line of
    # them costs several times what it costs in a loop.
    def before_operator(self, call: Any) -> None:
        """Takes the arguments as they are before the call."""
        if self.fault is not None:
            return
        if self._call is not None:
            self._bodies.before(call)
            return
        self._operator, name, kind, arguments = call.begun
        if kind == "module":
            return
        self._call, self._arguments, self._name = call, None, name
        self._reads_gradient = False
        self._records = _core.is_grad_enabled()
        if name in REFUSED or name in READS_VALUE:
            reason = READS_VALUE.get(name, f"calls {name}, which a trace cannot hold")
            self._fail(reason, Place(*call.place))
            return
        try:
            self._arguments = self._numbered(arguments)
        except UnknownTypeError as error:
            self._fail(f"{name} is given a {error.args[0].__name__}", Place(*call.place))

    def after_operator(self, call: Any) -> None:
        """Records the operator with its result."""
        if call is not self._call:
            if self._call is not None and self.fault is None:
                self._bodies.after(call)
            return
        self._call = None
        if self.fault is not None or self._arguments is None:
            return
        self._ended(self._arguments, *call.ended)

    def after_plain_operator(
        self,
        operator: Any,
        name: str,
        arguments: dict[str, Any],
        records: bool,
        reads_gradient: bool,
        *ended: Any,
    ) -> None:
        """A plain operator has failed, or has given something else than a tensor."""
        if self.fault is None:
            self._operator, self._name = operator, name
            self._records, self._reads_gradient = records, reads_gradient
            self._ended(arguments, *ended)

    def _ended(self, arguments: dict[str, Any], error: Any, result: Any, place: Any) -> None:
        if error is not None:
            # Not raised: the error itself is on its way to the caller.
            self.fault = Fault(f"{self._name} raised an error", Place(*place))
        else:
            self._record(result, arguments, Place(*place))

    def _numbered(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """The arguments with numbers in the places of tensors."""
        made = {}
        for name, item in arguments.items():
            kind = type(item)
            if kind is _core.Tensor:
                made[name] = self._captured(item)
            elif kind in _PLAIN:
                made[name] = item
            else:
                made[name] = mapped(item, self._captured)
        return made

    def finish(self, result: Any) -> None:
        """The function has returned this."""
        if self.fault is not None:
            return
        self.trace.operations = list(map(self._operation, self._calls))
        try:
            self.trace.result = mapped(result, self._captured)
        except UnknownTypeError as error:
            self.fault = Fault(f"it returns a {error.args[0].__name__}", None)
        if self.fault is None and self.sets_gradients:
            self.fault = Fault("it gives a tensor a gradient that no operator has", None)

    def _operation(self, call: Any) -> Operation:
        """A call as the trace has it."""
        if type(call) is Operation:
            return call
        operator, name, arguments, value, changes, place, records, reads_gradient = call
        self.trace.records |= records and reads_gradient
        self.asks_sizes |= 0 in self.trace.facts[value.number].shape
        return Operation(operator, name, arguments, value, changes, Place(*place), records)

    def _record(self, result: Any, arguments: dict[str, Any], place: Place) -> None:
        name = self._name
        if name in ANSWERED:
            return
        kind = type(result)
        changes = writes(name, arguments)
        body = made = None
        if self._bodies.body is not None:
            body, made = self._bodies.taken(result, changes)
        if name in CASTS and isinstance(result, _core.Tensor) and self._is_of(result, arguments):
            return  # it converts nothing, which depends on what guards compare
        if not (isinstance(result, _core.Tensor) or _all_tensors(result) or changes):
            self._fail(f"{name} gives Python a {type(result).__name__}", place)
            return
        if len(self._calls) == MOST_OPERATIONS:
            self._fail(f"it calls more than {MOST_OPERATIONS} operators", place)
            return
        try:
            made = mapped(result, self._register) if made is None else made
        except UnknownTypeError as error:
            self._fail(f"{name} gives Python a {error.args[0].__name__}", place)
            return
        self.trace.records |= self._records and self._reads_gradient
        # Iteration gives a call for each item, and splitting a result for each part.
        self.asks_sizes |= name == "__iter__" or kind is tuple or kind is list
        if name in MAY_BE_SIZED_BY_VALUES and self._is_sized_by_values(name, arguments):
            self.sized_by_values = place
        self._calls.append(
            Operation(self._operator, name, arguments, made, changes, place, self._records, body)
        )

    def _is_of(self, result: Any, arguments: dict[str, Any]) -> bool:
        """Whether the result is the tensor that was given, whatever the current device is."""
        given = arguments.get("input")
        kinds = (_core.dtype, bool, type(None), Value)
        fixed = all(isinstance(each, kinds) for each in arguments.values())
        return fixed and isinstance(given, Value) and self._value_of(result) == given

    def _is_sized_by_values(self, name: str, arguments: dict[str, Any]) -> bool:
        masks = list(values_in(arguments))[1:] if name in INDEXES else []
        masked = any(self.trace.facts[value.number].dtype == _core.bool for value in masks)
        return masked or name in SIZED_BY_VALUES

    def _fail(self, reason: str, place: Place) -> None:
        self.fault = Fault(reason, place)
        if self._strict:
            raise UntraceableError(self.fault)

    def _value_of(self, tensor: Any) -> Value | None:
        known = self._known.get(id(tensor))
        return known[0] if known is not None and known[1]() is tensor else None

    def _register(self, tensor: Any) -> Value:
        value = self._enter(tensor)
        # A loop over no items calls nothing.
        self.asks_sizes |= 0 in self.trace.facts[value.number].shape
        return value

    def _enter(self, tensor: Any) -> Value:
        value = Value(self.trace.new_value(tensor))
        self._known[id(tensor)] = (value, weakref.ref(tensor))
        return value

    def _forget(self, key: int, value: Value) -> None:
        """What a body has made is known to nothing behind it."""
        if self._known[key][0] == value:
            del self._known[key]

    def _refused(self, name: str, arguments: dict[str, Any]) -> str:
        """Why a body that calls an operator cannot run in the place of its own one; or ""."""
        if name in READS_VALUE:
            return READS_VALUE[name]
        if name in REFUSED:
            return f"calls {name}"
        if writes(name, arguments):
            return "writes into a tensor"
        if name == "__iter__" or self._is_sized_by_values(name, arguments):
            return "has results of sizes that differ"
        return ""

    def _captured(self, tensor: Any) -> Value:
        """The number of a tensor; one that nothing here made comes from outside."""
        value = self._value_of(tensor)
        if value is None:
            value = self._register(tensor)
            self.trace.captured[value.number] = tensor
        requires_grad = self.trace.facts[value.number].requires_grad
        if tensor.requires_grad != requires_grad:
            self.sets_gradients |= not any(
                type(each) is Operation and each.changes for each in self._calls
            )
        self._reads_gradient |= requires_grad
        return value


def _all_tensors(result: Any) -> bool:
    return isinstance(result, (tuple, list)) and all(
        isinstance(item, _core.Tensor) for item in result
    )
