"""Distributions of shares and lifetimes: Kumaraswamy, logistic normal, Weibull and others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

from gpukit import _core
from gpukit._core import Tensor
from gpukit.distributions import constraints
from gpukit.distributions.counts import _Odds
from gpukit.distributions.distribution import (
    ExponentialFamily,
    broadcast_all,
    clamped,
    uniform_like,
)
from gpukit.distributions.gammas import Exponential
from gpukit.distributions.joined import TransformedDistribution
from gpukit.distributions.location_scale import EULER, Normal, Uniform
from gpukit.distributions.transforms import (
    AffineTransform,
    PowerTransform,
    StickBreakingTransform,
)
from gpukit.nn.functional import binary_cross_entropy_with_logits

__all__ = ["ContinuousBernoulli", "Kumaraswamy", "LogisticNormal", "Weibull"]


class Weibull(TransformedDistribution):
    """Weibull's distribution of lifetimes (Johnson, Kotz and Balakrishnan 1994, chapter 21).

    Args:
        scale: Above 0; a share of 1 - 1/e of the values is below it.
        concentration: The shape, above 0; 1 gives the exponential distribution.
        validate_args: Check parameters and values.

    Raises:
        ValueError: A parameter is not positive.

    Example:
        >>> from gpukit.distributions import Weibull
        >>> Weibull(2.0, 1.0).mean
        tensor(2.)
    """

    arg_constraints: Any = {  # noqa: RUF012
        "scale": constraints.positive,
        "concentration": constraints.positive,
    }
    support = constraints.positive
    _expanded: ClassVar[dict[str, int]] = {"scale": 0, "concentration": 0}

    def __init__(self, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.scale, self.concentration = broadcast_all("Weibull", scale, concentration)
        base = Exponential(_core.ones_like(self.scale), validate_args=False)
        parts = [
            PowerTransform(self.concentration.reciprocal()),
            AffineTransform(0.0, self.scale),
        ]
        super().__init__(base, parts, validate_args=validate_args)

    def _moment(self, order: int) -> Tensor:
        """The mean of a power of value / scale."""
        return _core.lgamma(1 + order / self.concentration).exp()

    @property
    def mean(self) -> Tensor:
        return self.scale * self._moment(1)

    @property
    def mode(self) -> Tensor:
        k = self.concentration
        return self.scale * ((k - 1) / k).clamp(min=0) ** k.reciprocal()

    @property
    def variance(self) -> Tensor:
        return self.scale.square() * (self._moment(2) - self._moment(1).square())

    def entropy(self) -> Tensor:
        k = self.concentration
        return EULER * (1 - k.reciprocal()) + (self.scale / k).log() + 1


class Kumaraswamy(TransformedDistribution):
    """Kumaraswamy's distribution of a share, with a distribution function in closed form.

    Moments, mode and entropy are those of Jones (2009).

    Args:
        concentration1: Above 0; larger values move the mean to 1.
        concentration0: Above 0; larger values move the mean to 0.
        validate_args: Check parameters and values.

    Raises:
        ValueError: A parameter is not positive.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions import Kumaraswamy
        >>> Kumaraswamy(1.0, 2.0).cdf(gpukit.tensor(0.5))
        tensor(0.7500)
    """

    arg_constraints: Any = {  # noqa: RUF012
        "concentration1": constraints.positive,
        "concentration0": constraints.positive,
    }
    support = constraints.unit_interval
    has_rsample = True
    _expanded: ClassVar[dict[str, int]] = {"concentration1": 0, "concentration0": 0}

    def __init__(
        self, concentration1: Any, concentration0: Any, validate_args: bool | None = None
    ) -> None:
        both = broadcast_all("Kumaraswamy", concentration1, concentration0)
        self.concentration1, self.concentration0 = both
        low = _core.zeros_like(self.concentration0)
        base = Uniform(low, _core.ones_like(low), validate_args=False)
        parts = [
            PowerTransform(self.concentration0.reciprocal()),
            AffineTransform(1.0, -1.0),
            PowerTransform(self.concentration1.reciprocal()),
        ]
        super().__init__(base, parts, validate_args=validate_args)

    def _moment(self, order: int) -> Tensor:
        b, first = self.concentration0, 1 + order / self.concentration1
        return (b.log() + _core.lgamma(first) + _core.lgamma(b) - _core.lgamma(first + b)).exp()

    @property
    def mean(self) -> Tensor:
        return self._moment(1)

    @property
    def mode(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        known = (a >= 1) & (b >= 1) & (a * b > 1)
        ratio = _core.where(known, (a - 1) / (a * b - 1), math.nan)
        return ratio ** a.reciprocal()

    @property
    def variance(self) -> Tensor:
        return self._moment(2) - self._moment(1).square()

    def entropy(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        harmonic = _core.digamma(b + 1) + EULER
        rest = (1 - b.reciprocal()) + (1 - a.reciprocal()) * harmonic
        return rest - a.log() - b.log()


class LogisticNormal(TransformedDistribution):
    """The distribution of n + 1 probabilities, made of n normal numbers by breaking a stick.

    A logistic-normal distribution of Aitchison and Shen (1980) in other coordinates.

    Args:
        loc: The means of the numbers, along the last dimension.
        scale: Their standard deviations, above 0.
        validate_args: Check parameters and values.

    Raises:
        ValueError: scale is not positive.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions import LogisticNormal
        >>> LogisticNormal(gpukit.zeros(3), gpukit.ones(3)).sample().shape
        (4,)
    """

    arg_constraints: Any = {"loc": constraints.real, "scale": constraints.positive}  # noqa: RUF012
    support = constraints.simplex
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        base = Normal(loc, scale, validate_args=False)
        if not base.batch_shape:
            base = base.expand((1,))
        super().__init__(base, StickBreakingTransform(), validate_args=validate_args)

    @property
    def loc(self) -> Tensor:
        """The means of the numbers."""
        return self.base_dist.base_dist.loc  # type: ignore[no-any-return]

    @property
    def scale(self) -> Tensor:
        """The standard deviations of the numbers."""
        return self.base_dist.base_dist.scale  # type: ignore[no-any-return]


class ContinuousBernoulli(_Odds, ExponentialFamily):
    """A share with the density of a Bernoulli variable, of Loaiza-Ganem and Cunningham (2019).

    Near probs = 0.5 the constant of the density and the moments are their Taylor series there.

    Args:
        probs: A parameter in (0, 1), which is not the mean.
        logits: The logarithm of its odds, in place of probs.
        lims: Between these values of probs the series is used.
        validate_args: Check parameters and values.

    Raises:
        ValueError: Both or neither of probs and logits are given, or probs is outside of [0, 1].

    Example:
        >>> import gpukit
        >>> from gpukit.distributions import ContinuousBernoulli
        >>> ContinuousBernoulli(gpukit.tensor(0.5)).log_prob(gpukit.tensor(0.3))
        tensor(0.)
    """

    support = constraints.unit_interval
    has_rsample = True

    def __init__(
        self,
        probs: Any = None,
        logits: Any = None,
        lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ) -> None:
        self._lims = lims
        self._take(probs, logits)
        super().__init__(self._given.shape, validate_args=validate_args)
        if "probs" in self.__dict__:
            self.probs = clamped(self.probs)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new._lims = self._lims
        return new

    def _near_half(self) -> tuple[Tensor, Tensor, Tensor]:
        """Where the series is used, probs apart from there, and (probs - 0.5) squared."""
        low, high = self._lims
        near = (self.probs > low) & (self.probs <= high)
        return near, _core.where(near, low, self.probs), (self.probs - 0.5).square()

    def _log_constant(self) -> Tensor:
        near, probs, x = self._near_half()
        edge = 1 - 2 * probs
        exact = math.log(2) + (edge.atanh() / edge).log()
        return _core.where(near, math.log(2) + (4 / 3 + 104 / 45 * x) * x, exact)

    @property
    def mean(self) -> Tensor:
        near, probs, x = self._near_half()
        exact = probs / (2 * probs - 1) + 0.5 / (1 - 2 * probs).atanh()
        series = 0.5 + (1 / 3 + 16 / 45 * x) * (self.probs - 0.5)
        return _core.where(near, series, exact)

    @property
    def variance(self) -> Tensor:
        near, probs, x = self._near_half()
        edge = 1 - 2 * probs
        exact = probs * (probs - 1) / edge.square() + 0.25 / edge.atanh().square()
        return _core.where(near, 1 / 12 - (1 / 15 - 128 / 945 * x) * x, exact)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self.icdf(uniform_like(self, self._given, sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all("ContinuousBernoulli", self.logits, value)
        loss = binary_cross_entropy_with_logits(logits, value, reduction="none")
        return self._log_constant() - loss

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        near, probs, _ = self._near_half()
        exact = probs**value * (1 - probs) ** (1 - value) + probs - 1
        found = _core.where(near, value, exact / (2 * probs - 1))
        return found.clamp(0, 1)

    def icdf(self, value: Tensor) -> Tensor:
        near, probs, _ = self._near_half()
        low = (-probs).log1p()
        moved = (-probs + value * (2 * probs - 1)).log1p() - low
        return _core.where(near, value, moved / (probs.log() - low))

    def entropy(self) -> Tensor:
        return -self.mean * self.logits - (-self.probs).log1p() - self._log_constant()  # type: ignore[no-any-return]
