"""Recorded operators as steps of a chain, where the meaning is the same bit for bit.

What an operator does before its arithmetic (promotion, numbers beside tensors) is written out as
steps here; an operator that does more than these rules know stays an operator.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from gpukit import _core
from gpukit._compile.trace import CASTS, Facts, Operation, Trace, Value
from gpukit._dtypes import ROWS


@dataclass(frozen=True)
class Step:
    """One step of a chain. `operands` are values of the trace; None means the number's place."""

    name: str
    operands: tuple[int | None, ...]
    number: Any
    value: int  # what it makes

    def reads(self) -> list[int]:
        """The values among the operands."""
        return [operand for operand in self.operands if operand is not None]


@dataclass(frozen=True)
class Reason:
    """Why an operator is no step of a chain."""

    text: str


# Of whole numbers, those of which the device's arithmetic is all.
_WHOLE = frozenset(
    """
    add sub mul maximum minimum bitwise_and bitwise_or bitwise_xor eq ne lt le gt ge
    logical_and logical_or logical_xor
    """.split()  # noqa: SIM905
)
_DEFAULTS = {"alpha": 1, "rounding_mode": None, "decimals": 0, "out": None}


class _Operators:
    """The names of elementwise.def."""

    def __init__(self) -> None:
        self.unary: dict[str, str] = {}
        self.binary: dict[str, str] = {}
        self.domains: dict[str, str] = {}
        for row in _core.elementwise_operators():
            table = self.unary if row["operands"] == 1 else self.binary
            for name in (row["name"], *row["aliases"]):
                table[name] = row["name"]
            self.domains[row["name"]] = row["domain"]


_OPERATORS = _Operators()
ELEMENTWISE = frozenset(_OPERATORS.unary) | frozenset(_OPERATORS.binary)


def is_elementwise(name: str) -> bool:
    """Whether it is an operator of elementwise.def: it gives the same of the same."""
    return name in _OPERATORS.unary or name in _OPERATORS.binary


def lowered(operation: Operation, trace: Trace) -> list[Step] | Reason:
    """The steps of an operator, of which the last makes its result."""
    if operation.changes:
        return Reason("writes into a tensor")
    if not isinstance(operation.result, Value):
        return Reason("gives several results")
    touched = (*operation.reads(), *operation.makes())
    if any(trace.facts[number].dtype.is_complex for number in touched):
        return Reason("has complex numbers")
    name = operation.name
    if name in _OPERATORS.unary:
        return _Lowering(operation, trace).unary(_OPERATORS.unary[name])
    if name in _OPERATORS.binary:
        return _Lowering(operation, trace).binary(_OPERATORS.binary[name])
    if name == "where":
        return _Lowering(operation, trace).where()
    if name in {"clamp", "clip"}:
        return _Lowering(operation, trace).clamp()
    if name in CASTS:
        return _Lowering(operation, trace).cast()
    if name == "with_slopes" and trace.records:
        return same_value(operation, "value")
    body = operation.body
    if body is not None and body.reason:
        return Reason(f"is composed of operators, but {body.reason}")
    return Reason("is no elementwise operator")


def same_value(operation: Operation, argument: str) -> list[Step]:
    """The steps of an operator that gives the elements of an argument another gradient."""
    value, made = operation.arguments[argument], operation.result
    assert isinstance(value, Value)
    assert isinstance(made, Value)
    return [Step("mul", (value.number, None), 1.0, made.number)]


class _Lowering:
    def __init__(self, operation: Operation, trace: Trace) -> None:
        self.arguments = operation.arguments
        self.trace = trace
        assert isinstance(operation.result, Value)
        self.result = operation.result.number
        self.steps: list[Step] = []
        self.extra = {key: value for key, value in operation.arguments.items() if key in _DEFAULTS}

    def facts(self, value: Value | int) -> Facts:
        """Of a value."""
        return self.trace.facts[value.number if isinstance(value, Value) else value]

    def unary(self, name: str) -> list[Step] | Reason:
        """A function of one tensor."""
        operand = self._only_operands(1)
        if isinstance(operand, Reason):
            return operand
        (value,) = operand
        if not isinstance(value, Value):
            return Reason("has no tensor")
        dtype = self.facts(value).dtype
        if _core.chain_takes(name, dtype):
            return self._finish(name, (value.number,), None)
        if _OPERATORS.domains[name] != "function":
            return Reason(f"converts {dtype} in a way of its own")
        return self._finish(name, (self._converted(value, self.trace.default_dtype),), None)

    def binary(self, name: str) -> list[Step] | Reason:
        """A function of two tensors, or of one and a number."""
        alpha = self.extra.get("alpha", 1)
        if name in {"add", "sub"} and (type(alpha) is not int or alpha != 1):
            return self._scaled(name, alpha)
        operands = self._only_operands(2)
        if isinstance(operands, Reason):
            return operands
        left, right = operands
        if isinstance(left, Value) and isinstance(right, Value):
            return self._of_tensors(name, left, right)
        if isinstance(left, Value):
            return self._with_number(name, left, right, False)
        if isinstance(right, Value):
            return self._with_number(name, right, left, True)
        return Reason("has no tensor")

    def _scaled(self, name: str, alpha: Any) -> list[Step] | Reason:
        """A sum with a multiple of a tensor; half types are rounded at the end only."""
        del self.extra["alpha"]
        operands = self._only_operands(2)
        if isinstance(operands, Reason):
            return operands
        if not all(isinstance(each, Value) for each in operands) or type(alpha) not in {int, float}:
            return Reason("is called with alpha and numbers")
        left, right = operands
        facts = self.facts(self.result)
        dtype = facts.dtype
        alike = all(self.facts(each).dtype == dtype for each in operands)
        if not alike or not dtype.is_floating_point or not _keeps_dtype(alpha, dtype):
            return Reason("is called with alpha and several dtypes, or with whole numbers")
        if self._mixes_devices(left, right):
            return Reason("reads tensors of two devices")
        working = _core.float32 if dtype.itemsize == 2 else dtype
        scaled = self._step("mul", (self._converted(right, working), None), alpha, right, working)
        added = (self._converted(left, working), scaled)
        if working == dtype:
            return self._finish(name, added, None)
        total = self._step(name, added, None, self.result, working)
        return self._finish("convert", (total,), dtype)

    def _step(
        self,
        name: str,
        operands: tuple[int | None, ...],
        number: Any,
        like: Value | int,
        dtype: Any,
    ) -> int:
        """A step that makes a value of its own, of the shape of another; gives its number."""
        facts = self.facts(like)
        self.trace.facts.append(Facts(facts.shape, dtype, facts.device))
        made = len(self.trace.facts) - 1
        self.steps.append(Step(name, operands, number, made))
        return made

    def where(self) -> list[Step] | Reason:
        """A choice between two tensors, or a tensor and a number."""
        if set(self.arguments) - {"condition", "input", "other"}:
            return Reason("has further arguments")
        condition, left, right = (
            self.arguments.get(key) for key in ("condition", "input", "other")
        )
        if not isinstance(condition, Value) or self.facts(condition).dtype != _core.bool:
            return Reason("has no condition of bools")
        tensors = [each for each in (left, right) if isinstance(each, Value)]
        if not tensors or len({self.facts(each).dtype for each in tensors}) > 1:
            return Reason("chooses between two dtypes")
        if self._mixes_devices(condition, *tensors):
            return Reason("reads tensors of two devices")
        number = None
        if len(tensors) == 1:
            number = right if left is tensors[0] else left
            dtype = self.facts(tensors[0]).dtype
            if not _keeps_dtype(number, dtype) or dtype == _core.bool:
                return Reason("chooses between two dtypes")
        operands = tuple(
            each.number if isinstance(each, Value) else None for each in (condition, left, right)
        )
        return self._finish("where", operands, number)

    def clamp(self) -> list[Step] | Reason:
        """Bounds that are numbers."""
        if set(self.arguments) - {"input", "min", "max"}:
            return Reason("has further arguments")
        value, low, high = (self.arguments.get(key) for key in ("input", "min", "max"))
        if not isinstance(value, Value) or not self.facts(value).dtype.is_floating_point:
            return Reason("clamps whole numbers")
        bounds = [bound for bound in (low, high) if bound is not None]
        if not bounds or not all(type(bound) in {int, float} for bound in bounds):
            return Reason("has bounds that are no numbers")
        largest = ROWS[self.facts(value).dtype].largest
        if not all(abs(bound) <= largest for bound in bounds):
            return Reason("has bounds beyond the dtype")
        return self._finish("clamp", (value.number,), (low, high))

    def cast(self) -> list[Step] | Reason:
        """Another dtype, on the same device."""
        value = self.arguments.get("input")
        further = set(self.arguments) - {"input", "dtype", "device"}
        if not isinstance(value, Value) or further:
            return Reason("has further arguments")
        if isinstance(self.arguments.get("device"), Value):
            return Reason("goes by another tensor")
        before, after = self.facts(value), self.facts(self.result)
        if before.device != after.device:
            return Reason("copies to another device")
        if before.dtype == after.dtype:
            return Reason("converts nothing")
        return self._finish("convert", (value.number,), after.dtype)

    def _only_operands(self, count: int) -> tuple[Any, ...] | Reason:
        for key, value in self.extra.items():
            if value is not _DEFAULTS[key] and not (type(value) is int and value == _DEFAULTS[key]):
                return Reason(f"is called with {key}")
        given = tuple(value for key, value in self.arguments.items() if key not in _DEFAULTS)
        return given if len(given) == count else Reason("has further arguments")

    def _finish(self, name: str, operands: tuple[int | None, ...], number: Any) -> list[Step]:
        self.steps.append(Step(name, operands, number, self.result))
        return self.steps

    def _converted(self, value: Value, dtype: Any) -> int:
        """The value in another dtype, by a step of its own."""
        facts = self.facts(value)
        if facts.dtype == dtype:
            return value.number
        return self._step("convert", (value.number,), dtype, value, dtype)

    def _mixes_devices(self, *values: Value) -> bool:
        return len({str(self.facts(value).device) for value in values}) > 1

    def _of_tensors(self, name: str, left: Value, right: Value) -> list[Step] | Reason:
        a, b = self.facts(left), self.facts(right)
        if self._mixes_devices(left, right):
            return Reason("reads tensors of two devices")
        has_scalar = 0 in (a.rank, b.rank)
        if has_scalar and (a.dtype != b.dtype or name == "pow"):
            return Reason("takes a tensor without dimensions as a number")
        promoted = a.dtype if a.dtype == b.dtype else _core.promote_types(a.dtype, b.dtype)
        if not promoted.is_floating_point and name not in _WHOLE:
            return Reason(f"computes with {promoted}")
        if not _core.chain_takes(name, promoted):
            return Reason(f"does not take {promoted}")
        operands = (self._converted(left, promoted), self._converted(right, promoted))
        return self._finish(name, operands, None)

    def _with_number(
        self, name: str, tensor: Value, number: Any, number_first: bool
    ) -> list[Step] | Reason:
        dtype = self.facts(tensor).dtype
        if not _keeps_dtype(number, dtype):
            return Reason(f"has a {type(number).__name__} beside {dtype}")
        if not dtype.is_floating_point and name not in _WHOLE:
            return Reason(f"computes with {dtype}")
        if not _core.chain_takes(name, dtype):
            return Reason(f"does not take {dtype}")
        if name == "pow":
            if dtype.itemsize == 2:
                return Reason("raises half types to a power")
            if number == 2 and not number_first:
                return self._finish("square", (tensor.number,), None)
        operands = (None, tensor.number) if number_first else (tensor.number, None)
        return self._finish(name, operands, number)


def _keeps_dtype(number: Any, dtype: Any) -> bool:
    """A number that leaves the tensor's dtype as it is, and that it can hold if it is whole."""
    if dtype.is_floating_point:
        return isinstance(number, float) or (
            isinstance(number, int) and abs(number) < 2**53 and math.isfinite(number)
        )
    if dtype == _core.bool or type(number) is not int:
        return False
    bits = 8 * int(dtype.itemsize) - (0 if str(dtype).split(".")[-1].startswith("u") else 1)
    lowest = 0 if bits % 8 == 0 else -(2**bits)
    return bool(lowest <= number < min(2**bits, 2**63))
