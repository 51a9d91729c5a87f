"""What all distributions share: shapes, checks of parameters and values, expand, the text."""

from __future__ import annotations

import math
import numbers
import warnings
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, ClassVar

from gpukit import _core
from gpukit._core import Tensor
from gpukit._tensors.limits import finfo
from gpukit.autograd import enable_grad, no_grad
from gpukit.distributions import constraints
from gpukit.errors import ArgumentError

__all__ = ["Distribution"]


class Distribution:
    """Base of probability distributions.

    A distribution has a `batch_shape`, one distribution for each place, and an `event_shape`, that
    of a single value. `sample` and `rsample` draw, the second with gradients for the parameters.

    Args:
        batch_shape: Shape of the distributions.
        event_shape: Shape of one value.
        validate_args: Check parameters and values; None is `set_default_validate_args`'s, at
            first True unless Python runs with -O.

    Raises:
        ValueError: A parameter is outside its constraint.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions import Distribution, Normal
        >>> normal = Normal(gpukit.zeros(3), gpukit.ones(3))
        >>> isinstance(normal, Distribution), normal.batch_shape, normal.event_shape
        (True, (3,), ())
    """

    has_rsample = False
    has_enumerate_support = False
    arg_constraints: Any = {}  # noqa: RUF012
    _validate_args = __debug__
    _shown = True  # whether the text has the parameters, as torch's has
    # The tensors that expand() expands, each with the number of its event dimensions.
    _expanded: ClassVar[dict[str, int]] = {}

    def __init__(
        self,
        batch_shape: Sequence[int] = (),
        event_shape: Sequence[int] = (),
        validate_args: bool | None = None,
    ) -> None:
        self._batch_shape = tuple(batch_shape)
        self._event_shape = tuple(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._check_parameters()

    def _check_parameters(self) -> None:
        for name, constraint in self.arg_constraints.items():
            if constraints.is_dependent(constraint):
                continue
            if name not in self.__dict__ and isinstance(
                getattr(type(self), name, None), cached_property
            ):
                continue  # computed from the other parameter when it is asked for
            value = getattr(self, name)
            if not (value.is_meta or bool(constraint.check(value).all())):
                raise ArgumentError(
                    f"Expected parameter {name} ({type(value).__name__} of shape "
                    f"{tuple(value.shape)}) of distribution {self!r} to satisfy the constraint "
                    f"{constraint!r}, but found invalid values:\n{value}"
                )

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Choose whether distributions check parameters and values unless they are told.

        Args:
            value: True or False.

        Raises:
            ValueError: It is neither.
        """
        if value not in {True, False}:
            raise ArgumentError(f"set_default_validate_args: value must be a bool, got {value!r}")
        Distribution._validate_args = bool(value)

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """The shape of the distributions."""
        return self._batch_shape

    @property
    def event_shape(self) -> tuple[int, ...]:
        """The shape of one value."""
        return self._event_shape

    @property
    def support(self) -> Any:
        """The constraint that values satisfy."""
        raise NotImplementedError

    @property
    def mean(self) -> Tensor:
        """The mean of each distribution."""
        raise NotImplementedError

    @property
    def mode(self) -> Tensor:
        """The most probable value of each distribution."""
        raise NotImplementedError(f"{self.__class__} does not implement mode")

    @property
    def variance(self) -> Tensor:
        """The variance of each distribution."""
        raise NotImplementedError

    @property
    def stddev(self) -> Tensor:
        """The square root of the variance."""
        return self.variance.sqrt()

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """Return the distribution with its batch dimensions expanded; no memory is allocated.

        Args:
            batch_shape: The new shape.
            _instance: What is filled, for subclasses with an expand() of their own.
        """
        new = self._expandable(_instance)
        shape = tuple(batch_shape)
        for name, event_dims in self._expanded.items():
            if name in self.__dict__:
                value = self.__dict__[name]
                event = tuple(value.shape[value.ndim - event_dims :])
                new.__dict__[name] = value.expand(shape + event)
        new._batch_shape, new._event_shape = shape, self._event_shape
        new._validate_args = self._validate_args
        return new

    def _expandable(self, instance: Any) -> Any:
        """A copy without what is computed on demand."""
        if instance is None and type(self).__init__ is not _owner_of_expand(type(self)).__init__:
            raise NotImplementedError(
                f"Subclass {type(self).__name__} of {_owner_of_expand(type(self)).__name__} that "
                "defines a custom __init__ method must also define a custom .expand() method."
            )
        return object.__new__(type(self)) if instance is None else instance

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw values without gradients, of the shape `sample_shape + batch_shape + event_shape`.

        Args:
            sample_shape: How many, as a shape.
        """
        with no_grad():
            return self.rsample(sample_shape)

    def sample_n(self, n: int) -> Tensor:
        """Draw `n` values, as older programs do; a warning names `sample((n,))`.

        Args:
            n: How many.
        """
        warnings.warn(
            "`sample_n(n)` will be deprecated. Use `sample((n,))` instead.",
            FutureWarning,
            stacklevel=2,
        )
        return self.sample((n,))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw values with gradients for the parameters.

        Args:
            sample_shape: How many, as a shape.

        Raises:
            NotImplementedError: The values of this distribution are discrete.
        """
        raise NotImplementedError

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density, or of the probability, at `value`.

        Args:
            value: Values within the support, whose shape broadcasts with the distribution's.

        Raises:
            ValueError: A value is outside the support, or has another shape.
        """
        raise NotImplementedError

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of values up to `value`.

        Args:
            value: As log_prob's.
        """
        raise NotImplementedError

    def icdf(self, value: Tensor) -> Tensor:
        """Return the inverse of cdf.

        Args:
            value: Probabilities.
        """
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """Return all values of a discrete distribution, along a new first dimension.

        Args:
            expand: Repeat them for each distribution of the batch.
        """
        raise NotImplementedError

    def entropy(self) -> Tensor:
        """Return the entropy in nats, one for each distribution."""
        raise NotImplementedError

    def perplexity(self) -> Tensor:
        """Return e to the power of the entropy."""
        return self.entropy().exp()

    def _extended_shape(self, sample_shape: Any = ()) -> tuple[int, ...]:
        shape = (sample_shape,) if isinstance(sample_shape, int) else tuple(sample_shape)
        return (*shape, *self._batch_shape, *self._event_shape)

    def _validate_sample(self, value: Any) -> None:
        if not isinstance(value, Tensor):
            raise ArgumentError("The value argument to log_prob must be a Tensor")
        split = value.ndim - len(self._event_shape)
        if tuple(value.shape[max(split, 0) :]) != self._event_shape:
            raise ArgumentError(
                f"The right-most size of value must match event_shape: {tuple(value.shape)} vs "
                f"{self._event_shape}."
            )
        expected = self._batch_shape + self._event_shape
        for ours, theirs in zip(reversed(value.shape), reversed(expected), strict=False):
            if ours != 1 and theirs not in {1, ours}:
                raise ArgumentError(
                    "Value is not broadcastable with batch_shape+event_shape: "
                    f"{tuple(value.shape)} vs {expected}."
                )
        try:
            support = self.support
        except NotImplementedError:
            return
        if not bool(support.check(value).all()):
            raise ArgumentError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) "
                f"to be within the support ({support!r}) of the distribution {self!r}, but found "
                f"invalid values:\n{value}"
            )

    def __repr__(self) -> str:
        names = [name for name in self.arg_constraints if name in self.__dict__ and self._shown]
        shown = []
        for name in names:
            value = self.__dict__[name]
            one = isinstance(value, Tensor) and value.numel() == 1
            text = f"{value}" if one or not isinstance(value, Tensor) else f"{tuple(value.shape)}"
            shown.append(f"{name}: {text}")
        return f"{type(self).__name__}({', '.join(shown)})"


def _owner_of_expand(kind: type[Distribution]) -> Any:
    """The nearest class of this package: those of users inherit its expand()."""
    return next(c for c in kind.__mro__ if c.__module__.startswith("gpukit."))


class ExponentialFamily(Distribution):
    """Base of the distributions that are an exponential family."""


def broadcast_all(function: str, *values: Any) -> list[Tensor]:
    """Numbers and tensors as tensors of one shape; numbers take a tensor's dtype and device."""
    for value in values:
        if not isinstance(value, (Tensor, numbers.Number)):
            raise ArgumentError(
                f"{function}: Input arguments must all be instances of Number, Tensor or objects "
                f"implementing __torch_function__; got {type(value).__name__}"
                + _core.torch_advice(value)
            )
    tensors = [value for value in values if isinstance(value, Tensor)]
    dtype = tensors[0].dtype if tensors else _core.get_default_dtype()
    device = tensors[0].device if tensors else None
    made = [
        value if isinstance(value, Tensor) else _core.tensor(value, dtype=dtype, device=device)
        for value in values
    ]
    same = len({tuple(value.shape) for value in made}) == 1  # then they stay the leaves they are
    return made if same else list(_core.broadcast_tensors(*made))


def one_of(first: str, a: Any, second: str, b: Any) -> None:
    """Raise unless just one of two parameters is given."""
    if (a is None) == (b is None):
        raise ArgumentError(f"Either `{first}` or `{second}` must be specified, but not both.")


def clamped(probabilities: Tensor) -> Tensor:
    """Probabilities away from 0 and 1, so that their logarithms are finite."""
    eps = finfo(probabilities.dtype).eps
    return probabilities.clamp(eps, 1 - eps)


def logits_of(probabilities: Tensor, *, binary: bool = False) -> Tensor:
    """Logarithms of probabilities, or of their odds."""
    safe = clamped(probabilities)
    return safe.log() - (-safe).log1p() if binary else safe.log()


def probabilities_of(logits: Tensor, *, binary: bool = False) -> Tensor:
    """Probabilities of logits."""
    return logits.sigmoid() if binary else logits.softmax(-1)


def on_demand(function: Callable[[Any], Tensor]) -> Any:
    """A parameter that is computed from another at its first use, with its graph."""

    def compute(self: Any) -> Tensor:
        with enable_grad():
            return function(self)

    compute.__doc__ = function.__doc__
    return cached_property(compute)


def sum_rightmost(value: Tensor, dims: int) -> Tensor:
    """The sum over the last dimensions."""
    return value.sum(list(range(-dims, 0))) if dims else value


def uniform_like(distribution: Any, like: Tensor, sample_shape: Any) -> Tensor:
    """Uniform numbers in [0, 1) of the shape of samples."""
    shape = distribution._extended_shape(sample_shape)
    return _core.rand(shape, dtype=like.dtype, device=like.device)


def tiny(dtype: Any) -> float:
    """The smallest normal number of a dtype."""
    return float(finfo(dtype).tiny)


LOG_2PI = math.log(2 * math.pi)
