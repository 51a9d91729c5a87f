"""Distributions of counts: Bernoulli, geometric, Poisson, binomial, negative binomial."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

from gpukit import _core
from gpukit._core import Tensor
from gpukit.autograd import no_grad
from gpukit.distributions import constraints
from gpukit.distributions._draws import binomial, poisson, standard_gamma
from gpukit.distributions.distribution import (
    Distribution,
    ExponentialFamily,
    broadcast_all,
    logits_of,
    on_demand,
    one_of,
    probabilities_of,
    tiny,
    uniform_like,
)
from gpukit.errors import ArgumentError
from gpukit.nn.functional import binary_cross_entropy_with_logits, softplus

__all__ = ["Bernoulli", "Binomial", "Geometric", "NegativeBinomial", "Poisson"]


class _Odds(Distribution):
    """A distribution of a probability, given as such or as the logarithm of its odds."""

    arg_constraints: Any = {  # noqa: RUF012
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    _expanded: ClassVar[dict[str, int]] = {"probs": 0, "logits": 0}

    def _take(self, probs: Any, logits: Any, *others: Any) -> list[Tensor]:
        one_of("probs", probs, "logits", logits)
        name = "logits" if probs is None else "probs"
        given = logits if probs is None else probs
        self.__dict__[name], *rest = broadcast_all(type(self).__name__, given, *others)
        return rest

    @on_demand
    def probs(self) -> Tensor:
        """The probability."""
        return probabilities_of(self.logits, binary=True)

    @on_demand
    def logits(self) -> Tensor:
        """The logarithm of the odds."""
        return logits_of(self.probs, binary=True)

    @property
    def _given(self) -> Tensor:
        """The parameter of the constructor."""
        found = self.__dict__.get(self._given_name)
        assert isinstance(found, Tensor)
        return found

    @property
    def _given_name(self) -> str:
        return next(name for name in self.__dict__ if name in {"probs", "logits"})

    @property
    def param_shape(self) -> tuple[int, ...]:
        """The shape of the parameter."""
        return tuple(self._given.shape)


class Bernoulli(_Odds, ExponentialFamily):
    """1 with a probability, else 0.

    Args:
        probs: The probability of 1.
        logits: The logarithm of its odds, in place of probs.
        validate_args: Check parameters and values.

    Raises:
        ValueError: Both or neither are given, or a probability is outside of [0, 1].

    Example:
        >>> import gpukit
        >>> from gpukit.distributions import Bernoulli
        >>> Bernoulli(0.25).log_prob(gpukit.tensor([0.0, 1.0]))
        tensor([-0.2877, -1.3863])
    """

    support = constraints.boolean
    has_enumerate_support = True

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self._take(probs, logits)
        super().__init__(self._given.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.probs  # type: ignore[no-any-return]

    @property
    def mode(self) -> Tensor:
        mode = (self.probs >= 0.5).to(self.probs.dtype)
        return _core.where(self.probs == 0.5, math.nan, mode)

    @property
    def variance(self) -> Tensor:
        return self.probs * (1 - self.probs)  # type: ignore[no-any-return]

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            shape = self._extended_shape(sample_shape)
            return _core.bernoulli(self.probs.expand(shape))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all("Bernoulli", self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value.to(logits.dtype), reduction="none")

    def entropy(self) -> Tensor:
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand: bool = True) -> Tensor:
        return _both_values(self, expand, 2)


def _both_values(distribution: _Odds, expand: bool, count: int) -> Tensor:
    """The values from 0 along a new first dimension."""
    given = distribution._given
    values = _core.arange(count, dtype=given.dtype, device=given.device)
    values = values.reshape(-1, *[1] * len(distribution.batch_shape))
    return values.expand(count, *distribution.batch_shape) if expand else values


class Geometric(_Odds):
    """The number of failures before the first success.

    Args:
        probs: The probability of success, above 0.
        logits: The logarithm of its odds, in place of probs.
        validate_args: Check parameters and values.

    Raises:
        ValueError: Both or neither are given, or a probability is outside of (0, 1].

    Example:
        >>> import gpukit
        >>> from gpukit.distributions import Geometric
        >>> Geometric(0.5).log_prob(gpukit.tensor(1.0))
        tensor(-1.3863)
    """

    support = constraints.nonnegative_integer

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self._take(probs, logits)
        super().__init__(self._given.shape, validate_args=validate_args)
        if self._validate_args and probs is not None and not bool((self.probs > 0).all()):
            raise ArgumentError(
                f"Expected parameter probs (Tensor of shape {tuple(self.probs.shape)}) of "
                f"distribution {self!r} to be positive but found invalid values:\n{self.probs}"
            )

    @property
    def mean(self) -> Tensor:
        return 1 / self.probs - 1  # type: ignore[no-any-return]

    @property
    def mode(self) -> Tensor:
        return _core.zeros_like(self.probs)

    @property
    def variance(self) -> Tensor:
        return (1 / self.probs - 1) / self.probs  # type: ignore[no-any-return]

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            u = uniform_like(self, self._given, sample_shape).clamp(min=tiny(self._given.dtype))
            return (u.log() / (-self.probs).log1p()).floor()  # type: ignore[no-any-return]

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        value, probs = broadcast_all("Geometric", value, self.probs)
        rest = _core.where((probs == 1) & (value == 0), 0.0, probs)
        return value * (-rest).log1p() + probs.log()

    def entropy(self) -> Tensor:
        found = binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")
        return found / self.probs  # type: ignore[no-any-return]


class Poisson(ExponentialFamily):
    """The number of events that come at a rate.

    Args:
        rate: The mean number, 0 or more.
        validate_args: Check parameters and values.

    Raises:
        ValueError: rate is negative.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions import Poisson
        >>> Poisson(2.0).log_prob(gpukit.tensor(0.0))
        tensor(-2.)
    """

    arg_constraints: Any = {"rate": constraints.nonnegative}  # noqa: RUF012
    support = constraints.nonnegative_integer
    _expanded: ClassVar[dict[str, int]] = {"rate": 0}

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_all("Poisson", rate)
        super().__init__(self.rate.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.rate

    @property
    def mode(self) -> Tensor:
        return self.rate.floor()

    @property
    def variance(self) -> Tensor:
        return self.rate

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            return poisson(self.rate.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        rate, value = broadcast_all("Poisson", self.rate, value)
        return _core.xlogy(value, rate) - rate - _core.lgamma(value + 1)


class Binomial(_Odds):
    """The number of successes among `total_count` trials.

    Args:
        total_count: The number of trials.
        probs: The probability of success.
        logits: The logarithm of its odds, in place of probs.
        validate_args: Check parameters and values.

    Raises:
        ValueError: Both or neither of probs and logits are given, or a parameter is out of range.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions import Binomial
        >>> Binomial(2, 0.5).log_prob(gpukit.tensor(1.0))
        tensor(-0.6931)
    """

    arg_constraints: Any = {  # noqa: RUF012
        "total_count": constraints.nonnegative_integer,
        **_Odds.arg_constraints,
    }
    has_enumerate_support = True
    _expanded: ClassVar[dict[str, int]] = {"total_count": 0, "probs": 0, "logits": 0}

    def __init__(
        self,
        total_count: Any = 1,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        (count,) = self._take(probs, logits, total_count)
        self.total_count = count.to(self._given.dtype)
        super().__init__(self._given.shape, validate_args=validate_args)

    @property
    def support(self) -> Any:
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self) -> Tensor:
        return self.total_count * self.probs  # type: ignore[no-any-return]

    @property
    def mode(self) -> Tensor:
        return _core.minimum(((self.total_count + 1) * self.probs).floor(), self.total_count)

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)  # type: ignore[no-any-return]

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            shape = self._extended_shape(sample_shape)
            return binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        count = self.total_count
        choices = (
            _core.lgamma(count + 1) - _core.lgamma(value + 1) - _core.lgamma(count - value + 1)
        )
        # log(1 + exp(logits)), without overflow
        softplus = self.logits.clamp(min=0) + (-self.logits.abs()).exp().log1p()
        return choices + value * self.logits - count * softplus  # type: ignore[no-any-return]

    def entropy(self) -> Tensor:
        if self.total_count.numel() and bool((self.total_count != self.total_count.max()).any()):
            raise NotImplementedError("Inhomogeneous total count not supported by `entropy`.")
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(log_prob.exp() * log_prob).sum(0)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        count = int(self.total_count.max())
        if not bool((self.total_count == count).all()):
            raise NotImplementedError(
                "Inhomogeneous total count not supported by `enumerate_support`."
            )
        return _both_values(self, expand, count + 1)


class NegativeBinomial(_Odds):
    """The number of successes before `total_count` failures: a gamma mixture of Poisson numbers.

    Johnson, Kemp and Kotz (2005), chapter 5.

    Args:
        total_count: The number of failures, 0 or more; it need not be whole.
        probs: The probability of success, below 1.
        logits: The logarithm of its odds, in place of probs.
        validate_args: Check parameters and values.

    Raises:
        ValueError: Both or neither of probs and logits are given, or a parameter is out of range.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions import NegativeBinomial
        >>> NegativeBinomial(2, gpukit.tensor(0.5)).mean
        tensor(2.)
    """

    arg_constraints: Any = {  # noqa: RUF012
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer
    _expanded: ClassVar[dict[str, int]] = {"total_count": 0, "probs": 0, "logits": 0}

    def __init__(
        self,
        total_count: Any,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        (count,) = self._take(probs, logits, total_count)
        self.total_count = count.to(self._given.dtype)
        super().__init__(self._given.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.total_count * self.logits.exp()  # type: ignore[no-any-return]

    @property
    def mode(self) -> Tensor:
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0)  # type: ignore[no-any-return]

    @property
    def variance(self) -> Tensor:
        return self.mean / (-self.logits).sigmoid()  # type: ignore[no-any-return]

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            shape = self._extended_shape(sample_shape)
            none = self.total_count == 0
            count = _core.where(none, 1.0, self.total_count)
            rates = standard_gamma(count.expand(shape)) * self.logits.exp()
            return poisson(_core.where(none, 0.0, rates))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        count, logits = self.total_count, self.logits
        found = -count * softplus(logits) - value * softplus(-logits)
        ways = _core.lgamma(count + value) - _core.lgamma(value + 1) - _core.lgamma(count)
        return found + _core.where(count + value == 0, 0.0, ways)
