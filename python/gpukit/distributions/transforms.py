"""Invertible functions with the logarithm of their Jacobian, for TransformedDistribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from gpukit import _core
from gpukit._arguments import int_from
from gpukit._core import Tensor
from gpukit._names.suggest import module_getattr
from gpukit._tensors.limits import finfo
from gpukit.distributions import constraints
from gpukit.distributions.distribution import sum_rightmost
from gpukit.errors import ArgumentError
from gpukit.nn.functional import softplus

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "ComposeTransform",
    "ExpTransform",
    "PowerTransform",
    "SigmoidTransform",
    "SoftplusTransform",
    "TanhTransform",
    "Transform",
    "identity_transform",
]


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
        """How many dimensions a value has that the transform takes."""
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
        return type(self) is type(other)

    __hash__ = object.__hash__

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


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
        return self.parts[0].domain if self.parts else constraints.real

    @property
    def codomain(self) -> Any:
        return self.parts[-1].codomain if self.parts else constraints.real

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
        found: Any = _core.zeros_like(x)
        for part in self.parts:
            y = part(x)
            found = found + part.log_abs_det_jacobian(x, y)
            x = y
        return found  # type: ignore[no-any-return]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        parts = ",\n    ".join(map(repr, self.parts))
        return f"ComposeTransform(\n    {parts}\n)"


class ExpTransform(Transform):
    """y = exp(x).

    Args:
        cache_size: As Transform's.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions.transforms import ExpTransform
        >>> ExpTransform()(gpukit.zeros(1))
        tensor([1.])
    """

    bijective = True
    codomain = constraints.positive

    def _call(self, x: Tensor) -> Tensor:
        return x.exp()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return x


class PowerTransform(Transform):
    """y = x ** exponent, of positive numbers.

    Args:
        exponent: A number or a tensor.
        cache_size: As Transform's.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions.transforms import PowerTransform
        >>> PowerTransform(2.0)(gpukit.tensor([3.0]))
        tensor([9.])
    """

    bijective = True
    domain = constraints.positive
    codomain = constraints.positive

    def __init__(self, exponent: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.exponent = exponent if isinstance(exponent, Tensor) else _core.tensor(float(exponent))

    @property
    def sign(self) -> Any:  # type: ignore[override]
        return self.exponent.sign()

    def _call(self, x: Tensor) -> Tensor:
        return x.pow(self.exponent)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return (self.exponent * y / x).abs().log()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PowerTransform) and bool((self.exponent == other.exponent).all())

    __hash__ = object.__hash__


class SigmoidTransform(Transform):
    """y = 1 / (1 + exp(-x)).

    Args:
        cache_size: As Transform's.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions.transforms import SigmoidTransform
        >>> SigmoidTransform()(gpukit.zeros(1))
        tensor([0.5000])
    """

    bijective = True
    codomain = constraints.unit_interval

    def _call(self, x: Tensor) -> Tensor:
        limits = finfo(x.dtype)
        return x.sigmoid().clamp(limits.tiny, 1.0 - limits.eps)

    def _inverse(self, y: Tensor) -> Tensor:
        limits = finfo(y.dtype)
        y = y.clamp(limits.tiny, 1.0 - limits.eps)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -softplus(-x) - softplus(x)


class SoftplusTransform(Transform):
    """y = log(1 + exp(x)).

    Args:
        cache_size: As Transform's.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions.transforms import SoftplusTransform
        >>> SoftplusTransform()(gpukit.zeros(1))
        tensor([0.6931])
    """

    bijective = True
    codomain = constraints.positive

    def _call(self, x: Tensor) -> Tensor:
        return softplus(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return (-(-y).expm1()).log() + y

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -softplus(-x)


class TanhTransform(Transform):
    """y = tanh(x); give it cache_size=1 where log_prob follows a sample.

    Args:
        cache_size: As Transform's.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions.transforms import TanhTransform
        >>> TanhTransform()(gpukit.zeros(1))
        tensor([0.])
    """

    bijective = True
    codomain = constraints.interval(-1.0, 1.0)

    def _call(self, x: Tensor) -> Tensor:
        return x.tanh()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.atanh()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return 2.0 * (math.log(2.0) - x - softplus(-2.0 * x))


class AbsTransform(Transform):
    """y = |x|, which has no inverse: `inv` gives the positive one.

    Args:
        cache_size: As Transform's.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions.transforms import AbsTransform
        >>> AbsTransform()(gpukit.tensor([-2.0]))
        tensor([2.])
    """

    codomain = constraints.positive

    def _call(self, x: Tensor) -> Tensor:
        return x.abs()

    def _inverse(self, y: Tensor) -> Tensor:
        return y


class AffineTransform(Transform):
    """y = loc + scale * x.

    Args:
        loc: A number or a tensor.
        scale: A number or a tensor.
        event_dim: How many of the last dimensions are one value.
        cache_size: As Transform's.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions.transforms import AffineTransform
        >>> AffineTransform(1.0, 2.0)(gpukit.ones(1))
        tensor([3.])
    """

    bijective = True

    def __init__(self, loc: Any, scale: Any, event_dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.loc, self.scale = loc, scale
        self._event_dim = event_dim
        if event_dim:
            self.domain = self.codomain = constraints.independent(constraints.real, event_dim)

    @property
    def sign(self) -> Any:  # type: ignore[override]
        if isinstance(self.scale, Tensor):
            return self.scale.sign()
        return (self.scale > 0) - (self.scale < 0)

    def _call(self, x: Tensor) -> Tensor:
        return self.loc + self.scale * x  # type: ignore[no-any-return]

    def _inverse(self, y: Tensor) -> Tensor:
        return (y - self.loc) / self.scale  # type: ignore[no-any-return]

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        if isinstance(self.scale, Tensor):
            found = self.scale.abs().log()
        else:
            found = _core.full_like(x, math.log(abs(self.scale)))
        if isinstance(self.scale, Tensor) and self._event_dim:
            found = found.expand(_core.broadcast_shapes(found.shape, x.shape))
        found = sum_rightmost(found, self._event_dim)
        return found.expand(x.shape[: x.ndim - self._event_dim])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AffineTransform):
            return False
        return all(
            bool((_core.as_tensor(a) == _core.as_tensor(b)).all())
            for a, b in ((self.loc, other.loc), (self.scale, other.scale))
        )

    __hash__ = object.__hash__


identity_transform = ComposeTransform([])

__getattr__ = module_getattr(__name__)
