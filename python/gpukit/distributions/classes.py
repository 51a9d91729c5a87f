"""Distributions over classes: categorical, its one-hot forms, multinomial."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

from gpukit import _core
from gpukit._core import Tensor
from gpukit._tensors.limits import finfo
from gpukit.autograd import no_grad
from gpukit.distributions import constraints
from gpukit.distributions.counts import Binomial
from gpukit.distributions.distribution import (
    Distribution,
    broadcast_all,
    logits_of,
    on_demand,
    one_of,
    probabilities_of,
)
from gpukit.errors import ArgumentError
from gpukit.nn.functional import one_hot

__all__ = ["Categorical", "Multinomial", "OneHotCategorical", "OneHotCategoricalStraightThrough"]


class _Classes(Distribution):
    """A distribution of class probabilities, given as such or as unnormalised logarithms."""

    arg_constraints: Any = {  # noqa: RUF012
        "probs": constraints.simplex,
        "logits": constraints.real_vector,
    }
    _expanded: ClassVar[dict[str, int]] = {"probs": 1, "logits": 1}

    def _take(self, probs: Any, logits: Any) -> None:
        one_of("probs", probs, "logits", logits)
        name, given = ("logits", logits) if probs is None else ("probs", probs)
        if not isinstance(given, Tensor):
            raise TypeError(
                f"{type(self).__name__}: {name} must be a Tensor, got {type(given).__name__}"
                + _core.torch_advice(given)
            )
        if given.ndim < 1:
            raise ArgumentError(f"`{name}` parameter must be at least one-dimensional.")
        if probs is None:
            self.__dict__["logits"] = given - given.logsumexp(-1, keepdim=True)
        else:
            self.__dict__["probs"] = given / given.sum(-1, keepdim=True)

    def _begin(self, probs: Any, logits: Any, validate_args: bool | None) -> None:
        """Take the parameters of vectors with an element for each class."""
        self._take(probs, logits)
        shape = self._given.shape
        Distribution.__init__(self, shape[:-1], shape[-1:], validate_args=validate_args)

    @on_demand
    def probs(self) -> Tensor:
        """The probabilities."""
        return probabilities_of(self.logits)

    @on_demand
    def logits(self) -> Tensor:
        """The logarithms of the probabilities."""
        return logits_of(self.probs)

    @property
    def _given(self) -> Tensor:
        """The parameter of the constructor, normalised."""
        name = next(name for name in self.__dict__ if name in {"probs", "logits"})
        found = self.__dict__[name]
        assert isinstance(found, Tensor)
        return found

    @property
    def param_shape(self) -> tuple[int, ...]:
        """The shape of the parameter."""
        return tuple(self._given.shape)

    def _drawn(self, shape: tuple[int, ...]) -> Tensor:
        """Class numbers of a shape that ends in that of the batch."""
        probs, classes = self.probs.detach(), self.probs.shape[-1]
        rows = probs.reshape(-1, classes)
        count = math.prod(shape) // max(len(rows), 1)
        if count == 0 or len(rows) == 0:
            return _core.empty(shape, dtype=_core.int64, device=probs.device)
        drawn = _core.multinomial(rows, count, True)
        return drawn.mT.reshape(shape)

    def _entropy(self) -> Tensor:
        least = finfo(self.logits.dtype).min
        logits = _core.maximum(self.logits, _core.full_like(self.logits, least))
        return -(logits * self.probs).sum(-1)  # type: ignore[no-any-return]


class Categorical(_Classes):
    """A class number from 0, by probabilities.

    Args:
        probs: Weights of the classes along the last dimension, 0 or more; they are normalised.
        logits: Logarithms of weights, in place of probs.
        validate_args: Check parameters and values.

    Raises:
        ValueError: Both or neither are given, or they have no dimension.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions import Categorical
        >>> Categorical(gpukit.tensor([1.0, 3.0])).log_prob(gpukit.tensor(1))
        tensor(-0.2877)
    """

    has_enumerate_support = True

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self._take(probs, logits)
        self._num_events = self._given.shape[-1]
        super().__init__(self._given.shape[:-1], validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new._num_events = self._num_events
        return new

    @property
    def support(self) -> Any:
        return constraints.integer_interval(0, self._num_events - 1)

    @property
    def mean(self) -> Tensor:
        given = self._given
        return _core.full(self._batch_shape, math.nan, dtype=given.dtype, device=given.device)

    @property
    def variance(self) -> Tensor:
        return self.mean

    @property
    def mode(self) -> Tensor:
        return self.probs.argmax(-1)  # type: ignore[no-any-return]

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self._drawn(self._extended_shape(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        value = value.long().unsqueeze(-1)
        shape = _core.broadcast_shapes(value.shape[:-1], self.logits.shape[:-1])
        logits = self.logits.expand(*shape, self._num_events)
        return logits.gather(-1, value.expand(*shape, 1)).squeeze(-1)  # type: ignore[no-any-return]

    def entropy(self) -> Tensor:
        return self._entropy()

    def enumerate_support(self, expand: bool = True) -> Tensor:
        values = _core.arange(self._num_events, device=self._given.device)
        values = values.reshape(-1, *[1] * len(self._batch_shape))
        return values.expand(self._num_events, *self._batch_shape) if expand else values


class OneHotCategorical(_Classes):
    """A class, as a vector that is 1 at its number and 0 elsewhere.

    Args:
        probs: Weights of the classes along the last dimension, 0 or more; they are normalised.
        logits: Logarithms of weights, in place of probs.
        validate_args: Check parameters and values.

    Raises:
        ValueError: Both or neither are given, or they have no dimension.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions import OneHotCategorical
        >>> OneHotCategorical(gpukit.tensor([0.0, 1.0])).sample()
        tensor([0., 1.])
    """

    support = constraints.one_hot
    has_enumerate_support = True
    _shown = False

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self._begin(probs, logits, validate_args)

    @property
    def mean(self) -> Tensor:
        return self.probs  # type: ignore[no-any-return]

    @property
    def mode(self) -> Tensor:
        return one_hot(self.probs.argmax(-1), self._event_shape[0]).to(self.probs.dtype)

    @property
    def variance(self) -> Tensor:
        return self.probs * (1 - self.probs)  # type: ignore[no-any-return]

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            drawn = self._drawn(self._extended_shape(sample_shape)[:-1])
            return one_hot(drawn, self._event_shape[0]).to(self._given.dtype)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        shape = _core.broadcast_shapes(value.shape, self.logits.shape)
        places = value.expand(shape).argmax(-1, keepdim=True)
        return self.logits.expand(shape).gather(-1, places).squeeze(-1)  # type: ignore[no-any-return]

    def entropy(self) -> Tensor:
        return self._entropy()

    def enumerate_support(self, expand: bool = True) -> Tensor:
        classes = self._event_shape[0]
        values = _core.eye(classes, dtype=self._given.dtype, device=self._given.device)
        values = values.reshape(classes, *[1] * len(self._batch_shape), classes)
        return values.expand(classes, *self._batch_shape, classes) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """OneHotCategorical whose samples have the gradient of the probabilities.

    Args:
        probs: Weights of the classes along the last dimension, 0 or more; they are normalised.
        logits: Logarithms of weights, in place of probs.
        validate_args: Check parameters and values.

    Raises:
        ValueError: Both or neither are given, or they have no dimension.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions import OneHotCategoricalStraightThrough
        >>> OneHotCategoricalStraightThrough(gpukit.tensor([0.0, 1.0])).rsample()
        tensor([0., 1.])
    """

    has_rsample = True

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self.sample(sample_shape) + (self.probs - self.probs.detach())  # type: ignore[no-any-return]


class Multinomial(_Classes):
    """How often each class comes among `total_count` draws.

    Args:
        total_count: The number of draws, an int.
        probs: Weights of the classes along the last dimension, 0 or more; they are normalised.
        logits: Logarithms of weights, in place of probs.
        validate_args: Check parameters and values.

    Raises:
        ValueError: Both or neither of probs and logits are given, or they have no dimension.
        NotImplementedError: total_count is not an int.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions import Multinomial
        >>> Multinomial(3, gpukit.tensor([1.0, 1.0])).log_prob(gpukit.tensor([1.0, 2.0]))
        tensor(-0.9808)
    """

    total_count: int
    _shown = False

    def __init__(
        self,
        total_count: int = 1,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        if isinstance(total_count, bool) or not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._begin(probs, logits, validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new.total_count = self.total_count
        return new

    @property
    def support(self) -> Any:
        return constraints.multinomial(self.total_count)

    @property
    def mean(self) -> Tensor:
        return self.probs * self.total_count  # type: ignore[no-any-return]

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)  # type: ignore[no-any-return]

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            shape = self._extended_shape(sample_shape)
            drawn = self._drawn((self.total_count, *shape[:-1]))
            counts = _core.zeros(shape, dtype=self._given.dtype, device=self._given.device)
            ones = _core.ones(drawn.shape, dtype=counts.dtype, device=counts.device)
            places, ones = drawn.movedim(0, -1), ones.movedim(0, -1)
            return counts.scatter_add(-1, places, ones)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all("Multinomial", self.logits, value)
        ways = _core.lgamma(value.sum(-1) + 1) - _core.lgamma(value + 1).sum(-1)
        possible = (value == 0) & (logits == -math.inf)
        return ways + (_core.where(possible, 0.0, logits) * value).sum(-1)

    def entropy(self) -> Tensor:
        n = _core.tensor(float(self.total_count), dtype=self.probs.dtype, device=self.probs.device)
        each = Binomial(n, self.probs, validate_args=False)
        values = each.enumerate_support(expand=False)[1:]
        weights = each.log_prob(values).exp()
        expected = (weights * _core.lgamma(values + 1)).sum([0, -1])
        own = self.total_count * self._entropy() - _core.lgamma(n + 1)
        return own + expected
