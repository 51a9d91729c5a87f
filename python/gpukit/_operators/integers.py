"""Divisors and multiples of whole numbers."""

from __future__ import annotations

from typing import Any

from gpukit import _core
from gpukit._arguments import tensor_of
from gpukit._core import Tensor
from gpukit._dtypes import INTEGER
from gpukit._operators.changes import stored
from gpukit.errors import DTypeError


def _pair(function: str, input: Any, other: Any) -> tuple[Tensor, Tensor]:
    """Both in one shape and dtype."""
    x, y = tensor_of(function, "input", input), tensor_of(function, "other", other)
    for name, each in (("input", x), ("other", y)):
        if each.dtype not in INTEGER:
            raise DTypeError(
                f"{function}: {name} is {each.dtype.name}; whole numbers are needed. "
                "Use .to(gpukit.int64)"
            )
    common = _core.result_type(x, y)
    x, y = _core.broadcast_tensors(x.to(common), y.to(common))
    return x, y


def gcd(input: Any, other: Any) -> Tensor:
    """Euclid's algorithm on all pairs at once."""
    x, y = _pair("gcd", input, other)
    while bool((y != 0).any()):
        left = _core.remainder(x, y)  # of a division by 0 it is 0
        x, y = _core.where(y == 0, x, y), _core.where(y == 0, y, left)
    return x.abs() if x.dtype.is_signed else x.clone()


def lcm(input: Any, other: Any) -> Tensor:
    """The product without the divisor that both have in common."""
    x, y = _pair("lcm", input, other)
    divisor = gcd(x, y)
    product = _core.floor_divide(x, divisor.masked_fill(divisor == 0, 1)) * y
    return product.abs() if product.dtype.is_signed else product


def gcd_(input: Tensor, other: Any) -> Tensor:
    """The divisors in place."""
    return stored("gcd_", input, gcd(input, other))


def lcm_(input: Tensor, other: Any) -> Tensor:
    """The multiples in place."""
    return stored("lcm_", input, lcm(input, other))
