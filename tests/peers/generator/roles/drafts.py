"""A call while it is drawn, and the table of roles that its arguments play."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..arguments import Array
from ..values import draw_array, draw_dtype, draw_shape


@dataclass
class Splat:
    """Several positional arguments."""

    values: list[Any]


@dataclass
class Draft:
    """A call while it is drawn."""

    rng: random.Random
    kind: str = "any"
    profile: str = "plain"
    shape: tuple[int, ...] = ()
    dtype: str = "float32"
    drawn: dict[str, Any] = field(default_factory=dict)

    def array(self, shape: tuple[int, ...], dtype: str | None = None, **options: Any) -> Array:
        """A tensor of this shape, of the call's dtype and values."""
        return draw_array(self.rng, dtype or self.dtype, shape, self.profile, **options)

    def start(self, shape: tuple[int, ...]) -> Array:
        """The first tensor of the call."""
        self.shape, self.dtype = shape, draw_dtype(self.rng, self.kind)
        return self.array(shape)

    def dim(self, dims: int | None = None) -> int:
        """A dimension, one time in fourteen out of range."""
        dims = len(self.shape) if dims is None else dims
        if self.rng.random() < 0.07:
            return self.rng.choice((dims, -dims - 1, dims + 2, 2**31, -(2**63)))
        return self.rng.randrange(-dims, dims) if dims else self.rng.choice((0, -1))

    def size(self, dim: int) -> int:
        """The size of a dimension that may be out of range."""
        return self.shape[dim] if -len(self.shape) <= dim < len(self.shape) else 1

    def dims(self) -> tuple[int, ...]:
        """Some different dimensions, at times the same twice."""
        count = len(self.shape)
        chosen = self.rng.sample(range(count), self.rng.randint(0, count))
        dims = [dim - count if self.rng.random() < 0.3 else dim for dim in chosen]
        if dims and self.rng.random() < 0.05:
            dims.append(self.rng.choice((dims[0], count)))
        return tuple(dims)


Role = Callable[[Draft], Any]


ROLES: dict[str, Role] = {}


def role(function: Role) -> Role:
    """Give a role its function's name."""
    ROLES[function.__name__.rstrip("_")] = function
    return function


def _sized(name: str, least: int, most: int) -> None:
    ROLES[name] = lambda draft: draft.start(draw_shape(draft.rng, least, most))


def constant(*values: Any) -> Role:
    """One of these."""
    return lambda draft: draft.rng.choice(values)


def mostly(draft: Draft, shape: tuple[int, ...]) -> tuple[int, ...]:
    return shape if draft.rng.random() < 0.95 else draw_shape(draft.rng)


def mostly_dtype(draft: Draft) -> str:
    return draft.dtype if draft.rng.random() < 0.93 else draw_dtype(draft.rng)


def splat(name: str) -> Role:
    """A role's tuple, given as one argument or as several."""

    def draw(draft: Draft) -> Any:
        values = ROLES[name](draft)
        return Splat(list(values)) if values and draft.rng.random() < 0.5 else values

    return draw


OUT = object()

_sized("x", 0, 8)
_sized("x1", 1, 4)
_sized("x01", 0, 1)
_sized("x2", 2, 4)
_sized("vector", 1, 1)
_sized("matrix", 2, 2)
_sized("batch", 3, 3)

ROLES.update(
    flag=constant(True, False),
    one=constant(0, 1, 2, -1, 3, -7),
    rounding=constant(None, "trunc", "floor", "floor", "trunc", "up"),
    decimals=constant(0, 1, 2, -1, 3),
    correction=constant(0, 1, 2, 0.5, None, 3),
    tolerance=constant(0.0, 1e-5, 1e-2, 0.5),
    diagonal=constant(0, 1, -1, 2, -3, 10, -10),
    p=constant(1, 2, "fro", 0, float("inf"), -float("inf"), 3, 0.5, 1.5, -1),
    ord=constant(None, 2, 1, 0, float("inf"), -float("inf"), 3.5, 0.5, -2),
    matrix_ord=constant("fro"),
    indexing=constant("ij", "xy"),
    reduction=constant("mean", "sum", "none"),
    approximate=constant("none", "tanh"),
    slope=constant(0.01, 0.2, 1.0, 0.0, -0.5),
    positive=constant(1.0, 0.5, 2.0, 0.1),
    threshold=constant(20.0, 1.0, 0.0),
    smoothing=constant(0.0, 0.1, 0.5, 1.0),
    classes=constant(-1, 8, 9, 20),
    eps=constant(1e-5, 1e-3, 0.0, 1.0),
    side=constant("left", "right"),
    probability=constant(0.0, 0.3, 0.5, 1.0),
    count=constant(0, 1, 2, 5),
    steps=constant(0, 1, 2, 3, 7, 50),
    n=constant(0, 1, 2, 3, 7, 40),
)

ROLES.update(
    true=constant(True),
    spec=constant("", ".2f", "d", "5", "e", ">8"),
    low_int=constant(0, 1, -5, 3, 0),
    high_int=constant(1, 2, 10, 100, 7, 0),
)
