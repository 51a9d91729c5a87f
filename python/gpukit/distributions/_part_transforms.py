"""Transforms made of others, by dimension or by slice; reshaping; distribution functions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gpukit import _core
from gpukit._core import Tensor
from gpukit.distributions import constraints
from gpukit.distributions._transform import Transform
from gpukit.distributions.distribution import sum_rightmost
from gpukit.errors import ArgumentError


class IndependentTransform(Transform):
    """A transform of which some more of the last dimensions count as one value.

    Args:
        base_transform: The transform.
        reinterpreted_batch_ndims: How many more dimensions.
        cache_size: As Transform's.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions.transforms import ExpTransform, IndependentTransform
        >>> vectors, x = IndependentTransform(ExpTransform(), 1), gpukit.ones(2)
        >>> vectors.log_abs_det_jacobian(x, vectors(x))
        tensor(2.)
    """

    def __init__(
        self, base_transform: Transform, reinterpreted_batch_ndims: int, cache_size: int = 0
    ) -> None:
        super().__init__(cache_size)
        _check_transforms("IndependentTransform: base_transform", [base_transform])
        self.base_transform = base_transform.with_cache(cache_size)
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    def with_cache(self, cache_size: int = 1) -> Transform:
        if cache_size == self._cache_size:
            return self
        return IndependentTransform(self.base_transform, self.reinterpreted_batch_ndims, cache_size)

    @property
    def domain(self) -> Any:
        return constraints.independent(self.base_transform.domain, self.reinterpreted_batch_ndims)

    @property
    def codomain(self) -> Any:
        dims = self.reinterpreted_batch_ndims
        return constraints.independent(self.base_transform.codomain, dims)

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        return self.base_transform.bijective

    @property
    def sign(self) -> Any:  # type: ignore[override]
        return self.base_transform.sign

    def _call(self, x: Tensor) -> Tensor:
        check_dimensions(x.shape, self.domain.event_dim)
        return self.base_transform(x)

    def _inverse(self, y: Tensor) -> Tensor:
        check_dimensions(y.shape, self.codomain.event_dim)
        return self.base_transform.inv(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        slope = self.base_transform.log_abs_det_jacobian(x, y)
        return sum_rightmost(slope, self.reinterpreted_batch_ndims)

    def forward_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        return self.base_transform.inverse_shape(shape)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, IndependentTransform)
            and self.reinterpreted_batch_ndims == other.reinterpreted_batch_ndims
            and self.base_transform == other.base_transform
        )

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        name = type(self).__name__
        return f"{name}({self.base_transform!r}, {self.reinterpreted_batch_ndims})"


class ReshapeTransform(Transform):
    """Values of one shape as values of another with as many elements.

    Args:
        in_shape: The shape of the arguments' values.
        out_shape: The shape that they get.
        cache_size: As Transform's.

    Raises:
        ValueError: The shapes have different numbers of elements.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions.transforms import ReshapeTransform
        >>> ReshapeTransform((2, 3), (6,))(gpukit.zeros(5, 2, 3)).shape
        (5, 6)
    """

    bijective = True

    def __init__(
        self, in_shape: Sequence[int], out_shape: Sequence[int], cache_size: int = 0
    ) -> None:
        super().__init__(cache_size)
        self.in_shape, self.out_shape = tuple(in_shape), tuple(out_shape)
        if math.prod(self.in_shape) != math.prod(self.out_shape):
            raise ArgumentError(
                "in_shape, out_shape have different numbers of elements: "
                f"{self.in_shape} and {self.out_shape}"
            )

    @property
    def domain(self) -> Any:
        return constraints.independent(constraints.real, len(self.in_shape))

    @property
    def codomain(self) -> Any:
        return constraints.independent(constraints.real, len(self.out_shape))

    @property
    def sign(self) -> Any:  # type: ignore[override]
        raise NotImplementedError("a ReshapeTransform has no sign")

    def _call(self, x: Tensor) -> Tensor:
        return x.reshape(self.forward_shape(x.shape))

    def _inverse(self, y: Tensor) -> Tensor:
        return y.reshape(self.inverse_shape(y.shape))

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        batch = x.shape[: x.ndim - len(self.in_shape)]
        return _core.zeros(batch, dtype=x.dtype, device=x.device)

    def forward_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        return _reshaped(tuple(shape), self.in_shape, self.out_shape)

    def inverse_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        return _reshaped(tuple(shape), self.out_shape, self.in_shape)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ReshapeTransform):
            return False
        return (self.in_shape, self.out_shape) == (other.in_shape, other.out_shape)

    __hash__ = object.__hash__


def _reshaped(
    shape: tuple[int, ...], old: tuple[int, ...], new: tuple[int, ...]
) -> tuple[int, ...]:
    check_dimensions(shape, len(old))
    split = len(shape) - len(old)
    if shape[split:] != old:
        raise ArgumentError(f"Shape mismatch: expected {shape[split:]} but got {old}")
    return shape[:split] + new


class _Parts(Transform):
    """Transforms side by side along a dimension."""

    transforms: list[Transform]
    dim: int
    _constraint: Callable[..., Any]  # of the parts' constraints

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        return all(part.bijective for part in self.transforms)

    @property
    def sign(self) -> Any:  # type: ignore[override]
        raise NotImplementedError(f"a {type(self).__name__} has no sign")

    def _each(self, *tensors: Tensor) -> Iterator[tuple[Any, ...]]:
        """Each part with its slices."""
        raise NotImplementedError

    def _joined(self, slices: list[Tensor]) -> Tensor:
        raise NotImplementedError

    def _call(self, x: Tensor) -> Tensor:
        return self._joined([part(piece) for part, piece in self._each(x)])

    def _inverse(self, y: Tensor) -> Tensor:
        return self._joined([part.inv(piece) for part, piece in self._each(y)])

    def __eq__(self, other: object) -> bool:
        if not (isinstance(other, _Parts) and type(self) is type(other)):
            return False
        return (self.dim, self.transforms) == (other.dim, other.transforms)

    __hash__ = object.__hash__


class StackTransform(_Parts):
    """Transforms of the slices along a dimension, one each.

    Args:
        tseq: A transform for each slice.
        dim: The dimension.
        cache_size: As Transform's.

    Raises:
        ValueError: tseq has something else than transforms, or their number is not the size.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions.transforms import *
        >>> StackTransform([ExpTransform(), AffineTransform(1.0, 2.0)])(gpukit.zeros(2))
        tensor([1., 1.])
    """

    def __init__(self, tseq: Sequence[Transform], dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.transforms = _taken("StackTransform: tseq", tseq, cache_size)
        self.dim = dim

    def with_cache(self, cache_size: int = 1) -> Transform:
        same = cache_size == self._cache_size
        return self if same else StackTransform(self.transforms, self.dim, cache_size)

    @property
    def domain(self) -> Any:
        return constraints.stack([part.domain for part in self.transforms], self.dim)

    @property
    def codomain(self) -> Any:
        return constraints.stack([part.codomain for part in self.transforms], self.dim)

    def _each(self, *tensors: Tensor) -> Iterator[tuple[Any, ...]]:
        for tensor in tensors:
            _check_size(tensor, self.dim, len(self.transforms))
        for at, part in enumerate(self.transforms):
            yield (part, *[tensor.select(self.dim, at) for tensor in tensors])

    def _joined(self, slices: list[Tensor]) -> Tensor:
        return _core.stack(slices, self.dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return self._joined([p.log_abs_det_jacobian(a, b) for p, a, b in self._each(x, y)])


class CatTransform(_Parts):
    """Transforms of neighbouring pieces along a dimension.

    Args:
        tseq: A transform for each piece.
        dim: The dimension.
        lengths: How long each piece is; None means 1.
        cache_size: As Transform's.

    Raises:
        ValueError: tseq has something else than transforms, or the lengths do not fit.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions.transforms import *
        >>> parts = [ExpTransform(), AffineTransform(1.0, 2.0)]
        >>> CatTransform(parts, lengths=[1, 2])(gpukit.ones(3))
        tensor([2.7183, 3.0000, 3.0000])
    """

    def __init__(
        self,
        tseq: Sequence[Transform],
        dim: int = 0,
        lengths: Sequence[int] | None = None,
        cache_size: int = 0,
    ) -> None:
        super().__init__(cache_size)
        self.transforms = _taken("CatTransform: tseq", tseq, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise ArgumentError(
                f"CatTransform: lengths has {len(self.lengths)} numbers for "
                f"{len(self.transforms)} transforms; give one for each"
            )
        self.dim = dim

    def with_cache(self, cache_size: int = 1) -> Transform:
        if cache_size == self._cache_size:
            return self
        return CatTransform(self.transforms, self.dim, self.lengths, cache_size)

    @property
    def event_dim(self) -> int:
        """How many dimensions a value has: the most of the parts."""
        return max(part.event_dim for part in self.transforms)

    @property
    def length(self) -> int:
        """The size of the dimension."""
        return sum(self.lengths)

    @property
    def domain(self) -> Any:
        found = [part.domain for part in self.transforms]
        return constraints.cat(found, self.dim, self.lengths)

    @property
    def codomain(self) -> Any:
        found = [part.codomain for part in self.transforms]
        return constraints.cat(found, self.dim, self.lengths)

    def _each(self, *tensors: Tensor) -> Iterator[tuple[Any, ...]]:
        for tensor in tensors:
            _check_size(tensor, self.dim, self.length)
        start = 0
        for part, length in zip(self.transforms, self.lengths, strict=True):
            yield (part, *[tensor.narrow(self.dim, start, length) for tensor in tensors])
            start += length

    def _joined(self, slices: list[Tensor]) -> Tensor:
        return _core.cat(slices, self.dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        most = self.event_dim
        found = [
            sum_rightmost(part.log_abs_det_jacobian(a, b), most - part.event_dim)
            for part, a, b in self._each(x, y)
        ]
        from_end = self.dim - x.ndim if self.dim >= 0 else self.dim
        if from_end + most < 0:
            return _core.cat(found, from_end + most)
        return sum(found[1:], found[0])  # the dimension is one of the values'

    def __eq__(self, other: object) -> bool:
        return super().__eq__(other) and self.lengths == other.lengths  # type: ignore[attr-defined]

    __hash__ = object.__hash__


class CumulativeDistributionTransform(Transform):
    """y = cdf(x) of a distribution: uniform where x has that distribution.

    Args:
        distribution: One with a cdf and an icdf.
        cache_size: As Transform's.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions import Normal
        >>> from gpukit.distributions.transforms import CumulativeDistributionTransform
        >>> CumulativeDistributionTransform(Normal(0.0, 1.0))(gpukit.zeros(1))
        tensor([0.5000])
    """

    bijective = True
    codomain = constraints.unit_interval

    def __init__(self, distribution: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.distribution = distribution

    @property
    def domain(self) -> Any:
        return self.distribution.support

    def _call(self, x: Tensor) -> Tensor:
        return self.distribution.cdf(x)  # type: ignore[no-any-return]

    def _inverse(self, y: Tensor) -> Tensor:
        return self.distribution.icdf(y)  # type: ignore[no-any-return]

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return self.distribution.log_prob(x)  # type: ignore[no-any-return]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CumulativeDistributionTransform):
            return False
        return self.distribution is other.distribution

    __hash__ = object.__hash__


def check_dimensions(shape: Sequence[int], dims: int) -> None:
    """Raise where a value has too few dimensions."""
    if len(shape) < dims:
        raise ArgumentError(f"Too few dimensions on input: {tuple(shape)}, at least {dims} needed")


def _check_transforms(where: str, parts: Sequence[Any]) -> None:
    for part in parts:
        if not isinstance(part, Transform):
            raise ArgumentError(
                f"{where} must have Transform instances only, got {type(part).__name__}"
            )


def _taken(where: str, tseq: Sequence[Any], cache_size: int) -> list[Transform]:
    parts = list(tseq)
    _check_transforms(where, parts)
    return [part.with_cache(cache_size) for part in parts] if cache_size else parts


def _check_size(tensor: Tensor, dim: int, size: int) -> None:
    if not -tensor.ndim <= dim < tensor.ndim or tensor.shape[dim] != size:
        raise ArgumentError(
            f"a value of shape {tuple(tensor.shape)} must have {size} places along dim {dim}"
        )
