"""The Kullback-Leibler divergence of two distributions, by a table of pairs of families."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gpukit import _core
from gpukit._core import Tensor
from gpukit._names.suggest import module_getattr
from gpukit.distributions.bounded import ContinuousBernoulli
from gpukit.distributions.classes import Categorical, OneHotCategorical
from gpukit.distributions.counts import Bernoulli, Binomial, Geometric, Poisson
from gpukit.distributions.distribution import Distribution, sum_rightmost
from gpukit.distributions.gammas import Beta, Dirichlet, Exponential, Gamma
from gpukit.distributions.heavy_tails import Pareto
from gpukit.distributions.joined import Independent, TransformedDistribution
from gpukit.distributions.location_scale import (
    EULER,
    Cauchy,
    Gumbel,
    HalfNormal,
    Laplace,
    Normal,
    Uniform,
)
from gpukit.distributions.matrices import Wishart
from gpukit.distributions.multivariate import (
    LowRankMultivariateNormal,
    MultivariateNormal,
    divergence,
)
from gpukit.nn.functional import softplus

__all__ = ["kl_divergence", "register_kl"]

Formula = Callable[[Any, Any], Tensor]
_FORMULAS: dict[tuple[type, type], Formula] = {}


def register_kl(type_p: type, type_q: type) -> Callable[[Formula], Formula]:
    """Return a decorator for the function that computes the divergence of two families.

    Args:
        type_p: The class of the first distribution.
        type_q: The class of the second.

    Raises:
        TypeError: One of them is no class of distributions.

    Example:
        >>> from gpukit.distributions import Normal, register_kl
        >>> class Mine(Normal):
        ...     pass
        >>> @register_kl(Mine, Mine)
        ... def none(p, q):
        ...     return p.loc * 0
    """
    for name, kind in (("type_p", type_p), ("type_q", type_q)):
        if not (isinstance(kind, type) and issubclass(kind, Distribution)):
            raise TypeError(f"Expected {name} to be a Distribution subclass but got {kind}")

    def register(function: Formula) -> Formula:
        _FORMULAS[type_p, type_q] = function
        return function

    return register


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """Return the Kullback-Leibler divergence of two distributions in nats.

    Args:
        p: The distribution over which the mean is taken.
        q: The other.

    Returns:
        One for each place of the batch.

    Raises:
        NotImplementedError: No formula is registered for the two families.

    Example:
        >>> from gpukit.distributions import Normal, kl_divergence
        >>> kl_divergence(Normal(0.0, 1.0), Normal(1.0, 1.0))
        tensor(0.5000)
    """
    kinds_q = type(q).__mro__
    for kind_p in type(p).__mro__:  # the nearest class of p first, then that of q
        for kind_q in kinds_q:
            formula = _FORMULAS.get((kind_p, kind_q))
            if formula is not None:
                return formula(p, q)
    raise NotImplementedError(
        f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}"
    )


def _infinite_where(condition: Tensor, found: Tensor) -> Tensor:
    return _core.where(condition, math.inf, found)


@register_kl(Normal, Normal)
def _normal(p: Normal, q: Normal) -> Tensor:
    ratio = (p.scale / q.scale).square()
    far = ((p.loc - q.loc) / q.scale).square()
    return 0.5 * (ratio + far - 1 - ratio.log())


@register_kl(MultivariateNormal, MultivariateNormal)
@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
@register_kl(MultivariateNormal, LowRankMultivariateNormal)
@register_kl(LowRankMultivariateNormal, MultivariateNormal)
def _normal_vectors(p: Any, q: Any) -> Tensor:
    if p.event_shape != q.event_shape:
        raise ValueError(
            "KL-divergence between two (Low Rank) Multivariate Normals with different event "
            f"shapes cannot be computed: {p.event_shape} and {q.event_shape}"
        )
    return divergence(p, q)


@register_kl(Wishart, Wishart)
def _wishart(p: Wishart, q: Wishart) -> Tensor:
    trace = p.df * (q.precision_matrix * p.covariance_matrix).sum((-2, -1))
    return -p.entropy() - q._log_density(p._mean_log_determinant(), trace)


@register_kl(HalfNormal, HalfNormal)
def _half_normal(p: HalfNormal, q: HalfNormal) -> Tensor:
    return _normal(p._whole, q._whole)


@register_kl(Laplace, Laplace)
def _laplace(p: Laplace, q: Laplace) -> Tensor:
    ratio, far = p.scale / q.scale, (p.loc - q.loc).abs()
    return -ratio.log() + far / q.scale + ratio * (-far / p.scale).exp() - 1


@register_kl(Cauchy, Cauchy)
def _cauchy(p: Cauchy, q: Cauchy) -> Tensor:
    above = ((p.scale + q.scale).square() + (p.loc - q.loc).square()).log()
    return above - (4 * p.scale * q.scale).log()


@register_kl(Gumbel, Gumbel)
def _gumbel(p: Gumbel, q: Gumbel) -> Tensor:
    ratio = p.scale / q.scale
    p_loc, q_loc = p.loc / q.scale, q.loc / q.scale
    lgamma_part = (q_loc - p_loc + _core.lgamma(1 + ratio)).exp()
    return (p_loc - q_loc) - ratio.log() + ratio * EULER + lgamma_part - (1 + EULER)


@register_kl(Uniform, Uniform)
def _uniform(p: Uniform, q: Uniform) -> Tensor:
    found = ((q.high - q.low) / (p.high - p.low)).log()
    return _infinite_where((q.low > p.low) | (q.high < p.high), found)


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p: Bernoulli, q: Bernoulli) -> Tensor:
    ones = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    ones = _core.where(p.probs == 0, 0.0, _infinite_where(q.probs == 0, ones))
    zeros = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    zeros = _core.where(p.probs == 1, 0.0, _infinite_where(q.probs == 1, zeros))
    return ones + zeros


@register_kl(Binomial, Binomial)
def _binomial(p: Binomial, q: Binomial) -> Tensor:
    if bool((p.total_count < q.total_count).any()):
        raise NotImplementedError(
            "KL between Binomials where q.total_count > p.total_count is not implemented"
        )
    found = p.total_count * (
        p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p()
    )
    return _infinite_where((p.total_count > q.total_count).expand(found.shape), found)


@register_kl(Geometric, Geometric)
def _geometric(p: Geometric, q: Geometric) -> Tensor:
    return -p.entropy() - (-q.probs).log1p() / p.probs - q.logits  # type: ignore[no-any-return]


@register_kl(Poisson, Poisson)
def _poisson(p: Poisson, q: Poisson) -> Tensor:
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(Categorical, Categorical)
def _categorical(p: Categorical, q: Categorical) -> Tensor:
    each = p.probs * (p.logits - q.logits)
    each = _infinite_where((q.probs == 0).expand(each.shape), each)
    return _core.where((p.probs == 0).expand(each.shape), 0.0, each).sum(-1)


@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hot(p: OneHotCategorical, q: OneHotCategorical) -> Tensor:
    return _categorical(p, q)


@register_kl(Exponential, Exponential)
def _exponential(p: Exponential, q: Exponential) -> Tensor:
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@register_kl(Gamma, Gamma)
def _gamma(p: Gamma, q: Gamma) -> Tensor:
    return (
        q.concentration * (p.rate / q.rate).log()
        + _core.lgamma(q.concentration)
        - _core.lgamma(p.concentration)
        + (p.concentration - q.concentration) * _core.digamma(p.concentration)
        + (q.rate - p.rate) * (p.concentration / p.rate)
    )


@register_kl(Beta, Beta)
def _beta(p: Beta, q: Beta) -> Tensor:
    return _dirichlet(p._dirichlet, q._dirichlet)


@register_kl(Dirichlet, Dirichlet)
def _dirichlet(p: Dirichlet, q: Dirichlet) -> Tensor:
    p_total, q_total = p.concentration.sum(-1), q.concentration.sum(-1)
    totals = _core.lgamma(p_total) - _core.lgamma(q_total)
    parts = (_core.lgamma(p.concentration) - _core.lgamma(q.concentration)).sum(-1)
    moved = _core.digamma(p.concentration) - _core.digamma(p_total).unsqueeze(-1)
    return totals - parts + ((p.concentration - q.concentration) * moved).sum(-1)


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _continuous_bernoulli(p: ContinuousBernoulli, q: ContinuousBernoulli) -> Tensor:
    moved = p.mean * (p.logits - q.logits)
    rest = p._log_constant() + (-p.probs).log1p() - q._log_constant() - (-q.probs).log1p()
    return moved + rest  # type: ignore[no-any-return]


@register_kl(Pareto, Pareto)
def _pareto(p: Pareto, q: Pareto) -> Tensor:
    ratio = q.alpha / p.alpha
    found = q.alpha * (p.scale / q.scale).log() - ratio.log() + ratio - 1
    return _infinite_where(p.scale < q.scale, found)


@register_kl(Independent, Independent)
def _independent(p: Independent, q: Independent) -> Tensor:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    found = kl_divergence(p.base_dist, q.base_dist)
    return sum_rightmost(found, p.reinterpreted_batch_ndims)


@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed(p: TransformedDistribution, q: TransformedDistribution) -> Tensor:
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    return kl_divergence(p.base_dist, q.base_dist)


__getattr__ = module_getattr(__name__)
