"""Incomplete gamma functions; called as composed.py says.

Below the order by the power series, above it by the continued fraction, both as in Cephes (Moshier
1989, igam.c), in float64 until no element changes. Both take about as many terms as some times the
root of the order; beyond _MOST_TERMS they raise.
"""

from __future__ import annotations

from typing import Any

from gpukit import _core
from gpukit._arguments import tensor_of
from gpukit._core import Tensor
from gpukit.errors import AutogradError, DTypeError, RangeError

_EPSILON = 2.0**-53
_MOST_TERMS = 20_000


def igamma(input: Any, other: Any) -> Tensor:
    """The lower function."""
    return _recorded("igamma", input, other, True)


def igammac(input: Any, other: Any) -> Tensor:
    """The upper function."""
    return _recorded("igammac", input, other, False)


def _recorded(function: str, input: Any, other: Any, lower: bool) -> Tensor:
    a, x = tensor_of(function, "input", input), tensor_of(function, "other", other)
    for name, each in (("input", a), ("other", x)):
        if not each.is_floating_point():
            raise DTypeError(f"{function}: {name} is {each.dtype.name}; use .float()")
    dtype = _core.result_type(a, x)
    a_wide, x_wide = _core.broadcast_tensors(a.detach().double(), x.detach().double())
    below, above = _halves(function, a_wide, x_wide)
    result = (below if lower else above).to(dtype)
    if not (_core.is_grad_enabled() and (a.requires_grad or x.requires_grad)):
        return result
    sign = 1 if lower else -1

    def slope(saved: Any, gradients: Any) -> list[Tensor | None]:
        order, place = saved
        if a.requires_grad:
            raise AutogradError(
                f"the derivative for '{function}: input' is not implemented. Use input.detach()"
            )
        density = ((order - 1) * place.log() - place - order.lgamma()).exp()
        return [None, gradients[0] * density * sign]

    name = f"{function.capitalize()}Backward0"
    _core.record_function(name, [result], [a, x], [a, x], slope)
    return result


def _halves(function: str, a: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
    """Both functions, the smaller one computed."""
    valid = (a >= 0) & (x >= 0) & ~((a == 0) & (x == 0)) & ~(_core.isinf(a) & _core.isinf(x))
    plain = valid & (a > 0) & (x > 0) & _core.isfinite(a) & _core.isfinite(x)
    order, place = _core.where(plain, a, 1.0), _core.where(plain, x, 1.0)
    factor = (order * place.log() - place - order.lgamma()).exp()
    low, high = _of_plain(function, order, place, factor)
    at_once = ((a == 0) | _core.isinf(x)).double()  # no order, or no end: all lies below
    low = _core.where(plain, low, at_once)
    high = _core.where(plain, high, 1 - at_once)
    nan = float("nan")
    return _core.where(valid, low, nan), _core.where(valid, high, nan)


def _of_plain(function: str, order: Tensor, place: Tensor, factor: Tensor) -> tuple[Tensor, Tensor]:
    """Both functions of positive, finite numbers. A method that no element needs is left out."""
    below = (place <= 1) | (place <= order)
    count = int(below.sum())
    series = fraction = factor
    if count > 0:
        series = factor / order * _series(function, order, _core.where(below, place, 0.0))
    if count < below.numel():
        orders, places = _core.where(below, 1.0, order), _core.where(below, 2.0, place)
        fraction = factor * _fraction(function, orders, places)
    return _core.where(below, series, 1 - fraction), _core.where(below, 1 - series, fraction)


def _series(function: str, a: Tensor, x: Tensor) -> Tensor:
    """1 + x / (a + 1) + x^2 / ((a + 1) (a + 2)) and so on."""
    term = total = _core.ones_like(x)
    for n in range(1, _MOST_TERMS):
        term = term * x / (a + n)
        total = total + term
        if n % 16 == 0 and not bool((term > total * _EPSILON).any()):
            return total
    raise _unfinished(function, a)


def _fraction(function: str, a: Tensor, x: Tensor) -> Tensor:
    """Legendre's continued fraction, by the method of Lentz."""
    tiny = 1e-300
    b = x + 1 - a
    c = _core.full_like(x, 1 / tiny)
    d = 1 / _core.where(b == 0, tiny, b)
    total = d
    for n in range(1, _MOST_TERMS):
        numerator = (a - n) * n
        b = b + 2
        d = numerator * d + b
        d = 1 / _core.where(d.abs() < tiny, tiny, d)
        c = b + numerator / c
        c = _core.where(c.abs() < tiny, tiny, c)
        change = d * c
        total = total * change
        if n % 16 == 0 and not bool(((change - 1).abs() > 4 * _EPSILON).any()):
            return total
    raise _unfinished(function, a)


def _unfinished(function: str, a: Tensor) -> RangeError:
    return RangeError(
        f"{function}: {_MOST_TERMS} terms are not enough for input up to {a.max().item():g} with "
        "other near it. Use scipy.special.gammainc"
    )
