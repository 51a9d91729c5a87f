"""How a gamma number moves with its concentration while its distribution function stays the same.

dx/da = -(dP/da) / (dP/dx), where P(a, x) is the distribution function of rate 1.
"""

from __future__ import annotations

from gpukit import _core
from gpukit._core import Tensor

_LARGE = 8.0  # concentrations from here on go by the saddle point
_FAR = 20.0  # above the concentration: the tail's series
_TERMS = 90
_TAIL_TERMS = 26


def gamma_slope(concentration: Tensor, x: Tensor) -> Tensor:
    """The derivative, in the dtype of x."""
    a, value = concentration.to(_core.float64), x.to(_core.float64)
    large = a >= _LARGE
    small_a = _core.where(large, 1.0, a)
    small_x = _core.where(large, 1.0, value)
    far = small_x > small_a + _FAR
    slope = _core.where(
        far,
        _by_tail(small_a, _core.where(far, small_x, small_a + _FAR)),
        _by_series(small_a, _core.where(far, small_a, small_x)),
    )
    if bool(large.any()):
        saddle = _by_saddle_point(_core.where(large, a, _LARGE), _core.where(large, value, _LARGE))
        slope = _core.where(large, saddle, slope)
    return slope.to(x.dtype)


def _by_series(a: Tensor, x: Tensor) -> Tensor:
    """P = x^a exp(-x) / gamma(a + 1) * S, S the sum of x^n / ((a + 1) ... (a + n))."""
    term = _core.ones_like(x)
    total, slope, harmonic = term, _core.zeros_like(x), _core.zeros_like(x)
    for n in range(1, _TERMS):
        inverse = 1 / (a + n)
        term = term * x * inverse
        harmonic = harmonic + inverse  # of the term's logarithm: -harmonic
        total = total + term
        slope = slope - term * harmonic
    log_x = x.clamp(min=1e-300).log()
    return -(x / a) * (total * (log_x - _core.digamma(a + 1)) + slope)


def _by_tail(a: Tensor, x: Tensor) -> Tensor:
    """1 - P = x^(a - 1) exp(-x) / gamma(a) * T, T the sum of (a - 1) ... (a - k) / x^k."""
    term, term_slope = _core.ones_like(x), _core.zeros_like(x)
    total, slope = term, term_slope
    for k in range(1, _TAIL_TERMS):
        term_slope = (term_slope * (a - k) + term) / x
        term = term * (a - k) / x
        total, slope = total + term, slope + term_slope
    return total * (x.log() - _core.digamma(a)) + slope


def _by_saddle_point(a: Tensor, x: Tensor) -> Tensor:
    """P is nearly the normal distribution at r + log(u / r) / r (Barndorff-Nielsen 1986).

    With r = sqrt(a) eta, eta^2 / 2 = l - 1 - log(l), l = x / a, and u / r = (l - 1) / eta.
    """
    ratio = x / a
    e = ratio - 1
    near = e.abs() < 0.02
    far_e = _core.where(near, 0.5, e)
    far_eta = far_e.sign() * (2 * (far_e - far_e.log1p())).sqrt()
    near_eta = e * (1 + e * (-1 / 3 + e * (7 / 36 + e * (-73 / 540 + e * (1331 / 12960)))))
    eta = _core.where(near, near_eta, far_eta)
    safe_eta = _core.where(near, 0.5, eta)
    g = _core.where(near, 1 + eta * (1 / 3 + eta * (1 / 36 - eta / 270)), e / safe_eta)
    eta_slope = g / ratio
    g_slope = (ratio / g - g) / safe_eta
    h = _core.where(near, 1 / 3 - eta / 36 - eta * eta / 1620, g.log() / safe_eta)
    far_h_slope = g_slope / g / safe_eta - g.log() / safe_eta.square()
    h_slope = _core.where(near, -1 / 36 - eta / 810, far_h_slope)
    return ratio - (a * eta - h) / (2 * eta_slope * (a + h_slope))


def gamma_share(concentration: Tensor, x: Tensor) -> Tensor:
    """The distribution function of rate 1, by the series below its knee and a fraction above."""
    a, value = _core.broadcast_tensors(concentration, x)
    a, value = a.to(_core.float64), value.to(_core.float64)
    above = value > a + 1
    inside = (value > 0) & (value < float("inf"))
    low = _core.where(above | ~inside, a, value)
    high = _core.where(above & inside, value, a + 2)
    term = total = 1 / a
    count = 0
    while bool((term > total * 1e-17).any()):
        count += 1
        term = term * low / (a + count)
        total = total + term
    by_series = total * (a * low.log() - low - _core.lgamma(a)).exp()
    by_fraction = 1 - _fraction(a, high) * (a * high.log() - high - _core.lgamma(a)).exp()
    found = _core.where(above, by_fraction, by_series)
    ends = _core.where(value == float("inf"), 1.0, value * 0)
    return _core.where(inside, found, ends).to(x.dtype)


def _fraction(a: Tensor, x: Tensor) -> Tensor:
    """The continued fraction of 1 - P, by the method of Lentz."""
    b = x + 1 - a
    c, d = _core.full_like(x, 1e300), 1 / b
    found = d
    count = 0
    moving = found == found  # noqa: PLR0124 (False for NaN)
    while bool(moving.any()):
        count += 1
        factor = count * (a - count)
        b = b + 2
        d = 1 / (b + factor * d)
        c = b + factor / c
        found = found * (d * c)
        moving = (d * c - 1).abs() > 1e-15
    return found
