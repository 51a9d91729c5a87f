"""Divergences of pairs of different families: -H(p) - E_p[log q], by the moments of p."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gpukit import _core
from gpukit._core import Tensor
from gpukit.distributions.bounded import ContinuousBernoulli
from gpukit.distributions.counts import Bernoulli, Binomial, Poisson
from gpukit.distributions.distribution import LOG_2PI
from gpukit.distributions.gammas import Beta, Exponential, Gamma
from gpukit.distributions.heavy_tails import Pareto
from gpukit.distributions.kl import register_kl
from gpukit.distributions.location_scale import EULER, Gumbel, Laplace, Normal, Uniform

__all__: list[str] = []

# Where p has values at which q has none.
_NEVER: list[tuple[tuple[type, ...], tuple[type, ...]]] = [
    ((Poisson,), (Bernoulli, Binomial)),
    ((Beta, ContinuousBernoulli), (Pareto,)),
    ((Exponential, Gamma), (Uniform, Pareto, ContinuousBernoulli, Beta)),
    ((Pareto,), (Uniform, ContinuousBernoulli, Beta)),
    (
        (Gumbel, Laplace, Normal),
        (Uniform, Pareto, Gamma, Exponential, ContinuousBernoulli, Beta),
    ),
]


def _infinite(p: Any, q: Any) -> Tensor:
    shape = _core.broadcast_shapes(p.batch_shape, q.batch_shape)
    like = p.mean
    return _core.full(shape, math.inf, dtype=like.dtype, device=like.device)


def _mean_log(p: Any) -> Tensor:
    """The mean of log(x)."""
    if isinstance(p, Beta):
        total = p.concentration1 + p.concentration0
        return _core.digamma(p.concentration1) - _core.digamma(total)
    if isinstance(p, Gamma):
        return _core.digamma(p.concentration) - p.rate.log()
    if isinstance(p, Exponential):
        return -EULER - p.rate.log()
    if isinstance(p, Pareto):
        return p.scale.log() + p.alpha.reciprocal()
    return _uniform_mean_log(p.low, p.high)


def _uniform_mean_log(low: Tensor, high: Tensor) -> Tensor:
    low, high = low.clamp(min=0), high.clamp(min=0)
    return (_core.xlogy(high, high) - _core.xlogy(low, low)) / (high - low) - 1


def _mean_exp(p: Any, t: Tensor) -> Tensor:
    """The mean of exp(-t x)."""
    if isinstance(p, Exponential):
        return p.rate / (p.rate + t)
    if isinstance(p, Gamma):
        return (p.rate / (p.rate + t)) ** p.concentration
    if isinstance(p, Normal):
        return (-p.loc * t + (p.scale * t).square() / 2).exp()
    return ((-p.low * t).exp() - (-p.high * t).exp()) / (t * (p.high - p.low))  # type: ignore[no-any-return]


def _in_normal(p: Any, q: Normal) -> Tensor:
    far = (p.variance + (p.mean - q.loc).square()) / (2 * q.scale.square())
    return -far - q.scale.log() - 0.5 * LOG_2PI  # type: ignore[no-any-return]


def _in_exponential(p: Any, q: Exponential) -> Tensor:
    return q.rate.log() - q.rate * p.mean  # type: ignore[no-any-return]


def _in_gamma(p: Any, q: Gamma) -> Tensor:
    constant = q.concentration * q.rate.log() - _core.lgamma(q.concentration)
    return constant + (q.concentration - 1) * _mean_log(p) - q.rate * p.mean  # type: ignore[no-any-return]


def _in_gumbel(p: Any, q: Gumbel) -> Tensor:
    t = q.scale.reciprocal()
    return (q.loc - p.mean) * t - (q.loc * t).exp() * _mean_exp(p, t) - q.scale.log()  # type: ignore[no-any-return]


def _in_continuous_bernoulli(p: Any, q: ContinuousBernoulli) -> Tensor:
    return p.mean * q.logits + (-q.probs).log1p() + q._log_constant()  # type: ignore[no-any-return]


def _in_uniform(_p: Any, q: Uniform) -> Tensor:
    missed = (q.low > 0) | (q.high < 1)  # some of p's, which are in (0, 1)
    return _core.where(missed, -math.inf, -(q.high - q.low).log())


def _in_beta(p: Uniform, q: Beta) -> Tensor:
    a, b = q.concentration1, q.concentration0
    constant = _core.lgamma(a + b) - _core.lgamma(a) - _core.lgamma(b)
    beside = _uniform_mean_log(1 - p.high, 1 - p.low)
    return constant + (a - 1) * _mean_log(p) + (b - 1) * beside


def _in_pareto(p: Uniform, q: Pareto) -> Tensor:
    found = q.alpha.log() + q.alpha * q.scale.log() - (q.alpha + 1) * _mean_log(p)
    return _core.where(p.low < q.scale, -math.inf, found)


def _in_laplace(p: Normal, q: Laplace) -> Tensor:
    far = (p.loc - q.loc) / p.scale
    distance = math.sqrt(2 / math.pi) * (-far.square() / 2).exp()
    distance = p.scale * (distance + far * (far / math.sqrt(2)).erf())
    return -distance / q.scale - (2 * q.scale).log()


def _in_poisson(p: Bernoulli, q: Poisson) -> Tensor:
    return p.probs * q.rate.log() - q.rate  # type: ignore[no-any-return]


def _by(mean_of_log: Callable[[Any, Any], Tensor]) -> Callable[[Any, Any], Tensor]:
    return lambda p, q: -p.entropy() - mean_of_log(p, q)


def _of_uniform(mean_of_log: Callable[[Any, Any], Tensor], high: float) -> Any:
    """Of a uniform distribution, infinite where it is wider than from 0 to `high`."""

    def divergence(p: Uniform, q: Any) -> Tensor:
        outside = (p.low < 0) | (p.high > high)
        return _core.where(outside, math.inf, -p.entropy() - mean_of_log(p, q))

    return divergence


def _of_pareto(mean_of_log: Callable[[Any, Any], Tensor], least: float) -> Any:
    """Of a Pareto distribution, infinite where its alpha has no mean or no variance."""

    def divergence(p: Pareto, q: Any) -> Tensor:
        endless = p.alpha <= least
        known = Pareto(p.scale, _core.where(endless, least + 1, p.alpha), validate_args=False)
        return _core.where(endless, math.inf, -known.entropy() - mean_of_log(known, q))

    return divergence


# The mean of log q, and the families of p.
_FINITE: list[tuple[type, Callable[[Any, Any], Tensor], tuple[type, ...]]] = [
    (
        Normal,
        _in_normal,
        (Beta, ContinuousBernoulli, Exponential, Gamma, Gumbel, Laplace, Uniform),
    ),
    (Exponential, _in_exponential, (Beta, ContinuousBernoulli, Gamma)),
    (Gamma, _in_gamma, (Beta, Exponential)),
    (Gumbel, _in_gumbel, (Exponential, Gamma, Normal, Uniform)),
    (ContinuousBernoulli, _in_continuous_bernoulli, (Beta,)),
    (Uniform, _in_uniform, (Beta, ContinuousBernoulli)),
    (Pareto, _in_pareto, (Uniform,)),
    (Laplace, _in_laplace, (Normal,)),
    (Poisson, _in_poisson, (Bernoulli,)),
]

for _q, _mean_of_log, _families in _FINITE:
    for _p in _families:
        register_kl(_p, _q)(_by(_mean_of_log))
for _q, _mean_of_log, _high in (
    (Exponential, _in_exponential, math.inf),
    (Gamma, _in_gamma, math.inf),
    (Beta, _in_beta, 1.0),
    (ContinuousBernoulli, _in_continuous_bernoulli, 1.0),
):
    register_kl(Uniform, _q)(_of_uniform(_mean_of_log, _high))
for _q, _mean_of_log, _least in (
    (Exponential, _in_exponential, 1.0),
    (Gamma, _in_gamma, 1.0),
    (Normal, _in_normal, 2.0),
):
    register_kl(Pareto, _q)(_of_pareto(_mean_of_log, _least))
for _ps, _qs in _NEVER:
    for _p in _ps:
        for _q in _qs:
            register_kl(_p, _q)(_infinite)
