"""Bessel functions of orders 0 and 1, in float64 by the approximations of Cephes (Moshier 1989).

J and Y are rational up to 5 and Hankel's asymptotic form beyond (Abramowitz and Stegun, 9.2.5 and
9.2.6), whose phase is taken apart: cos(x - pi/4) is (cos x + sin x) / sqrt(2). K is a Chebyshev
series on both sides of 2 (9.6.13 has the logarithm). Derivatives: 9.1.28, 9.1.30, 9.6.26, 9.6.27.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from gpukit import _core
from gpukit._arguments import tensor_of
from gpukit._core import Tensor
from gpukit.errors import DTypeError
from gpukit.special import _bessel_coefficients as c

_Function = Callable[[Tensor], Tensor]
_Public = Callable[..., Tensor]
_NAN, _INF = float("nan"), float("inf")


def _polynomial(x: Tensor, coefficients: Sequence[float]) -> Tensor:
    result = x * coefficients[0] + coefficients[1]
    for each in coefficients[2:]:
        result = result * x + each
    return result


def _ratio(x: Tensor, top: Sequence[float], bottom: Sequence[float]) -> Tensor:
    return _polynomial(x, top) / _polynomial(x, bottom)


def _chebyshev(x: Tensor, coefficients: Sequence[float]) -> Tensor:
    """Clenshaw's sum of a series whose variable is x / 2."""
    before, here, last = _core.zeros_like(x), _core.zeros_like(x), _core.zeros_like(x)
    for each in coefficients:
        last, before = before, here
        here = x * before - last + each
    return (here - last) * 0.5


def _waves(x: Tensor, order: int) -> tuple[Tensor, Tensor]:
    """J and Y beyond 5."""
    p = (c.P0_TOP, c.P0_BOTTOM) if order == 0 else (c.P1_TOP, c.P1_BOTTOM)
    q = (c.Q0_TOP, c.Q0_BOTTOM) if order == 0 else (c.Q1_TOP, c.Q1_BOTTOM)
    ratio = 5.0 / x
    square = ratio * ratio
    even, odd = _ratio(square, *p), ratio * _ratio(square, *q)
    total, difference = x.sin() + x.cos(), x.sin() - x.cos()
    scale = 1.0 / (x.sqrt() * math.sqrt(math.pi))
    if order == 0:
        return (even * total - odd * difference) * scale, (even * difference + odd * total) * scale
    return (even * difference + odd * total) * scale, (odd * difference - even * total) * scale


def _j0_near(x: Tensor) -> Tensor:
    square = x * x
    zeros = (square - 5.78318596294678452118e00) * (square - 3.04712623436620863991e01)
    return _core.where(x < 1e-5, 1 - square / 4, zeros * _ratio(square, c.J0_TOP, c.J0_BOTTOM))


def _j1_near(x: Tensor) -> Tensor:
    square = x * x
    zeros = (square - 1.46819706421238932572e01) * (square - 4.92184563216946036703e01)
    return _ratio(square, c.J1_TOP, c.J1_BOTTOM) * x * zeros


def _j0(x: Tensor) -> Tensor:
    size = x.abs()
    far = _waves(size.clamp(min=5.0), 0)[0]
    return _core.where(size <= 5, _j0_near(size.clamp(max=5.0)), far)


def _j1(x: Tensor) -> Tensor:
    size = x.abs()
    far = _waves(size.clamp(min=5.0), 1)[0]
    found = _core.where(size <= 5, _j1_near(size.clamp(max=5.0)), far)
    return _core.where(_core.signbit(x), -found, found)


def _y0(x: Tensor) -> Tensor:
    near = _places(x, 5.0)
    log = (2 / math.pi) * near.log() * _j0_near(near)
    below = _ratio(near * near, c.Y0_TOP, c.Y0_BOTTOM) + log
    return _at_zero(x, _core.where(x <= 5, below, _waves(x.clamp(min=5.0), 0)[1]), -_INF)


def _y1(x: Tensor) -> Tensor:
    near = _places(x, 5.0)
    log = (2 / math.pi) * (_j1_near(near) * near.log() - 1.0 / near)
    below = near * _ratio(near * near, c.Y1_TOP, c.Y1_BOTTOM) + log
    return _at_zero(x, _core.where(x <= 5, below, _waves(x.clamp(min=5.0), 1)[1]), -_INF)


def _k(order: int, scaled: bool) -> _Function:
    def function(x: Tensor) -> Tensor:
        near, far = _places(x, 2.0), x.clamp(min=2.0)
        log = (near * 0.5).log()
        if order == 0:
            below = _chebyshev(near * near - 2, c.K0_NEAR) - log * near.i0()
        else:
            below = log * near.i1() + _chebyshev(near * near - 2, c.K1_NEAR) / near
        beyond = _chebyshev(8.0 / far - 2, c.K0_FAR if order == 0 else c.K1_FAR) / far.sqrt()
        if scaled:
            below = below * near.exp()
        else:
            beyond = beyond * (-far).exp()
        return _at_zero(x, _core.where(x <= 2, below, beyond), _INF)

    return function


def _spherical(x: Tensor) -> Tensor:
    square = x * x
    series = [1 / 6227020800, -1 / 39916800, 1 / 362880, -1 / 5040, 1 / 120, -1 / 6, 1.0]
    small = x.abs() < 0.5
    far = _core.where(small, 1.0, x)
    found = _core.where(small, _polynomial(square.clamp(max=1.0), series), far.sin() / far)
    return _core.where(_core.isinf(x), 0.0, found)


def _places(x: Tensor, highest: float) -> Tensor:
    """The places up to `highest`; others, whose values are not used, are there."""
    return _core.where((x > 0) & (x <= highest), x, highest)


def _at_zero(x: Tensor, values: Tensor, pole: float) -> Tensor:
    """The values, the pole at 0, and NaN below."""
    return _core.where(x > 0, values, _core.where(x == 0, pole, _NAN))


def _slope_of_j1(x: Tensor) -> Tensor:
    safe = _core.where(x == 0, 1.0, x)
    return _core.where(x == 0, 0.5, bessel_j0(x) - bessel_j1(x) / safe)


def _slope_of_spherical(x: Tensor) -> Tensor:
    """(cos x - j0(x)) / x, by its power series near 0."""
    series = [-1 / 518918400, 1 / 3991680, -1 / 45360, 1 / 840, -1 / 30, 1 / 3]
    small = x.abs() < 0.5
    near, far = _core.where(small, x, 0.0), _core.where(small, 1.0, x)
    return _core.where(
        small,
        -near * _polynomial(near * near, series),
        (far.cos() - spherical_bessel_j0(far)) / far,
    )


def _function(name: str, text: str, of: str, values: _Function, slope: _Function) -> _Public:
    def function(input: Tensor, *, out: Tensor | None = None) -> Tensor:
        x = tensor_of(name, "input", input)
        if x.is_complex():
            raise DTypeError(
                f"{name}: not defined for complex tensors, got {x.dtype.name}. Use X.abs(), X.real "
                "or X.imag."
            )
        dtype = x.dtype if x.is_floating_point() else _core.get_default_dtype()
        result = values(x.detach().double()).to(dtype)
        if _core.is_grad_enabled() and x.requires_grad:

            def run(saved: list[Tensor], gradients: list[Tensor]) -> list[Tensor]:
                return [gradients[0] * slope(saved[0])]

            node = "".join(part.capitalize() for part in name.split("_"))
            _core.record_function(f"Special{node}Backward0", [result], [x], [x], run)
        return result if out is None else _core.mul(result, 1, out=out)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""Return {text}, element by element.

    Computed in float64; {of}. It has derivatives, which torch's has not.

    Args:
        input: A tensor of any shape and real dtype.
        out: A tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        The input's shape; its dtype if floating, else the default floating dtype. NaN where the
        function is not defined.

    Raises:
        TypeError: input is no tensor.
        DTypeError: input is complex.

    Example:
        >>> import gpukit
        >>> gpukit.special.{name}(gpukit.tensor([1.0])).shape
        (1,)
    """
    return function


_JY = "rational and asymptotic approximations of Cephes (Moshier 1989)"
_K = "Chebyshev series of Cephes (Moshier 1989); infinite at 0"
_SPHERICAL = "sin(x) / x, near 0 its power series (Abramowitz and Stegun, 10.1.2)"

bessel_j0: _Public = _function(
    "bessel_j0", "Bessel's J of order 0", _JY, _j0, lambda x: -bessel_j1(x)
)
bessel_j1: _Public = _function("bessel_j1", "Bessel's J of order 1", _JY, _j1, _slope_of_j1)
bessel_y0: _Public = _function(
    "bessel_y0",
    "Bessel's Y of order 0",
    f"{_JY}; minus infinity at 0",
    _y0,
    lambda x: -bessel_y1(x),
)
bessel_y1: _Public = _function(
    "bessel_y1",
    "Bessel's Y of order 1",
    f"{_JY}; minus infinity at 0",
    _y1,
    lambda x: bessel_y0(x) - bessel_y1(x) / x,
)
modified_bessel_k0: _Public = _function(
    "modified_bessel_k0",
    "the modified Bessel function K of order 0",
    _K,
    _k(0, False),
    lambda x: -modified_bessel_k1(x),
)
modified_bessel_k1: _Public = _function(
    "modified_bessel_k1",
    "the modified Bessel function K of order 1",
    _K,
    _k(1, False),
    lambda x: -modified_bessel_k0(x) - modified_bessel_k1(x) / x,
)
scaled_modified_bessel_k0: _Public = _function(
    "scaled_modified_bessel_k0",
    "exp(x) times the modified Bessel function K of order 0",
    _K,
    _k(0, True),
    lambda x: scaled_modified_bessel_k0(x) - scaled_modified_bessel_k1(x),
)
scaled_modified_bessel_k1: _Public = _function(
    "scaled_modified_bessel_k1",
    "exp(x) times the modified Bessel function K of order 1",
    _K,
    _k(1, True),
    lambda x: scaled_modified_bessel_k1(x) * (1 - 1 / x) - scaled_modified_bessel_k0(x),
)
spherical_bessel_j0: _Public = _function(
    "spherical_bessel_j0",
    "the spherical Bessel function j of order 0",
    _SPHERICAL,
    _spherical,
    _slope_of_spherical,
)
