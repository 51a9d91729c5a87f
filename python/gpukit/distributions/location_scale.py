"""Distributions that are moved and scaled: normal, Laplace, uniform, Cauchy, Gumbel."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

from gpukit import _core
from gpukit._core import Tensor
from gpukit._tensors.limits import finfo
from gpukit.distributions import constraints
from gpukit.distributions.distribution import (
    LOG_2PI,
    Distribution,
    ExponentialFamily,
    broadcast_all,
    tiny,
    uniform_like,
)

__all__ = ["Cauchy", "Gumbel", "HalfNormal", "Laplace", "Normal", "Uniform"]

EULER = 0.57721566490153286060


class _LocationScale(Distribution):
    """A distribution with `loc` and `scale`."""

    arg_constraints: Any = {"loc": constraints.real, "scale": constraints.positive}  # noqa: RUF012
    support = constraints.real
    has_rsample = True
    _expanded: ClassVar[dict[str, int]] = {"loc": 0, "scale": 0}
    loc: Tensor
    scale: Tensor

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(type(self).__name__, loc, scale)
        super().__init__(self.loc.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc


class Normal(_LocationScale, ExponentialFamily):
    """The normal distribution.

    Args:
        loc: The mean.
        scale: The standard deviation, above 0.
        validate_args: Check parameters and values.

    Raises:
        ValueError: scale is not positive.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions import Normal
        >>> Normal(0.0, 1.0).log_prob(gpukit.tensor(0.0))
        tensor(-0.9189)
    """

    @property
    def stddev(self) -> Tensor:
        return self.scale

    @property
    def variance(self) -> Tensor:
        return self.scale.square()

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        noise = _noise_of(self, sample_shape)
        return self.loc.detach() + noise * self.scale.detach()

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self.loc + _noise_of(self, sample_shape) * self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return -((value - self.loc) ** 2) / (2 * self.scale**2) - self.scale.log() - 0.5 * LOG_2PI

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return 0.5 * (1 + ((value - self.loc) / (self.scale * math.sqrt(2))).erf())

    def icdf(self, value: Tensor) -> Tensor:
        return self.loc + self.scale * _core.erfinv(2 * value - 1) * math.sqrt(2)

    def entropy(self) -> Tensor:
        return 0.5 + 0.5 * LOG_2PI + self.scale.log()


def _noise_of(distribution: Normal, sample_shape: Any) -> Tensor:
    """Standard normal numbers of the shape of samples."""
    shape, scale = distribution._extended_shape(sample_shape), distribution.scale
    return _core.randn(shape, dtype=scale.dtype, device=scale.device)


class Laplace(_LocationScale):
    """The Laplace distribution.

    Args:
        loc: The mean.
        scale: The mean distance from it, above 0.
        validate_args: Check parameters and values.

    Raises:
        ValueError: scale is not positive.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions import Laplace
        >>> Laplace(0.0, 1.0).log_prob(gpukit.tensor(1.0))
        tensor(-1.6931)
    """

    @property
    def variance(self) -> Tensor:
        return 2 * self.scale.square()

    @property
    def stddev(self) -> Tensor:
        return math.sqrt(2) * self.scale

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        u = uniform_like(self, self.loc, sample_shape) - 0.5  # -0.5 would be infinitely far
        least = tiny(u.dtype)
        far = (1 - 2 * u.abs()).clamp(min=least)
        return self.loc - self.scale * u.sign() * far.log()

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return -(2 * self.scale).log() - (value - self.loc).abs() / self.scale

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        far = value - self.loc
        return 0.5 - 0.5 * far.sign() * (-far.abs() / self.scale).expm1()

    def icdf(self, value: Tensor) -> Tensor:
        term = value - 0.5
        return self.loc - self.scale * term.sign() * (-2 * term.abs()).log1p()

    def entropy(self) -> Tensor:
        return 1 + (2 * self.scale).log()


class Cauchy(_LocationScale):
    """The Cauchy distribution, which has no mean.

    Args:
        loc: The median.
        scale: Half of the width at half height, above 0.
        validate_args: Check parameters and values.

    Raises:
        ValueError: scale is not positive.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions import Cauchy
        >>> Cauchy(0.0, 1.0).cdf(gpukit.tensor(1.0))
        tensor(0.7500)
    """

    @property
    def mean(self) -> Tensor:
        return _core.full_like(self.loc, math.nan)

    @property
    def variance(self) -> Tensor:
        return _core.full_like(self.loc, math.inf)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        u = uniform_like(self, self.loc, sample_shape)
        return self.loc + self.scale * (math.pi * (u - 0.5)).tan()

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        far = (value - self.loc) / self.scale
        return -math.log(math.pi) - self.scale.log() - far.square().log1p()

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return ((value - self.loc) / self.scale).atan() / math.pi + 0.5

    def icdf(self, value: Tensor) -> Tensor:
        return (math.pi * (value - 0.5)).tan() * self.scale + self.loc

    def entropy(self) -> Tensor:
        return math.log(4 * math.pi) + self.scale.log()


class Gumbel(_LocationScale):
    """The Gumbel distribution: of the largest of many values.

    Args:
        loc: The mode.
        scale: Above 0.
        validate_args: Check parameters and values.

    Raises:
        ValueError: scale is not positive.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions import Gumbel
        >>> Gumbel(0.0, 1.0).mean
        tensor(0.5772)
    """

    @property
    def mean(self) -> Tensor:
        return self.loc + self.scale * EULER

    @property
    def stddev(self) -> Tensor:
        return (math.pi / math.sqrt(6)) * self.scale

    @property
    def variance(self) -> Tensor:
        return self.stddev.square()

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        u = uniform_like(self, self.loc, sample_shape)
        eps = finfo(u.dtype)
        return self.loc - self.scale * (-u.clamp(eps.tiny, 1 - eps.eps).log()).log()

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        y = (self.loc - value) / self.scale
        return (y - y.exp()) - self.scale.log()

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return (-((self.loc - value) / self.scale).exp()).exp()

    def icdf(self, value: Tensor) -> Tensor:
        return self.loc - self.scale * (-value.log()).log()

    def entropy(self) -> Tensor:
        return self.scale.log() + (1 + EULER)


class HalfNormal(Distribution):
    """The distribution of the distance of a normal variable from its mean.

    Args:
        scale: The standard deviation of the normal variable, above 0.
        validate_args: Check parameters and values.

    Raises:
        ValueError: scale is not positive.

    Example:
        >>> from gpukit.distributions import HalfNormal
        >>> HalfNormal(1.0).mean
        tensor(0.7979)
    """

    arg_constraints: Any = {"scale": constraints.positive}  # noqa: RUF012
    support = constraints.nonnegative
    has_rsample = True
    _shown = False
    _expanded: ClassVar[dict[str, int]] = {"scale": 0}

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        (self.scale,) = broadcast_all("HalfNormal", scale)
        super().__init__(self.scale.shape, validate_args=validate_args)

    @property
    def _whole(self) -> Normal:
        return Normal(_core.zeros_like(self.scale), self.scale, validate_args=False)

    @property
    def mean(self) -> Tensor:
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def mode(self) -> Tensor:
        return _core.zeros_like(self.scale)

    @property
    def variance(self) -> Tensor:
        return self.scale.square() * (1 - 2 / math.pi)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self._whole.rsample(sample_shape).abs()

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        found = self._whole.log_prob(value) + math.log(2)
        return _core.where(value >= 0, found, -math.inf)

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return 2 * self._whole.cdf(value) - 1

    def icdf(self, value: Tensor) -> Tensor:
        return self._whole.icdf((value + 1) / 2)

    def entropy(self) -> Tensor:
        return self._whole.entropy() - math.log(2)


class Uniform(Distribution):
    """The uniform distribution on [low, high).

    Args:
        low: The lower end.
        high: The upper end, above low.
        validate_args: Check parameters and values.

    Raises:
        ValueError: low is not below high.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions import Uniform
        >>> Uniform(0.0, 4.0).cdf(gpukit.tensor(1.0))
        tensor(0.2500)
    """

    has_rsample = True
    _expanded: ClassVar[dict[str, int]] = {"low": 0, "high": 0}

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None) -> None:
        self.low, self.high = broadcast_all("Uniform", low, high)
        super().__init__(self.low.shape, validate_args=validate_args)

    @property
    def arg_constraints(self) -> Any:
        """What the parameters must satisfy."""
        return {
            "low": constraints.less_than(self.high),
            "high": constraints.greater_than(self.low),
        }

    @property
    def support(self) -> Any:
        return constraints.interval(self.low, self.high)

    @property
    def mean(self) -> Tensor:
        return (self.high + self.low) / 2

    @property
    def mode(self) -> Tensor:
        return _core.full_like(self.high, math.nan)

    @property
    def stddev(self) -> Tensor:
        return (self.high - self.low) / math.sqrt(12)

    @property
    def variance(self) -> Tensor:
        return (self.high - self.low).square() / 12

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self.low + uniform_like(self, self.low, sample_shape) * (self.high - self.low)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        inside = (self.low <= value) & (value < self.high)
        return inside.to(self.low.dtype).log() - (self.high - self.low).log()

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return ((value - self.low) / (self.high - self.low)).clamp(0, 1)

    def icdf(self, value: Tensor) -> Tensor:
        return value * (self.high - self.low) + self.low

    def entropy(self) -> Tensor:
        return (self.high - self.low).log()
