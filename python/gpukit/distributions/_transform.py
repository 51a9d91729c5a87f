"""What all transforms share: inverses, cache, shapes, equality; one transform after another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpukit import _core
from gpukit._arguments import int_from
from gpukit._core import Tensor
from gpukit.distributions import constraints
from gpukit.distributions.distribution import sum_rightmost
from gpukit.errors import ArgumentError

__all__ = ["ComposeTransform", "Transform"]


class Transform:
    """Base of transforms: write `_call`, `_inverse` and `log_abs_det_jacobian`.

    Args:
        cache_size: 1 keeps the last value with its inverse, 0 keeps nothing.

    Raises:
        ValueError: cache_size is neither 0 nor 1.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions.transforms import ExpTransform
        >>> transform = ExpTransform()
        >>> transform.inv(transform(gpukit.tensor([0.0, 1.0])))
        tensor([0., 1.])
    """

    bijective = False
    domain: Any = constraints.real
    codomain: Any = constraints.real
    sign = 1

    def __init__(self, cache_size: int = 0) -> None:
        if int_from(type(self).__name__, "cache_size", cache_size, 0) > 1:
            raise ArgumentError(f"cache_size must be 0 or 1, got {cache_size}")
        self._cache_size = cache_size
        self._last: tuple[Any, Any] = (None, None)

    @property
    def event_dim(self) -> int:
        """How many dimensions a value has, where the transform keeps their number.

        Raises:
            ValueError: It does not keep it.
        """
        if self.domain.event_dim != self.codomain.event_dim:
            raise ArgumentError(
                f"{type(self).__name__}.event_dim: values have {self.domain.event_dim} dimensions "
                f"before and {self.codomain.event_dim} after. Please use either .domain.event_dim "
                "or .codomain.event_dim"
            )
        return int(self.domain.event_dim)

    @property
    def inv(self) -> Transform:
        """The inverse transform."""
        return _Inverse(self)

    def with_cache(self, cache_size: int = 1) -> Transform:
        """Return the transform with another size of the cache.

        Args:
            cache_size: 0 or 1.
        """
        if cache_size == self._cache_size:
            return self
        new = object.__new__(type(self))
        new.__dict__.update(self.__dict__)
        Transform.__init__(new, cache_size)
        return new

    def __call__(self, x: Tensor) -> Tensor:
        """Return the value of `x`."""
        if self._cache_size and self._last[0] is x:
            return self._last[1]  # type: ignore[no-any-return]
        y = self._call(x)
        if self._cache_size:
            self._last = (x, y)
        return y

    def _inv_call(self, y: Tensor) -> Tensor:
        if self._cache_size and self._last[1] is y:
            return self._last[0]  # type: ignore[no-any-return]
        x = self._inverse(y)
        if self._cache_size:
            self._last = (x, y)
        return x

    def _call(self, x: Tensor) -> Tensor:
        raise NotImplementedError

    def _inverse(self, y: Tensor) -> Tensor:
        raise NotImplementedError

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return log(|dy/dx|), one for each value.

        Args:
            x: Values of the domain.
            y: What the transform makes of them.
        """
        raise NotImplementedError

    def forward_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Return the shape of the transform's values.

        Args:
            shape: That of its arguments.
        """
        return tuple(shape)

    def inverse_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Return the shape of the transform's arguments.

        Args:
            shape: That of its values.
        """
        return tuple(shape)

    def __eq__(self, other: object) -> bool:
        return self is other  # of a transform with parameters: as its class says

    __hash__ = object.__hash__

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class Plain(Transform):
    """A transform without parameters: those of one class are equal."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    __hash__ = object.__hash__


class _Inverse(Transform):
    """The inverse of a transform, which keeps the cache."""

    def __init__(self, transform: Transform) -> None:
        super().__init__(transform._cache_size)
        self._inv = transform
        self.bijective = transform.bijective

    @property
    def domain(self) -> Any:
        return self._inv.codomain

    @property
    def codomain(self) -> Any:
        return self._inv.domain

    @property
    def sign(self) -> Any:  # type: ignore[override]
        return self._inv.sign

    @property
    def inv(self) -> Transform:
        return self._inv

    def __call__(self, x: Tensor) -> Tensor:
        return self._inv._inv_call(x)

    def _inv_call(self, y: Tensor) -> Tensor:
        return self._inv(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -self._inv.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        return self._inv.inverse_shape(shape)

    def inverse_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        return self._inv.forward_shape(shape)

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self._inv.with_cache(cache_size).inv

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Inverse) and self._inv == other._inv

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"_InverseTransform({self._inv!r})"


class ComposeTransform(Transform):
    """Several transforms, one after the other.

    Args:
        parts: Transforms.
        cache_size: As Transform's.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions.transforms import *
        >>> ComposeTransform([ExpTransform(), AffineTransform(1.0, 2.0)])(gpukit.zeros(1))
        tensor([3.])
    """

    def __init__(self, parts: Sequence[Transform], cache_size: int = 0) -> None:
        parts = list(parts)
        self.parts = [part.with_cache(cache_size) for part in parts] if cache_size else parts
        super().__init__(cache_size)

    def with_cache(self, cache_size: int = 1) -> Transform:
        same = cache_size == self._cache_size
        return self if same else ComposeTransform(self.parts, cache_size)

    @property
    def domain(self) -> Any:
        if not self.parts:
            return constraints.real
        dims = self.parts[-1].codomain.event_dim
        for part in reversed(self.parts):
            dims += part.domain.event_dim - part.codomain.event_dim
            dims = max(dims, part.domain.event_dim)
        return _with_dimensions(self.parts[0].domain, dims)

    @property
    def codomain(self) -> Any:
        if not self.parts:
            return constraints.real
        dims = self.parts[0].domain.event_dim
        for part in self.parts:
            dims += part.codomain.event_dim - part.domain.event_dim
            dims = max(dims, part.codomain.event_dim)
        return _with_dimensions(self.parts[-1].codomain, dims)

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        return all(part.bijective for part in self.parts)

    @property
    def sign(self) -> Any:  # type: ignore[override]
        sign: Any = 1
        for part in self.parts:
            sign = sign * part.sign
        return sign

    @property
    def inv(self) -> Transform:
        return ComposeTransform([part.inv for part in reversed(self.parts)])

    def __call__(self, x: Tensor) -> Tensor:
        for part in self.parts:
            x = part(x)
        return x

    def _inv_call(self, y: Tensor) -> Tensor:
        for part in reversed(self.parts):
            y = part._inv_call(y)
        return y

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        if not self.parts:
            return _core.zeros_like(x)
        found: Any = 0.0
        dims = self.domain.event_dim
        for part in self.parts:
            y = part(x)
            slope = part.log_abs_det_jacobian(x, y)
            found = found + sum_rightmost(slope, dims - part.domain.event_dim)
            dims += part.codomain.event_dim - part.domain.event_dim
            x = y
        return found  # type: ignore[no-any-return]

    def forward_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        for part in self.parts:
            shape = part.forward_shape(shape)
        return tuple(shape)

    def inverse_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return tuple(shape)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        parts = ",\n    ".join(map(repr, self.parts))
        return f"ComposeTransform(\n    {parts}\n)"


def _with_dimensions(constraint: Any, dims: int) -> Any:
    """A constraint whose values have so many dimensions."""
    missing = dims - constraint.event_dim
    return constraints.independent(constraint, missing) if missing > 0 else constraint
