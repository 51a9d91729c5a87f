"""Invertible functions with the logarithm of their Jacobian, for TransformedDistribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from gpukit import _core
from gpukit._core import Tensor
from gpukit._names.suggest import module_getattr
from gpukit._tensors.limits import finfo
from gpukit.distributions import constraints
from gpukit.distributions._part_transforms import (
    CatTransform,
    CumulativeDistributionTransform,
    IndependentTransform,
    ReshapeTransform,
    StackTransform,
)
from gpukit.distributions._transform import ComposeTransform, Plain, Transform
from gpukit.distributions._vector_transforms import (
    CorrCholeskyTransform,
    LowerCholeskyTransform,
    PositiveDefiniteTransform,
    SoftmaxTransform,
    StickBreakingTransform,
)
from gpukit.distributions.distribution import sum_rightmost
from gpukit.nn.functional import softplus

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "CatTransform",
    "ComposeTransform",
    "CorrCholeskyTransform",
    "CumulativeDistributionTransform",
    "ExpTransform",
    "IndependentTransform",
    "LowerCholeskyTransform",
    "PositiveDefiniteTransform",
    "PowerTransform",
    "ReshapeTransform",
    "SigmoidTransform",
    "SoftmaxTransform",
    "SoftplusTransform",
    "StackTransform",
    "StickBreakingTransform",
    "TanhTransform",
    "Transform",
    "identity_transform",
]


class ExpTransform(Plain):
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

    def forward_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        return tuple(_core.broadcast_shapes(tuple(shape), tuple(self.exponent.shape)))

    def inverse_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        return self.forward_shape(shape)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PowerTransform) and bool((self.exponent == other.exponent).all())

    __hash__ = object.__hash__


class SigmoidTransform(Plain):
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


class SoftplusTransform(Plain):
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


class TanhTransform(Plain):
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


class AbsTransform(Plain):
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

    def forward_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        tensors = [each for each in (self.loc, self.scale) if isinstance(each, Tensor)]
        return tuple(_core.broadcast_shapes(tuple(shape), *[tuple(t.shape) for t in tensors]))

    def inverse_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        return self.forward_shape(shape)

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
