"""Records what a function calls while it runs: the observer of gpukit's one interception point."""

from __future__ import annotations

import weakref
from typing import Any

from gpukit import _core
from gpukit._compile.faults import Fault, UntraceableError
from gpukit._compile.trace import (
    CASTS,
    Operation,
    Place,
    Trace,
    UnknownTypeError,
    Value,
    mapped,
    values_in,
)

MOST_OPERATIONS = 10_000

# Questions whose answers a trace's guards hold; of sizes, those of functions that read them.
_ANSWERED = frozenset(
    "dim ndimension is_floating_point element_size get_device numel nelement size".split()  # noqa: SIM905
)
_READS_VALUE = {
    "__bool__": "branches on the value of a tensor",
    "__int__": "reads the value of a tensor as an int",
    "__float__": "reads the value of a tensor as a float",
    "__index__": "reads the value of a tensor as an index",
    "item": "reads the value of a tensor with item()",
    "tolist": "reads the values of a tensor with tolist()",
    "numpy": "reads the values of a tensor with numpy()",
}
_REFUSED = frozenset(
    """
    backward requires_grad_ set_data set_grad set_requires_grad retain_grad register_hook grad
    data data_ptr stride storage_offset is_contiguous is_pinned optimizer_step with_state
    """.split()  # noqa: SIM905
)


# Operators whose results have sizes that depend on the values of their operands.
_SIZED_BY_VALUES = frozenset(
    "nonzero argwhere unique masked_select bincount repeat_interleave".split()  # noqa: SIM905
)


class Tracer:
    """Hears of every operator of its thread while it is observing."""

    def __init__(self, tensors: list[Any], strict: bool) -> None:
        self.trace = Trace()
        self.fault: Fault | None = None
        self.sets_gradients = False  # by autograd.Function, checkpoints and the like
        self.asks_sizes = False  # what was recorded holds for these shapes alone
        self.sized_by_values: Place | None = None
        self._strict = strict  # a fault raises immediately, at the user's line
        self._known: dict[int, tuple[int, Any]] = {}
        self._depth = 0
        self._pending: dict[str, Any] | None = None
        self._records = True
        for tensor in tensors:
            if self._number_of(tensor) is None:
                self._register(tensor)
            self.trace.arguments.append(self._number(tensor))

    def before_operator(self, call: Any) -> None:
        """Takes the arguments as they are before the call."""
        if call.operator.kind == "module":
            return
        self._depth += 1
        if self._depth > 1 or self.fault is not None:
            return
        self._pending = None
        self._records = _core.is_grad_enabled()
        name = call.name
        if name in _REFUSED or name in _READS_VALUE:
            reason = _READS_VALUE.get(name, f"calls {name}, which a trace cannot hold")
            self._fail(reason, call)
            return
        try:
            self._pending = mapped(call.arguments, lambda tensor: Value(self._captured(tensor)))
        except UnknownTypeError as error:
            self._fail(f"{name} is given a {error.args[0].__name__}", call)

    def after_operator(self, call: Any) -> None:
        """Records the operator with its result."""
        if call.operator.kind == "module":
            return
        self._depth -= 1
        if self._depth > 0 or self.fault is not None or self._pending is None:
            return
        if call.error is not None:
            # Not raised: the error itself is on its way to the caller.
            self.fault = Fault(f"{call.name} raised an error", Place(*call.place))
        else:
            self._record(call, self._pending)

    def finish(self, result: Any) -> None:
        """The function has returned this."""
        if self.fault is not None:
            return
        try:
            self.trace.result = mapped(result, lambda tensor: Value(self._captured(tensor)))
        except UnknownTypeError as error:
            self.fault = Fault(f"it returns a {error.args[0].__name__}", None)
        if self.fault is None and self.sets_gradients:
            self.fault = Fault("it gives a tensor a gradient that no operator has", None)

    def _record(self, call: Any, arguments: dict[str, Any]) -> None:
        name, result = call.name, call.result
        if name in _ANSWERED:
            return
        changes = _changes(name, arguments)
        if name in CASTS and isinstance(result, _core.Tensor) and self._is_of(result, arguments):
            return  # it converts nothing, which depends on what guards compare
        if not (isinstance(result, _core.Tensor) or _all_tensors(result) or changes):
            self._fail(f"{name} gives Python a {type(result).__name__}", call)
            return
        if len(self.trace.operations) == MOST_OPERATIONS:
            self._fail(f"it calls more than {MOST_OPERATIONS} operators", call)
            return
        try:
            made = mapped(result, lambda tensor: Value(self._register(tensor)))
        except UnknownTypeError as error:
            self._fail(f"{name} gives Python a {error.args[0].__name__}", call)
            return
        place = Place(*call.place)
        given = (self.trace.facts[value.number] for value in values_in(arguments))
        self.trace.records |= self._records and any(each.requires_grad for each in given)
        # Iteration gives a call for each item, and splitting a result for each part.
        self.asks_sizes |= name == "__iter__" or type(result) in (tuple, list)
        if self._is_sized_by_values(name, arguments):
            self.sized_by_values = place
        self.trace.operations.append(
            Operation(call.operator, name, arguments, made, changes, place, self._records)
        )

    def _is_of(self, result: Any, arguments: dict[str, Any]) -> bool:
        """Whether the result is the tensor that was given, whatever the current device is."""
        given = arguments.get("input")
        kinds = (_core.dtype, bool, type(None), Value)
        fixed = all(isinstance(each, kinds) for each in arguments.values())
        return fixed and isinstance(given, Value) and self._number_of(result) == given.number

    def _is_sized_by_values(self, name: str, arguments: dict[str, Any]) -> bool:
        masks = list(values_in(arguments))[1:] if name in {"getitem", "__getitem__"} else []
        masked = any(self.trace.facts[value.number].dtype == _core.bool for value in masks)
        return masked or name in _SIZED_BY_VALUES

    def _fail(self, reason: str, call: Any) -> None:
        self.fault = Fault(reason, Place(*call.place))
        if self._strict:
            raise UntraceableError(self.fault)

    def _number_of(self, tensor: Any) -> int | None:
        number, known = self._known.get(id(tensor), (0, None))
        return number if known is not None and known() is tensor else None

    def _number(self, tensor: Any) -> int:
        number = self._number_of(tensor)
        assert number is not None
        return number

    def _register(self, tensor: Any) -> int:
        number = self.trace.new_value(tensor)
        self.asks_sizes |= 0 in tensor.shape  # a loop over no items calls nothing
        self._known[id(tensor)] = (number, weakref.ref(tensor))
        return number

    def _captured(self, tensor: Any) -> int:
        """The number of a tensor; one that nothing here made comes from outside."""
        number = self._number_of(tensor)
        if number is None:
            number = self._register(tensor)
            self.trace.captured[number] = tensor
        elif tensor.requires_grad != self.trace.facts[number].requires_grad:
            self.sets_gradients |= not any(each.changes for each in self.trace.operations)
        return number


def _changes(name: str, arguments: dict[str, Any]) -> bool:
    in_place = name.endswith("_") and not name.endswith("__")
    return in_place or name in {"setitem", "__setitem__"} or arguments.get("out") is not None


def _all_tensors(result: Any) -> bool:
    return isinstance(result, (tuple, list)) and all(
        isinstance(item, _core.Tensor) for item in result
    )
