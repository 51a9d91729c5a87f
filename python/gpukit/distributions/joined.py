"""Distributions made of others: independent parts, mixtures, transformed ones, log-normal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpukit._core import Tensor
from gpukit.autograd import no_grad
from gpukit.distributions import constraints
from gpukit.distributions.classes import Categorical
from gpukit.distributions.distribution import Distribution, sum_rightmost
from gpukit.distributions.location_scale import Normal
from gpukit.distributions.transforms import ComposeTransform, ExpTransform, Transform
from gpukit.errors import ArgumentError

__all__ = ["Independent", "LogNormal", "MixtureSameFamily", "TransformedDistribution"]


class Independent(Distribution):
    """A distribution of which some batch dimensions count as one event.

    Args:
        base_distribution: The distribution.
        reinterpreted_batch_ndims: How many of its last batch dimensions.
        validate_args: Check values.

    Raises:
        ValueError: There are fewer batch dimensions.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions import Independent, Normal
        >>> Independent(Normal(gpukit.zeros(2), gpukit.ones(2)), 1).log_prob(gpukit.zeros(2))
        tensor(-1.8379)
    """

    arg_constraints: Any = {}  # noqa: RUF012
    base_dist: Distribution

    def __init__(
        self,
        base_distribution: Distribution,
        reinterpreted_batch_ndims: int,
        validate_args: bool | None = None,
    ) -> None:
        batch = base_distribution.batch_shape
        if reinterpreted_batch_ndims > len(batch):
            raise ArgumentError(
                "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), "
                f"actual {reinterpreted_batch_ndims} vs {len(batch)}"
            )
        shape = batch + base_distribution.event_shape
        event_dim = reinterpreted_batch_ndims + len(base_distribution.event_shape)
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        split = len(shape) - event_dim
        super().__init__(shape[:split], shape[split:], validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        own = self.event_shape[: self.reinterpreted_batch_ndims]
        new.base_dist = self.base_dist.expand((*batch_shape, *own))
        new.reinterpreted_batch_ndims = self.reinterpreted_batch_ndims
        return new

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        return self.base_dist.has_rsample

    @property
    def has_enumerate_support(self) -> bool:  # type: ignore[override]
        return self.base_dist.has_enumerate_support and self.reinterpreted_batch_ndims == 0

    @property
    def support(self) -> Any:
        found = self.base_dist.support
        dims = self.reinterpreted_batch_ndims
        return constraints.independent(found, dims) if dims else found

    @property
    def mean(self) -> Tensor:
        return self.base_dist.mean

    @property
    def mode(self) -> Tensor:
        return self.base_dist.mode

    @property
    def variance(self) -> Tensor:
        return self.base_dist.variance

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Tensor) -> Tensor:
        return sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> Tensor:
        return sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        if self.reinterpreted_batch_ndims > 0:
            raise NotImplementedError("Enumeration over cartesian product is not implemented")
        return self.base_dist.enumerate_support(expand)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_dist!r}, {self.reinterpreted_batch_ndims})"


class MixtureSameFamily(Distribution):
    """A mixture of distributions of one family, along their last batch dimension.

    Args:
        mixture_distribution: A Categorical, which draws the part.
        component_distribution: The parts.
        validate_args: Check values.

    Raises:
        ValueError: The shapes do not fit, or mixture_distribution is no Categorical.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions import Categorical, MixtureSameFamily, Normal
        >>> parts = Normal(gpukit.tensor([-1.0, 1.0]), 1.0)
        >>> MixtureSameFamily(Categorical(gpukit.tensor([0.5, 0.5])), parts).mean
        tensor(0.)
    """

    arg_constraints: Any = {}  # noqa: RUF012

    def __init__(
        self,
        mixture_distribution: Categorical,
        component_distribution: Distribution,
        validate_args: bool | None = None,
    ) -> None:
        if not isinstance(mixture_distribution, Categorical):
            raise ArgumentError(
                " The Mixture distribution needs to be an  instance of "
                "torch.distributions.Categorical".replace("torch", "gpukit")
            )
        if not isinstance(component_distribution, Distribution):
            raise ArgumentError(
                "The Component distribution need to be an instance of "
                "gpukit.distributions.Distribution"
            )
        parts = component_distribution.batch_shape
        if not parts or parts[-1] != mixture_distribution._num_events:
            raise ArgumentError(
                f"`mixture_distribution component` ({mixture_distribution._num_events}) does not "
                f"equal `component_distribution.batch_shape[-1]` ({parts[-1] if parts else None})"
            )
        self._mixture_distribution = mixture_distribution
        self._component_distribution = component_distribution
        event = component_distribution.event_shape
        super().__init__(parts[:-1], event, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        parts = self._component_distribution.batch_shape[-1:]
        new._component_distribution = self._component_distribution.expand((*batch_shape, *parts))
        new._mixture_distribution = self._mixture_distribution.expand(batch_shape)
        return new

    @property
    def mixture_distribution(self) -> Categorical:
        """What draws the part."""
        return self._mixture_distribution

    @property
    def component_distribution(self) -> Distribution:
        """The parts."""
        return self._component_distribution

    @property
    def support(self) -> Any:
        return self._component_distribution.support

    @property
    def _place(self) -> int:
        """The dimension of the parts, from the end."""
        return -1 - len(self._event_shape)

    @property
    def _weights(self) -> Tensor:
        probs = self._mixture_distribution.probs
        return probs.reshape(*probs.shape, *[1] * len(self._event_shape))  # type: ignore[no-any-return]

    @property
    def mean(self) -> Tensor:
        return (self._weights * self._component_distribution.mean).sum(self._place)

    @property
    def variance(self) -> Tensor:
        parts = self._component_distribution
        inner = (self._weights * parts.variance).sum(self._place)
        far = parts.mean - self.mean.unsqueeze(self._place)
        return inner + (self._weights * far.square()).sum(self._place)

    def cdf(self, value: Tensor) -> Tensor:
        found = self._component_distribution.cdf(value.unsqueeze(self._place))
        return (found * self._mixture_distribution.probs).sum(-1)  # type: ignore[no-any-return]

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        found = self._component_distribution.log_prob(value.unsqueeze(self._place))
        return (found + self._mixture_distribution.logits.log_softmax(-1)).logsumexp(-1)  # type: ignore[no-any-return]

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            drawn = self._component_distribution.sample(sample_shape)
            part = self._mixture_distribution.sample(sample_shape)
            part = part.reshape(*part.shape, *[1] * (1 + len(self._event_shape)))
            shape = list(drawn.shape)
            shape[self._place] = 1
            return drawn.gather(self._place, part.expand(*shape)).squeeze(self._place)

    def __repr__(self) -> str:
        mixture, parts = self._mixture_distribution, self._component_distribution
        return f"MixtureSameFamily(\n  {mixture!r},\n  {parts!r})"


class TransformedDistribution(Distribution):
    """The distribution of transformed values of another.

    Args:
        base_distribution: The distribution.
        transforms: A transform or several, one after the other.
        validate_args: Check values.

    Raises:
        ValueError: transforms is something else.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions import Normal, TransformedDistribution, transforms
        >>> moved = TransformedDistribution(Normal(0.0, 1.0), transforms.AffineTransform(2.0, 3.0))
        >>> moved.log_prob(gpukit.tensor(2.0))
        tensor(-2.0176)
    """

    arg_constraints: Any = {}  # noqa: RUF012
    base_dist: Any

    def __init__(
        self,
        base_distribution: Distribution,
        transforms: Transform | list[Transform],
        validate_args: bool | None = None,
    ) -> None:
        if isinstance(transforms, Transform):
            transforms = [transforms]
        elif not isinstance(transforms, list) or not all(
            isinstance(each, Transform) for each in transforms
        ):
            raise ArgumentError(
                f"transforms must be a Transform or a list of Transforms, but was {transforms}"
            )
        self.transforms = transforms
        whole = ComposeTransform(transforms)
        base_shape = base_distribution.batch_shape + base_distribution.event_shape
        own, taken = len(base_distribution.event_shape), whole.domain.event_dim
        if len(base_shape) < taken:
            raise ArgumentError(
                f"base_distribution needs to have shape with size at least {taken}, but got "
                f"{base_shape}."
            )
        shape = whole.forward_shape(base_shape)
        before = whole.inverse_shape(shape)
        if before != base_shape:
            base_distribution = base_distribution.expand(before[: len(before) - own])
        if taken > own:
            base_distribution = Independent(base_distribution, taken - own)
        self.base_dist = base_distribution
        split = len(shape) - whole.codomain.event_dim - max(own - taken, 0)
        super().__init__(shape[:split], shape[split:], validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        before = ComposeTransform(self.transforms).inverse_shape((*batch_shape, *self.event_shape))
        own = len(self.base_dist.event_shape)
        new.base_dist = self.base_dist.expand(before[: len(before) - own])
        new.transforms = self.transforms
        return new

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        return bool(self.base_dist.has_rsample)

    @property
    def support(self) -> Any:
        if not self.transforms:
            return self.base_dist.support
        found = self.transforms[-1].codomain
        dims = len(self.event_shape) - found.event_dim
        return constraints.independent(found, dims) if dims > 0 else found

    def _transformed(self, x: Tensor) -> Tensor:
        for transform in self.transforms:
            x = transform(x)
        return x

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            return self._transformed(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self._transformed(self.base_dist.rsample(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        event_dim = len(self.event_shape)
        found: Any = 0.0
        y = value
        for transform in reversed(self.transforms):
            x = transform._inv_call(y)
            slope = transform.log_abs_det_jacobian(x, y)
            event_dim += transform.domain.event_dim - transform.codomain.event_dim
            found = found - sum_rightmost(slope, event_dim - transform.domain.event_dim)
            y = x
        own = event_dim - len(self.base_dist.event_shape)
        return found + sum_rightmost(self.base_dist.log_prob(y), own)  # type: ignore[no-any-return]

    @property
    def _sign(self) -> Any:
        return ComposeTransform(self.transforms).sign

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        for transform in reversed(self.transforms):
            value = transform._inv_call(value)
        return self._mirrored(self.base_dist.cdf(value))

    def icdf(self, value: Tensor) -> Tensor:
        return self._transformed(self.base_dist.icdf(self._mirrored(value)))

    def _mirrored(self, value: Tensor) -> Tensor:
        """A probability, or 1 minus it where the transforms fall."""
        sign = self._sign
        if isinstance(sign, int) and sign == 1:
            return value
        return sign * (value - 0.5) + 0.5  # type: ignore[no-any-return]


class LogNormal(TransformedDistribution):
    """The distribution of e to the power of a normal variable.

    Args:
        loc: The mean of the logarithm.
        scale: Its standard deviation, above 0.
        validate_args: Check parameters and values.

    Raises:
        ValueError: scale is not positive.

    Example:
        >>> from gpukit.distributions import LogNormal
        >>> LogNormal(0.0, 1.0).mean
        tensor(1.6487)
    """

    arg_constraints: Any = {"loc": constraints.real, "scale": constraints.positive}  # noqa: RUF012
    support = constraints.positive
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        base = Normal(loc, scale, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)

    @property
    def loc(self) -> Tensor:
        """The mean of the logarithm."""
        return self.base_dist.loc  # type: ignore[no-any-return]

    @property
    def scale(self) -> Tensor:
        """The standard deviation of the logarithm."""
        return self.base_dist.scale  # type: ignore[no-any-return]

    @property
    def mean(self) -> Tensor:
        return (self.loc + self.scale.square() / 2).exp()

    @property
    def mode(self) -> Tensor:
        return (self.loc - self.scale.square()).exp()

    @property
    def variance(self) -> Tensor:
        squared = self.scale.square()
        return squared.expm1() * (2 * self.loc + squared).exp()

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() + self.loc  # type: ignore[no-any-return]
