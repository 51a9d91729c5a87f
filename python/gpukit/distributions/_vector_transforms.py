"""Transforms of vectors and matrices: probabilities, triangles, correlations, covariances."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from gpukit import _core
from gpukit._core import Tensor
from gpukit._tensors.limits import finfo
from gpukit.distributions import constraints
from gpukit.distributions._part_transforms import check_dimensions
from gpukit.distributions._transform import Plain
from gpukit.errors import ArgumentError
from gpukit.nn.functional import softplus


class _Unsigned(Plain):
    """A transform of whole vectors: it neither rises nor falls."""

    @property
    def sign(self) -> Any:  # type: ignore[override]
        raise NotImplementedError(f"a {type(self).__name__} has no sign")


class SoftmaxTransform(_Unsigned):
    """Probabilities of logits along the last dimension; the inverse takes their logarithms.

    Args:
        cache_size: As Transform's.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions.transforms import SoftmaxTransform
        >>> SoftmaxTransform()(gpukit.zeros(2))
        tensor([0.5000, 0.5000])
    """

    domain = constraints.real_vector
    codomain = constraints.simplex

    def _call(self, x: Tensor) -> Tensor:
        check_dimensions(x.shape, 1)
        return x.softmax(-1)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def forward_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        check_dimensions(shape, 1)
        return tuple(shape)

    def inverse_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        check_dimensions(shape, 1)
        return tuple(shape)


class StickBreakingTransform(_Unsigned):
    """n numbers as n + 1 probabilities: each breaks its share off what is left of a stick.

    Zeros give equal probabilities (Carpenter et al. 2017, on Stan's unit simplex).

    Args:
        cache_size: As Transform's.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions.transforms import StickBreakingTransform
        >>> StickBreakingTransform()(gpukit.zeros(3))
        tensor([0.2500, 0.2500, 0.2500, 0.2500])
    """

    bijective = True
    domain = constraints.real_vector
    codomain = constraints.simplex

    def _call(self, x: Tensor) -> Tensor:
        check_dimensions(x.shape, 1)
        shares = (x - _log_left(x)).sigmoid()
        one = _core.ones_like(x[..., :1])
        left = _core.cat([one, (1 - shares).cumprod(-1)], -1)
        return _core.cat([shares, one], -1) * left

    def _inverse(self, y: Tensor) -> Tensor:
        first = y[..., :-1]
        left = (1 - first.cumsum(-1)).clamp(min=finfo(y.dtype).tiny)
        return first.log() - left.log() + _log_left(first)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return (y[..., :-1].log() - softplus(x - _log_left(x))).sum(-1)

    def forward_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        check_dimensions(shape, 1)
        return (*shape[:-1], shape[-1] + 1)

    def inverse_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        check_dimensions(shape, 1)
        return (*shape[:-1], shape[-1] - 1)


def _log_left(x: Tensor) -> Tensor:
    """The logarithm of how many pieces are still to come, at each place."""
    size = x.shape[-1]
    return _core.arange(size, 0, -1, dtype=x.dtype, device=x.device).log()


class LowerCholeskyTransform(_Unsigned):
    """A matrix as a lower triangle with a positive diagonal, the exponential of its own.

    Args:
        cache_size: As Transform's.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions.transforms import LowerCholeskyTransform
        >>> LowerCholeskyTransform()(gpukit.zeros(2, 2))
        tensor([[1., 0.],
                [0., 1.]])
    """

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky

    def _call(self, x: Tensor) -> Tensor:
        check_dimensions(x.shape, 2)
        return x.tril(-1) + _core.diag_embed(x.diagonal(dim1=-2, dim2=-1).exp())

    def _inverse(self, y: Tensor) -> Tensor:
        return y.tril(-1) + _core.diag_embed(y.diagonal(dim1=-2, dim2=-1).log())


class PositiveDefiniteTransform(_Unsigned):
    """A matrix as a positive-definite one: LowerCholeskyTransform's triangle by its transpose.

    Args:
        cache_size: As Transform's.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions.transforms import PositiveDefiniteTransform
        >>> PositiveDefiniteTransform()(gpukit.zeros(2, 2))
        tensor([[1., 0.],
                [0., 1.]])
    """

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite

    def _call(self, x: Tensor) -> Tensor:
        factor = LowerCholeskyTransform()(x)
        return factor @ factor.mT

    def _inverse(self, y: Tensor) -> Tensor:
        return LowerCholeskyTransform().inv(_core.linalg_cholesky(y))


class CorrCholeskyTransform(_Unsigned):
    """n (n - 1) / 2 numbers as the Cholesky factor of a matrix of correlations.

    Their hyperbolic tangents are partial correlations (Lewandowski, Kurowicka and Joe 2009).

    Args:
        cache_size: As Transform's.

    Raises:
        ValueError: The numbers are no triangle.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions.transforms import CorrCholeskyTransform
        >>> CorrCholeskyTransform()(gpukit.tensor([1.0]))
        tensor([[1.0000, 0.0000],
                [0.7616, 0.6481]])
    """

    bijective = True
    domain = constraints.real_vector
    codomain = constraints.corr_cholesky

    def _call(self, x: Tensor) -> Tensor:
        eps = finfo(x.dtype).eps
        partial = _triangle(x.tanh().clamp(-1 + eps, 1 - eps), _side(x.shape))
        left = (1 - partial.square()).sqrt().cumprod(-1)
        eye = _core.eye(partial.shape[-1], dtype=x.dtype, device=x.device)
        return (partial + eye) * _moved(left)

    def _inverse(self, y: Tensor) -> Tensor:
        left = _moved(1 - y.square().cumsum(-1))
        return (_below(y, 1) / _below(left, 1).sqrt()).atanh()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        left = _below(1 - y.square().cumsum(-1), 2)
        tangents = (x + softplus(-2 * x) - math.log(2)).sum(-1)
        return 0.5 * left.log().sum(-1) - 2 * tangents

    def forward_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        check_dimensions(shape, 1)
        side = _side(shape)
        return (*shape[:-1], side, side)

    def inverse_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        check_dimensions(shape, 2)
        side = shape[-1]
        if shape[-2] != side:
            raise ArgumentError(f"Input is not square: {tuple(shape)}")
        return (*shape[:-2], side * (side - 1) // 2)


def _side(shape: Sequence[int]) -> int:
    """The side of the matrix below whose diagonal there are so many numbers."""
    check_dimensions(shape, 1)
    count = shape[-1]
    side = (1 + math.isqrt(1 + 8 * count)) // 2
    if side * (side - 1) // 2 != count:
        raise ArgumentError(
            f"Input is not a flattened lower-diagonal number: its last dimension is {count}, not "
            "n (n - 1) / 2 for any n"
        )
    return side


def _triangle(vectors: Tensor, side: int) -> Tensor:
    """Matrices with a vector's numbers below the diagonal, row by row, and zeros elsewhere."""
    columns = _core.arange(side, device=vectors.device)
    rows = columns.unsqueeze(-1)
    behind = vectors.shape[-1]  # the place of the zero
    places = _core.where(columns < rows, rows * (rows - 1) // 2 + columns, behind)
    zero = _core.zeros((*vectors.shape[:-1], 1), dtype=vectors.dtype, device=vectors.device)
    taken = _core.cat([vectors, zero], -1).index_select(-1, places.reshape(-1))
    return taken.reshape(*vectors.shape[:-1], side, side)


def _below(matrices: Tensor, diagonal: int) -> Tensor:
    """The numbers so far below the diagonal, row by row, as vectors."""
    side = matrices.shape[-1]
    rows, columns = _core.tril_indices(side, side, -diagonal, device=matrices.device)
    flat = matrices.reshape(*matrices.shape[:-2], side * side)
    return flat.index_select(-1, rows * side + columns)


def _moved(matrices: Tensor) -> Tensor:
    """The columns moved to the right by one, with ones before them."""
    return _core.cat([_core.ones_like(matrices[..., :1]), matrices[..., :-1]], -1)
