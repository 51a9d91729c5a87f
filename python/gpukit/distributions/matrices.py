"""Distributions of matrices: Cholesky factors of correlations, and Wishart's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

from gpukit import _core
from gpukit._core import Tensor
from gpukit.autograd import no_grad
from gpukit.distributions import constraints
from gpukit.distributions._draws import standard_gamma
from gpukit.distributions.distribution import (
    Distribution,
    ExponentialFamily,
    broadcast_all,
    tiny,
)
from gpukit.distributions.multivariate import (
    _MATRICES,
    _ByMatrix,
    _factor_of,
    _one_matrix,
    half_log_determinant,
)
from gpukit.errors import ArgumentError

__all__ = ["LKJCholesky", "Wishart"]


class LKJCholesky(Distribution):
    """Cholesky factors of correlations, as of Lewandowski, Kurowicka and Joe (2009).

    The density of the correlations is their determinant to the power of concentration - 1.

    Args:
        dim: The number of rows, 2 or more.
        concentration: Above 0; 1 gives uniform correlations, larger values smaller ones.
        validate_args: Check parameters and values.

    Raises:
        ValueError: dim is below 2, or concentration is not positive.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions import LKJCholesky
        >>> LKJCholesky(2, 1.0).log_prob(gpukit.eye(2))
        tensor(-0.6931)
    """

    arg_constraints: Any = {"concentration": constraints.positive}  # noqa: RUF012
    support = constraints.corr_cholesky
    _expanded: ClassVar[dict[str, int]] = {"concentration": 0}

    def __init__(
        self, dim: int, concentration: Any = 1.0, validate_args: bool | None = None
    ) -> None:
        if not isinstance(dim, int):
            raise TypeError(f"LKJCholesky: dim must be an int, got {type(dim).__name__}")
        if dim < 2:
            raise ArgumentError(
                f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}."
            )
        self.dim = dim
        (self.concentration,) = broadcast_all("LKJCholesky", concentration)
        super().__init__(self.concentration.shape, (dim, dim), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new.dim = self.dim
        return new

    def _rows(self) -> Tensor:
        """The numbers of the rows below the first."""
        given = self.concentration
        return _core.arange(1, self.dim, dtype=given.dtype, device=given.device)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw values row by row: the onion method.

        Args:
            sample_shape: How many, as a shape.
        """
        with no_grad():
            shape = self._extended_shape(sample_shape)
            rows, given = self._rows(), self.concentration.unsqueeze(-1)
            below = standard_gamma((rows / 2).expand(*shape[:-2], self.dim - 1))
            rest = given + (self.dim - 1 - rows) / 2
            beside = standard_gamma(rest.expand(*shape[:-2], self.dim - 1))
            zero = _core.zeros_like(below[..., :1])
            share = _core.cat([zero, below / (below + beside)], -1).unsqueeze(-1)
            normal = _core.randn(shape, dtype=given.dtype, device=given.device).tril(-1)
            length = normal.square().sum(-1, keepdim=True).sqrt().clamp(min=tiny(given.dtype))
            diagonal = (1 - share).clamp(min=tiny(given.dtype)).sqrt().squeeze(-1)
            return share.sqrt() * normal / length + _core.diag_embed(diagonal)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        rows, given = self._rows(), self.concentration.unsqueeze(-1)
        power = 2 * (given - 1) + self.dim - 1 - rows
        logarithms = value.diagonal(dim1=-2, dim2=-1)[..., 1:].log()
        return (power * logarithms).sum(-1) - self._log_volume()

    def _log_volume(self) -> Tensor:
        """The integral of the product of the diagonal's powers, row by row, as a logarithm."""
        rows, given = self._rows(), self.concentration.unsqueeze(-1)
        beside = given + (self.dim - 1 - rows) / 2
        of_row = rows * (math.log(math.pi) / 2) + _core.lgamma(beside)
        return (of_row - _core.lgamma(beside + rows / 2)).sum(-1)


class Wishart(_ByMatrix, ExponentialFamily):
    """Wishart's distribution: of sums of squares and products (Anderson 2003, chapter 7).

    Samples are those of Bartlett's decomposition.

    Args:
        df: Degrees of freedom, above n - 1.
        covariance_matrix: The covariances, (..., n, n), symmetric and positive-definite.
        precision_matrix: Their inverse.
        scale_tril: A lower triangle L with a positive diagonal; the covariances are L L^T.
        validate_args: Check parameters and values.

    Raises:
        ValueError: Not just one matrix is given, or a parameter is out of range.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions import Wishart
        >>> Wishart(gpukit.tensor(3.0), gpukit.eye(2)).mean
        tensor([[3., 0.],
                [0., 3.]])
    """

    support = constraints.positive_definite
    has_rsample = True
    _expanded: ClassVar[dict[str, int]] = {"df": 0} | dict.fromkeys(_MATRICES, 2)

    def __init__(
        self,
        df: Any,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        matrices = (covariance_matrix, precision_matrix, scale_tril)
        name, matrix = _one_matrix("Wishart", matrices)
        if matrix.ndim < 2 or matrix.shape[-1] != matrix.shape[-2]:
            raise ArgumentError(
                f"{name} must be at least two-dimensional and square, with optional leading batch "
                f"dimensions; it is {tuple(matrix.shape)}"
            )
        freedom = _core.as_tensor(df, dtype=matrix.dtype, device=matrix.device)
        batch = _core.broadcast_shapes(tuple(freedom.shape), tuple(matrix.shape[:-2]))
        size = matrix.shape[-1]
        self.df = freedom.expand(batch)
        self.__dict__[name] = matrix.expand(*batch, size, size)
        if bool((self.df <= size - 1).any()):
            raise ArgumentError(
                f"Value of df={df} expected to be greater than ndim - 1 = {size - 1}."
            )
        super().__init__(batch, (size, size), validate_args=validate_args)
        self._factor = _factor_of(name, matrix)

    @property
    def arg_constraints(self) -> Any:
        """What the parameters must satisfy."""
        return {
            "covariance_matrix": constraints.positive_definite,
            "precision_matrix": constraints.positive_definite,
            "scale_tril": constraints.lower_cholesky,
            "df": constraints.greater_than(self._event_shape[-1] - 1),
        }

    @property
    def _per_matrix(self) -> Tensor:
        return self.df[..., None, None]

    @property
    def mean(self) -> Tensor:
        return self._per_matrix * self.covariance_matrix  # type: ignore[no-any-return]

    @property
    def mode(self) -> Tensor:
        factor = self._per_matrix - self._event_shape[-1] - 1
        return _core.where(factor > 0, factor, math.nan) * self.covariance_matrix  # type: ignore[no-any-return]

    @property
    def variance(self) -> Tensor:
        covariances = self.covariance_matrix
        diagonal = covariances.diagonal(dim1=-2, dim2=-1)
        products = diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2)
        return self._per_matrix * (covariances.square() + products)  # type: ignore[no-any-return]

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        normal = _core.randn(shape, dtype=self.df.dtype, device=self.df.device).tril(-1)
        halves = self._halves().expand(shape[:-1])
        triangle = normal + _core.diag_embed((2 * standard_gamma(halves)).sqrt())
        found = self._factor @ triangle
        return found @ found.mT

    def _halves(self) -> Tensor:
        """Half of the degrees of freedom of each row: (df - i) / 2."""
        size = self._event_shape[-1]
        rows = _core.arange(size, dtype=self.df.dtype, device=self.df.device)
        return (self.df.unsqueeze(-1) - rows) / 2

    def _log_gamma(self) -> Tensor:
        """The logarithm of the gamma function of n variables, at df / 2."""
        size = self._event_shape[-1]
        return size * (size - 1) / 4 * math.log(math.pi) + _core.lgamma(self._halves()).sum(-1)

    def _mean_log_determinant(self) -> Tensor:
        size = self._event_shape[-1]
        spread = 2 * half_log_determinant(self._factor)
        return _core.digamma(self._halves()).sum(-1) + size * math.log(2) + spread

    def _log_density(self, log_determinant: Tensor, trace: Tensor) -> Tensor:
        """Of a matrix with this determinant, and this trace of the precisions times it."""
        size = self._event_shape[-1]
        scale = self.df * (size / 2 * math.log(2) + half_log_determinant(self._factor))
        power = (self.df - size - 1) / 2
        return power * log_determinant - trace / 2 - scale - self._log_gamma()

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        trace = (self.precision_matrix * value).sum((-2, -1))
        return self._log_density(_core.linalg_slogdet(value)[1], trace)

    def entropy(self) -> Tensor:
        return -self._log_density(self._mean_log_determinant(), self.df * self._event_shape[-1])
