"""The elementwise operators, by the rows of elementwise.def, and NumPy's results for them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpukit import _core
from support import special
from support.arrays import FLOATING, INTEGERS

Interval = tuple[float, float]


@dataclass(frozen=True)
class Operator:
    """One row; see csrc/ops/elementwise_table.h."""

    name: str
    aliases: tuple[str, ...]
    operands: int
    domain: str
    out: bool
    in_place: bool
    differentiable: bool
    sampled: tuple[Interval, ...]

    @property
    def tests(self) -> bool:
        """Whether its result is bool."""
        return self.domain in {"comparison", "test"}

    @property
    def dtypes(self) -> tuple[str, ...]:
        """NumPy's dtypes that it computes in."""
        return {
            "function": FLOATING,
            "rounding": FLOATING,
            "arithmetic": (*INTEGERS, *FLOATING),
            "magnitude": (*INTEGERS, *FLOATING),
            "bool as integer": (*INTEGERS, *FLOATING),
            "bitwise": ("bool", *INTEGERS),
            "shift": INTEGERS,
        }.get(self.domain, ("bool", *INTEGERS, *FLOATING))

    @property
    def refused(self) -> tuple[str, ...]:
        """Dtypes that it refuses."""
        return {
            "arithmetic": ("bool",),
            "bitwise": FLOATING,
            "shift": ("bool", *FLOATING),
        }.get(self.domain, ())


OPERATORS: dict[str, Operator] = {
    row["name"]: Operator(**row) for row in _core.elementwise_operators()
}

# Where NumPy has another name, or none.
_NUMPY: dict[str, Callable[..., Any]] = {
    "abs": np.absolute,
    "acos": np.arccos,
    "acosh": np.arccosh,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "atanh": np.arctanh,
    "bitwise_left_shift": np.left_shift,
    "bitwise_not": np.invert,
    "bitwise_right_shift": np.right_shift,
    "div": np.true_divide,
    "eq": np.equal,
    "ge": np.greater_equal,
    "gelu": lambda x: x / 2 * (1 + _by_element(math.erf)(x / math.sqrt(2))),
    "gt": np.greater,
    "le": np.less_equal,
    "lt": np.less,
    "mul": np.multiply,
    "ne": np.not_equal,
    "neg": np.negative,
    "pow": np.power,
    "relu": lambda x: np.where(x <= 0, np.zeros_like(x), x),
    "round": np.rint,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "sub": np.subtract,
}


def _by_element(function: Callable[..., float]) -> Callable[[Any], Any]:
    return np.vectorize(function, otypes=[np.float64])


def reference(name: str) -> Callable[..., Any]:
    """NumPy's form of an operator, or one element by element."""
    found = _NUMPY.get(name) or getattr(np, name, None)
    if found is not None and name not in special.REFERENCES:
        return found
    return _by_element(special.REFERENCES.get(name) or getattr(math, name))


def _drawn(rng: np.random.Generator, interval: Interval, dtype: str, shape: Any) -> Any:
    low, high = interval
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype in INTEGERS:
        first = 0 if dtype.startswith("u") else math.floor(low)
        return rng.integers(max(first, math.floor(low)), max(math.ceil(high), 1) + 1, shape).astype(
            dtype
        )
    return rng.uniform(low, high, shape).astype(dtype)


def operands(operator: Operator, dtype: str, shape: Any = (5, 6), seed: int = 0) -> list[Any]:
    """An array for each operand, drawn from the row's intervals; shifts are not negative."""
    rng = np.random.default_rng(seed)
    drawn = [_drawn(rng, interval, dtype, shape) for interval in operator.sampled]
    if operator.domain == "shift":
        drawn[1] = np.abs(drawn[1])
    if operator.name == "pow" and dtype in INTEGERS:
        drawn[1] = np.abs(drawn[1])
    return drawn


def names(*, in_place: bool = False) -> Iterator[tuple[str, Operator]]:
    """Every name, aliases too, with its row."""
    for operator in OPERATORS.values():
        if in_place and not operator.in_place:
            continue
        for name in (operator.name, *operator.aliases):
            yield (f"{name}_" if in_place else name), operator
