"""Distributions with heavy tails: Pareto and its generalization, half-Cauchy, others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

from gpukit import _core
from gpukit._core import Tensor
from gpukit.distributions import constraints
from gpukit.distributions._draws import standard_gamma
from gpukit.distributions.distribution import (
    Distribution,
    broadcast_all,
    tiny,
    uniform_like,
)
from gpukit.distributions.gammas import Exponential, Gamma
from gpukit.distributions.joined import TransformedDistribution
from gpukit.distributions.location_scale import Cauchy
from gpukit.distributions.transforms import (
    AbsTransform,
    AffineTransform,
    ExpTransform,
    PowerTransform,
)

__all__ = ["FisherSnedecor", "GeneralizedPareto", "HalfCauchy", "InverseGamma", "Pareto"]


class Pareto(TransformedDistribution):
    """Pareto's distribution of the first kind (Johnson, Kotz and Balakrishnan 1994, chapter 20).

    Args:
        scale: The smallest value, above 0.
        alpha: How fast the tail falls, above 0.
        validate_args: Check parameters and values.

    Raises:
        ValueError: A parameter is not positive.

    Example:
        >>> from gpukit.distributions import Pareto
        >>> Pareto(1.0, 3.0).mean
        tensor(1.5000)
    """

    arg_constraints: Any = {"alpha": constraints.positive, "scale": constraints.positive}  # noqa: RUF012
    _expanded: ClassVar[dict[str, int]] = {"alpha": 0, "scale": 0}

    def __init__(self, scale: Any, alpha: Any, validate_args: bool | None = None) -> None:
        self.scale, self.alpha = broadcast_all("Pareto", scale, alpha)
        parts = [ExpTransform(), AffineTransform(0.0, self.scale)]
        base = Exponential(self.alpha, validate_args=False)
        super().__init__(base, parts, validate_args=validate_args)

    @property
    def support(self) -> Any:
        return constraints.greater_than_eq(self.scale)

    @property
    def mean(self) -> Tensor:
        a = self.alpha.clamp(min=1)  # infinite from there on
        return a * self.scale / (a - 1)

    @property
    def mode(self) -> Tensor:
        return self.scale

    @property
    def variance(self) -> Tensor:
        a = self.alpha.clamp(min=2)
        return self.scale.square() * a / ((a - 1).square() * (a - 2))

    def entropy(self) -> Tensor:
        return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())


class HalfCauchy(TransformedDistribution):
    """The distribution of the distance of a Cauchy variable from its median.

    Its use for scales of hierarchical models is that of Gelman (2006).

    Args:
        scale: The median, above 0.
        validate_args: Check parameters and values.

    Raises:
        ValueError: scale is not positive.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions import HalfCauchy
        >>> HalfCauchy(1.0).cdf(gpukit.tensor(1.0))
        tensor(0.5000)
    """

    arg_constraints: Any = {"scale": constraints.positive}  # noqa: RUF012
    support = constraints.nonnegative
    has_rsample = True

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        base = Cauchy(0.0, scale, validate_args=False)
        super().__init__(base, AbsTransform(), validate_args=validate_args)

    @property
    def scale(self) -> Tensor:
        """The median."""
        return self.base_dist.scale  # type: ignore[no-any-return]

    @property
    def mean(self) -> Tensor:
        return _core.full_like(self.scale, math.inf)

    @property
    def mode(self) -> Tensor:
        return _core.zeros_like(self.scale)

    @property
    def variance(self) -> Tensor:
        return _core.full_like(self.scale, math.inf)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        value = _core.as_tensor(value, dtype=self.scale.dtype, device=self.scale.device)
        found = self.base_dist.log_prob(value) + math.log(2)
        return _core.where(value >= 0, found, -math.inf)

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return 2 * self.base_dist.cdf(value) - 1  # type: ignore[no-any-return]

    def icdf(self, value: Tensor) -> Tensor:
        return self.base_dist.icdf((value + 1) / 2)  # type: ignore[no-any-return]

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() - math.log(2)  # type: ignore[no-any-return]


class InverseGamma(TransformedDistribution):
    """The distribution of 1 / x, x of a gamma distribution (Gelman et al. 2013, appendix A).

    Args:
        concentration: The shape, above 0.
        rate: The scale of the values, which is the rate of x, above 0.
        validate_args: Check parameters and values.

    Raises:
        ValueError: A parameter is not positive.

    Example:
        >>> from gpukit.distributions import InverseGamma
        >>> InverseGamma(3.0, 1.0).mean
        tensor(0.5000)
    """

    arg_constraints: Any = {  # noqa: RUF012
        "concentration": constraints.positive,
        "rate": constraints.positive,
    }
    support = constraints.positive
    has_rsample = True

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        base = Gamma(concentration, rate, validate_args=False)
        power = PowerTransform(_core.full_like(base.rate, -1.0))
        super().__init__(base, power, validate_args=validate_args)

    @property
    def concentration(self) -> Tensor:
        """The shape."""
        return self.base_dist.concentration  # type: ignore[no-any-return]

    @property
    def rate(self) -> Tensor:
        """The scale of the values."""
        return self.base_dist.rate  # type: ignore[no-any-return]

    @property
    def mean(self) -> Tensor:
        a = self.concentration
        return _core.where(a > 1, self.rate / (a - 1), math.inf)

    @property
    def mode(self) -> Tensor:
        return self.rate / (self.concentration + 1)

    @property
    def variance(self) -> Tensor:
        a = self.concentration
        found = self.rate.square() / ((a - 1).square() * (a - 2))
        return _core.where(a > 2, found, math.inf)

    def entropy(self) -> Tensor:
        a = self.concentration
        return a + self.rate.log() + _core.lgamma(a) - (1 + a) * _core.digamma(a)


class FisherSnedecor(Distribution):
    """The F distribution: of the ratio of two mean squares (Johnson et al. 1995, chapter 27).

    Args:
        df1: Degrees of freedom of the numerator, above 0.
        df2: Those of the denominator, above 0.
        validate_args: Check parameters and values.

    Raises:
        ValueError: A parameter is not positive.

    Example:
        >>> from gpukit.distributions import FisherSnedecor
        >>> FisherSnedecor(1.0, 4.0).mean
        tensor(2.)
    """

    arg_constraints: Any = {"df1": constraints.positive, "df2": constraints.positive}  # noqa: RUF012
    support = constraints.positive
    has_rsample = True
    _expanded: ClassVar[dict[str, int]] = {"df1": 0, "df2": 0}

    def __init__(self, df1: Any, df2: Any, validate_args: bool | None = None) -> None:
        self.df1, self.df2 = broadcast_all("FisherSnedecor", df1, df2)
        super().__init__(self.df1.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return _core.where(self.df2 > 2, self.df2 / (self.df2 - 2), math.nan)

    @property
    def mode(self) -> Tensor:
        found = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        return _core.where(self.df1 > 2, found, math.nan)

    @property
    def variance(self) -> Tensor:
        a, b = self.df1, self.df2
        found = 2 * b.square() * (a + b - 2) / (a * (b - 2).square() * (b - 4))
        return _core.where(b > 4, found, math.nan)

    def _mean_square(self, df: Tensor, shape: tuple[int, ...]) -> Tensor:
        drawn = standard_gamma((df / 2).expand(shape)) / (df / 2)
        return drawn.clamp(min=tiny(drawn.dtype))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        ratio = self._mean_square(self.df1, shape) / self._mean_square(self.df2, shape)
        return ratio.clamp(min=tiny(ratio.dtype))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        a, b = self.df1 / 2, self.df2 / 2
        ratio = self.df1 / self.df2
        log_beta = _core.lgamma(a) + _core.lgamma(b) - _core.lgamma(a + b)
        tail = (a + b) * (ratio * value).log1p()
        return a * ratio.log() + (a - 1) * value.log() - tail - log_beta


class GeneralizedPareto(Distribution):
    """The distribution of what is above a high threshold (Pickands 1975).

    Args:
        loc: The smallest value.
        scale: Above 0.
        concentration: The shape: below 0 values are bounded, 0 gives the exponential distribution,
            larger ones a heavier tail.
        validate_args: Check parameters and values.

    Raises:
        ValueError: scale is not positive.

    Example:
        >>> from gpukit.distributions import GeneralizedPareto
        >>> GeneralizedPareto(0.0, 1.0, 0.5).mean
        tensor(2.)
    """

    arg_constraints: Any = {  # noqa: RUF012
        "loc": constraints.real,
        "scale": constraints.positive,
        "concentration": constraints.real,
    }
    has_rsample = True
    _expanded: ClassVar[dict[str, int]] = {"loc": 0, "scale": 0, "concentration": 0}

    def __init__(
        self, loc: Any, scale: Any, concentration: Any, validate_args: bool | None = None
    ) -> None:
        every = broadcast_all("GeneralizedPareto", loc, scale, concentration)
        self.loc, self.scale, self.concentration = every
        super().__init__(self.loc.shape, validate_args=validate_args)

    @property
    def support(self) -> Any:
        bounded = self.concentration < 0
        end = self.loc - self.scale / _core.where(bounded, self.concentration, -1.0)
        return constraints.interval(self.loc, _core.where(bounded, end, math.inf))

    def _shape(self) -> tuple[Tensor, Tensor]:
        """Where the exponential distribution is meant, and the concentration apart from there."""
        flat = self.concentration.abs() <= 1e-8
        return flat, _core.where(flat, 1.0, self.concentration)

    @property
    def mean(self) -> Tensor:
        c = self.concentration
        return _core.where(c < 1, self.loc + self.scale / (1 - c), math.nan)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        c = self.concentration
        found = self.scale.square() / ((1 - c).square() * (1 - 2 * c))
        return _core.where(c < 0.5, found, math.nan)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self.icdf(uniform_like(self, self.loc, sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        flat, c = self._shape()
        z = (value - self.loc) / self.scale
        found = -(1 + 1 / c) * (c * z).log1p()
        return _core.where(flat, -z, found) - self.scale.log()

    def log_survival_function(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability of values above `value`.

        Args:
            value: As log_prob's.
        """
        if self._validate_args:
            self._validate_sample(value)
        flat, c = self._shape()
        z = (value - self.loc) / self.scale
        return _core.where(flat, -z, -(c * z).log1p() / c)

    def log_cdf(self, value: Tensor) -> Tensor:
        """Return the logarithm of cdf.

        Args:
            value: As log_prob's.
        """
        return (-self.log_survival_function(value).exp()).log1p()

    def cdf(self, value: Tensor) -> Tensor:
        return -self.log_survival_function(value).expm1()

    def icdf(self, value: Tensor) -> Tensor:
        flat, c = self._shape()
        log_above = (-value).log1p()
        found = (-c * log_above).expm1() / c
        return self.loc + self.scale * _core.where(flat, -log_above, found)

    def entropy(self) -> Tensor:
        return self.scale.log() + self.concentration + 1
