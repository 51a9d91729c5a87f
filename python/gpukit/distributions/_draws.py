"""Gamma, Poisson, binomial and von Mises numbers, from uniform and normal ones of any device.

Each algorithm rejects some proposals; a round proposes for all elements and keeps what it accepts
where nothing was accepted before.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gpukit import _core
from gpukit._core import Generator, Tensor
from gpukit._tensors.limits import finfo
from gpukit.autograd import Function
from gpukit.distributions._gamma_slope import gamma_slope

_FEW = 16  # trials that are drawn one by one
_SMALL_RATE = 10.0

Proposal = Callable[[], tuple[Tensor, Tensor]]


def _uniform(like: Tensor, generator: Generator | None) -> Tensor:
    if generator is None:
        return _core.rand_like(like)
    return _core.empty_like(like).uniform_(generator=generator)


def _normal(like: Tensor, generator: Generator | None) -> Tensor:
    if generator is None:
        return _core.randn_like(like)
    return _core.empty_like(like).normal_(generator=generator)


class _StandardGamma(Function):
    """Gamma numbers of rate 1; the gradient is that of the implicit reparameterization."""

    @staticmethod
    def forward(ctx: Any, concentration: Tensor) -> Tensor:
        drawn = _gamma_numbers(concentration.detach(), None)
        ctx.save_for_backward(concentration, drawn)
        return drawn

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        concentration, drawn = ctx.saved_tensors
        return gradient * gamma_slope(concentration.detach(), drawn.detach())


def standard_gamma(concentration: Tensor) -> Tensor:
    """Gamma numbers of rate 1."""
    drawn = _StandardGamma.apply(concentration)
    assert isinstance(drawn, Tensor)
    return drawn


def _gamma_numbers(concentration: Tensor, generator: Generator | None) -> Tensor:
    """By the method of Marsaglia and Tsang (2000)."""
    small = (
        concentration < 1
    )  # drawn for concentration + 1, and multiplied by u^(1 / concentration)
    d = _core.where(small, concentration + 1, concentration) - 1 / 3
    c = 1 / (9 * d).sqrt()

    def propose() -> tuple[Tensor, Tensor]:
        x = _normal(d, generator)
        v = (1 + c * x) ** 3
        u = 1 - _uniform(d, generator)
        limit = 0.5 * x.square() + d * (1 - v + v.clamp(min=finfo(d.dtype).tiny).log())
        return d * v, (v > 0) & (u.log() < limit)

    drawn = _accepted(d, propose)
    factor = (1 - _uniform(d, generator)) ** (1 / concentration)
    return _core.where(small, drawn * factor, drawn).clamp(min=finfo(d.dtype).tiny)


def _accepted(like: Tensor, propose: Proposal) -> Tensor:
    """The first proposal that was accepted, for each element. NaN stays where nothing can be."""
    drawn = _core.full_like(like, float("nan"))
    open_ = like == like  # noqa: PLR0124 (False for NaN)
    while bool(open_.any()):
        value, accepted = propose()
        drawn = _core.where(open_ & accepted, value, drawn)
        open_ = open_ & ~accepted
    return drawn


def von_mises(concentration: Tensor) -> Tensor:
    """Angles round 0, in (-pi, pi), by the wrapped Cauchy envelope of Best and Fisher (1979)."""
    k = concentration.to(_core.float64)
    tau = 1 + (1 + 4 * k.square()).sqrt()
    rho = (tau - (2 * tau).sqrt()) / (2 * k)
    flat = k < 1e-5  # there the difference is lost, and r is nearly this
    r = _core.where(flat, 1 / k + k, (1 + rho.square()) / (2 * rho))

    def propose() -> tuple[Tensor, Tensor]:
        z = (math.pi * _uniform(r, None)).cos()
        f = (1 + r * z) / (r + z)
        c = k * (r - f)
        u = 1 - _uniform(r, None)
        angle = f.clamp(-1, 1).acos()
        side = _core.where(_uniform(r, None) < 0.5, -1.0, 1.0)
        return side * angle, (c / u).log() + 1 - c >= 0

    return _accepted(r, propose).to(concentration.dtype)


def poisson(rate: Tensor, generator: Generator | None = None) -> Tensor:
    """Poisson numbers, in the dtype of the rates."""
    rates = rate.to(_core.float64)
    small = rates < _SMALL_RATE
    drawn = _core.zeros_like(rates)
    if bool(small.any()):
        drawn = _few_events(_core.where(small, rates, 0.0), generator)
    if not bool(small.all()):
        many = _many_events(_core.where(small, _SMALL_RATE, rates), generator)
        drawn = _core.where(small, drawn, many)
    return drawn.to(rate.dtype)


def _few_events(rates: Tensor, generator: Generator | None) -> Tensor:
    """How many uniform numbers can be multiplied until their product is below exp(-rate)."""
    limit = (-rates).exp()
    product = _uniform(rates, generator)
    count = _core.zeros_like(rates)
    while bool((above := product > limit).any()):
        count = count + above.to(count.dtype)
        product = product * _uniform(rates, generator)
        product = _core.where(above, product, 0.0)
    return count


def _many_events(rates: Tensor, generator: Generator | None) -> Tensor:
    """Transformed rejection with squeeze: PTRS of Hörmann (1993)."""
    b = 0.931 + 2.53 * rates.sqrt()
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    quick = 0.9277 - 3.6224 / (b - 2)
    log_rate = rates.log()

    def propose() -> tuple[Tensor, Tensor]:
        u = _uniform(rates, generator) - 0.5
        v = 1 - _uniform(rates, generator)
        us = 0.5 - u.abs()
        k = ((2 * a / us + b) * u + rates + 0.43).floor()
        possible = (k >= 0) & ((us >= 0.013) | (v <= us))
        left = v.log() + inverse_alpha.log() - (a / us.square() + b).log()
        safe = k.clamp(min=0)
        right = safe * log_rate - rates - _core.lgamma(safe + 1)
        return k, ((us >= 0.07) & (v <= quick)) | (possible & (left <= right))

    return _accepted(rates, propose)


def binomial(count: Tensor, probability: Tensor, generator: Generator | None = None) -> Tensor:
    """Binomial numbers, in the dtype of the counts.

    While many trials are left, the middle one of their uniform numbers in order is drawn, a beta
    number; those on one side of it are decided at once (Devroye 1986, section X.4.3).
    """
    left = count.to(_core.float64)
    p = probability.to(_core.float64)
    successes = _core.zeros_like(left)
    while bool((many := left > _FEW).any()):
        middle = _core.where(many, (left / 2).floor() + 1, 1.0)
        rest = _core.where(many, left + 1 - middle, 1.0)
        low, high = _gamma_numbers(middle, generator), _gamma_numbers(rest, generator)
        y = low / (low + high)
        below = many & (y <= p)
        above = many & (y > p)
        successes = _core.where(below, successes + middle, successes)
        left = _core.where(below, left - middle, _core.where(above, middle - 1, left))
        p = _core.where(below, (p - y) / (1 - y), _core.where(above, p / y, p)).clamp(0, 1)
    for trial in range(_FEW):
        success = (_uniform(p, generator) < p) & (left > trial)
        successes = successes + success.to(successes.dtype)
    return successes.to(count.dtype)
