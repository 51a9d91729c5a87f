"""Distributions from the gamma family: gamma, beta, Dirichlet, exponential, chi², Student's t."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

from gpukit import _core
from gpukit._core import Tensor
from gpukit.distributions import constraints
from gpukit.distributions._draws import standard_gamma
from gpukit.distributions._gamma_slope import gamma_share
from gpukit.distributions.distribution import (
    Distribution,
    ExponentialFamily,
    broadcast_all,
    tiny,
    uniform_like,
)
from gpukit.errors import ArgumentError

__all__ = ["Beta", "Chi2", "Dirichlet", "Exponential", "Gamma", "StudentT"]


class Exponential(ExponentialFamily):
    """The time until the next event of those that come at a rate.

    Args:
        rate: 1 / mean, above 0.
        validate_args: Check parameters and values.

    Raises:
        ValueError: rate is not positive.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions import Exponential
        >>> Exponential(2.0).log_prob(gpukit.tensor(1.0))
        tensor(-1.3069)
    """

    arg_constraints: Any = {"rate": constraints.positive}  # noqa: RUF012
    support = constraints.nonnegative
    has_rsample = True
    _expanded: ClassVar[dict[str, int]] = {"rate": 0}

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_all("Exponential", rate)
        super().__init__(self.rate.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.rate.reciprocal()

    @property
    def mode(self) -> Tensor:
        return _core.zeros_like(self.rate)

    @property
    def stddev(self) -> Tensor:
        return self.rate.reciprocal()

    @property
    def variance(self) -> Tensor:
        return self.rate.pow(-2)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return -(-uniform_like(self, self.rate, sample_shape)).log1p() / self.rate

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return self.rate.log() - self.rate * value

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return 1 - (-self.rate * value).exp()

    def icdf(self, value: Tensor) -> Tensor:
        return -(-value).log1p() / self.rate

    def entropy(self) -> Tensor:
        return 1 - self.rate.log()


class Gamma(ExponentialFamily):
    """The gamma distribution.

    Samples have gradients for the concentration by implicit reparameterization: the derivative of
    the distribution function divided by the density.

    Args:
        concentration: The shape, above 0.
        rate: 1 / scale, above 0.
        validate_args: Check parameters and values.

    Raises:
        ValueError: A parameter is not positive.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions import Gamma
        >>> Gamma(2.0, 1.0).log_prob(gpukit.tensor(1.0))
        tensor(-1.)
    """

    arg_constraints: Any = {  # noqa: RUF012
        "concentration": constraints.positive,
        "rate": constraints.positive,
    }
    support = constraints.nonnegative
    has_rsample = True
    _expanded: ClassVar[dict[str, int]] = {"concentration": 0, "rate": 0}

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        self.concentration, self.rate = broadcast_all(type(self).__name__, concentration, rate)
        super().__init__(self.concentration.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.rate

    @property
    def mode(self) -> Tensor:
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self) -> Tensor:
        return self.concentration / self.rate.square()

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        drawn = standard_gamma(self.concentration.expand(shape)) / self.rate
        least = tiny(drawn.dtype)
        return _core.where(drawn < least, least, drawn)  # never 0: log_prob would be infinite

    def log_prob(self, value: Tensor) -> Tensor:
        value = _core.as_tensor(value, dtype=self.rate.dtype, device=self.rate.device)
        if self._validate_args:
            self._validate_sample(value)
        return (
            _core.xlogy(self.concentration, self.rate)
            + _core.xlogy(self.concentration - 1, value)
            - self.rate * value
            - _core.lgamma(self.concentration)
        )

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return gamma_share(self.concentration, self.rate * value)

    def entropy(self) -> Tensor:
        shape = self.concentration
        return shape - self.rate.log() + _core.lgamma(shape) + (1.0 - shape) * _core.digamma(shape)


class Chi2(Gamma):
    """The distribution of a sum of squares of standard normal numbers.

    Args:
        df: Degrees of freedom, above 0.
        validate_args: Check parameters and values.

    Raises:
        ValueError: df is not positive.

    Example:
        >>> from gpukit.distributions import Chi2
        >>> Chi2(3.0).mean
        tensor(3.)
    """

    arg_constraints: Any = {"df": constraints.positive}  # noqa: RUF012

    def __init__(self, df: Any, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    @property
    def df(self) -> Tensor:
        """Degrees of freedom."""
        return self.concentration * 2


class Dirichlet(ExponentialFamily):
    """The Dirichlet distribution: probabilities of several classes.

    Samples are normalised gamma variables, and have their gradients.

    Args:
        concentration: Along the last dimension, above 0.
        validate_args: Check parameters and values.

    Raises:
        ValueError: concentration is not positive, or has no dimension.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions import Dirichlet
        >>> Dirichlet(gpukit.tensor([1.0, 3.0])).mean
        tensor([0.2500, 0.7500])
    """

    arg_constraints: Any = {  # noqa: RUF012
        "concentration": constraints.independent(constraints.positive, 1)
    }
    support = constraints.simplex
    has_rsample = True
    _expanded: ClassVar[dict[str, int]] = {"concentration": 1}

    def __init__(self, concentration: Tensor, validate_args: bool | None = None) -> None:
        (self.concentration,) = broadcast_all("Dirichlet", concentration)
        if self.concentration.ndim < 1:
            raise ArgumentError("`concentration` parameter must be at least one-dimensional.")
        shape = self.concentration.shape
        super().__init__(shape[:-1], shape[-1:], validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.concentration.sum(-1, keepdim=True)

    @property
    def mode(self) -> Tensor:
        weights = (self.concentration - 1).clamp(min=0.0)
        mode = weights / weights.sum(-1, keepdim=True)
        corner = (self.concentration < 1).all(-1, keepdim=True)
        places = _core.arange(mode.shape[-1], device=mode.device)
        largest = places == mode.nan_to_num().argmax(-1, keepdim=True)
        return _core.where(corner, largest.to(mode.dtype), mode)

    @property
    def variance(self) -> Tensor:
        total = self.concentration.sum(-1, keepdim=True)
        return self.concentration * (total - self.concentration) / (total.square() * (total + 1))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        drawn = standard_gamma(self.concentration.expand(self._extended_shape(sample_shape)))
        return drawn / drawn.sum(-1, keepdim=True)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        weights = self.concentration
        return (
            _core.xlogy(weights - 1, value).sum(-1)
            + _core.lgamma(weights.sum(-1))
            - _core.lgamma(weights).sum(-1)
        )

    def entropy(self) -> Tensor:
        weights = self.concentration
        classes, total = weights.shape[-1], weights.sum(-1)
        return (
            _core.lgamma(weights).sum(-1)
            - _core.lgamma(total)
            - (classes - total) * _core.digamma(total)
            - ((weights - 1.0) * _core.digamma(weights)).sum(-1)
        )


class Beta(ExponentialFamily):
    """The beta distribution: a probability.

    Args:
        concentration1: Above 0; larger values move the mean to 1.
        concentration0: Above 0; larger values move the mean to 0.
        validate_args: Check parameters and values.

    Raises:
        ValueError: A parameter is not positive.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions import Beta
        >>> Beta(2.0, 1.0).log_prob(gpukit.tensor(0.5))
        tensor(0.)
    """

    arg_constraints: Any = {  # noqa: RUF012
        "concentration1": constraints.positive,
        "concentration0": constraints.positive,
    }
    support = constraints.unit_interval
    has_rsample = True

    def __init__(
        self, concentration1: Any, concentration0: Any, validate_args: bool | None = None
    ) -> None:
        both = broadcast_all("Beta", concentration1, concentration0)
        self._dirichlet = Dirichlet(_core.stack(both, -1), validate_args=validate_args)
        super().__init__(self._dirichlet.batch_shape, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new._dirichlet = self._dirichlet.expand(batch_shape)
        return new

    @property
    def concentration1(self) -> Tensor:
        """The weight of 1."""
        return self._dirichlet.concentration[..., 0]

    @property
    def concentration0(self) -> Tensor:
        """The weight of 0."""
        return self._dirichlet.concentration[..., 1]

    @property
    def mean(self) -> Tensor:
        return self.concentration1 / (self.concentration1 + self.concentration0)

    @property
    def mode(self) -> Tensor:
        return self._dirichlet.mode[..., 0]

    @property
    def variance(self) -> Tensor:
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total.square() * (total + 1))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self._dirichlet.rsample(sample_shape)[..., 0]

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        one, zero = self.concentration1, self.concentration0
        return (
            _core.xlogy(one - 1, value)
            + _core.xlogy(zero - 1, 1.0 - value)
            + _core.lgamma(one + zero)
            - _core.lgamma(one)
            - _core.lgamma(zero)
        )

    def entropy(self) -> Tensor:
        return self._dirichlet.entropy()


class StudentT(Distribution):
    """Student's t distribution.

    Args:
        df: Degrees of freedom, above 0.
        loc: The median.
        scale: Above 0.
        validate_args: Check parameters and values.

    Raises:
        ValueError: df or scale is not positive.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions import StudentT
        >>> StudentT(4.0).variance
        tensor(2.)
    """

    arg_constraints: Any = {  # noqa: RUF012
        "df": constraints.positive,
        "loc": constraints.real,
        "scale": constraints.positive,
    }
    support = constraints.real
    has_rsample = True
    _expanded: ClassVar[dict[str, int]] = {"df": 0, "loc": 0, "scale": 0}

    def __init__(
        self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None
    ) -> None:
        self.df, self.loc, self.scale = broadcast_all("StudentT", df, loc, scale)
        super().__init__(self.df.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return _core.where(self.df <= 1, math.nan, self.loc)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        known = self.scale.square() * self.df / (self.df - 2)
        found = _core.where(self.df > 2, known, math.inf)
        return _core.where(self.df <= 1, math.nan, found)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        normal = _core.randn(shape, dtype=self.df.dtype, device=self.df.device)
        squares = 2 * standard_gamma((self.df / 2).expand(shape))
        return self.loc + self.scale * normal * (squares / self.df).rsqrt()

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        y = (value - self.loc) / self.scale
        norm = (
            self.scale.log()
            + 0.5 * self.df.log()
            + 0.5 * math.log(math.pi)
            + _core.lgamma(0.5 * self.df)
            - _core.lgamma(0.5 * (self.df + 1.0))
        )
        return -0.5 * (self.df + 1.0) * (y.square() / self.df).log1p() - norm

    def entropy(self) -> Tensor:
        half, next_half = 0.5 * self.df, 0.5 * (self.df + 1)
        log_beta = _core.lgamma(half) + math.lgamma(0.5) - _core.lgamma(half + 0.5)
        return (
            self.scale.log()
            + next_half * (_core.digamma(next_half) - _core.digamma(half))
            + 0.5 * self.df.log()
            + log_beta
        )
