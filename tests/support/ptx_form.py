"""Forms of PTX instructions with what they mean, said a second time: in Python's integers and exact
fractions. The tests hold the executor to it, and docs/fidelity.md lists it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from support.exact_floats import FORMATS, value_of

Reference = Callable[..., Any]
INTEGERS = ("u16", "s16", "u32", "s32", "u64", "s64")


@dataclass(frozen=True)
class Form:
    """`code` makes {d} of {a}, {b} and {c}; the reference takes and gives numbers of the types."""

    name: str
    code: str
    to: str
    operands: tuple[str, ...]
    reference: Reference
    family: str
    ulp: int = 0  # what the executor may differ by


def width(kind: str) -> int:
    """Bits of a type; 1 for a predicate, which is kept as 0 or 1 of u32."""
    return 32 if kind == "pred" or kind.endswith("x2") else int(kind.lstrip("bfsu"))


def decoded(word: int, kind: str) -> Any:
    """The number that some bits are."""
    word &= (1 << width(kind)) - 1
    if kind in FORMATS:
        return value_of(word, FORMATS[kind])
    top = 1 << (width(kind) - 1)
    return word - 2 * top if kind.startswith("s") and "x" not in kind and word & top else word


def wrapped(value: int, bits: int, signed: bool = False) -> int:
    """The low bits of a number, with a sign if asked for."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def clamped(value: int, bits: int, signed: bool) -> int:
    """Saturated to so many bits."""
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    return max(low, min(high, value))


def quotient(a: int, b: int) -> int:
    """Towards zero; all ones for b = 0, as the hardware gives."""
    if b == 0:
        return -1
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def instruction(
    name: str, to: str, operands: str, reference: Reference, family: str, **more: Any
) -> Form:
    """A form of one instruction whose operands stand in order."""
    kinds = tuple(operands.split())
    places = ", ".join("{" + letter + "}" for letter in "dabc"[: len(kinds) + 1])
    return Form(name, f"{name} {places};", to, kinds, reference, family, **more)


COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b and a == a and b == b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}
SELECTED = "selp.u32 {d}, 1, 0, p;"
