"""The normal distribution of vectors, by a covariance matrix or by one of low rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from gpukit import _core
from gpukit._core import Tensor
from gpukit.distributions import constraints
from gpukit.distributions.distribution import LOG_2PI, Distribution, on_demand
from gpukit.errors import ArgumentError

__all__ = ["LowRankMultivariateNormal", "MultivariateNormal"]

_MATRICES = ("covariance_matrix", "precision_matrix", "scale_tril")


class _ByMatrix(Distribution):
    """A distribution by covariances, by their inverse or by their lower triangle."""

    _factor: Tensor  # The triangle, not expanded: a product with one matrix is one product.

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new._factor = self._factor
        return new

    def _whole(self, matrix: Tensor) -> Tensor:
        return matrix.expand(*self._batch_shape, *matrix.shape[-2:])

    @on_demand
    def scale_tril(self) -> Tensor:
        """The lower triangle whose product with its transpose are the covariances."""
        return self._whole(self._factor)

    @on_demand
    def covariance_matrix(self) -> Tensor:
        """The covariances of each distribution."""
        return self._whole(self._factor @ self._factor.mT)

    @on_demand
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariances."""
        return self._whole(_core.cholesky_inverse(self._factor))


class _NormalVectors(Distribution):
    """Normal vectors, whatever their covariances are made of."""

    support = constraints.real_vector
    has_rsample = True
    loc: Tensor

    def _columns(self) -> list[Tensor]:
        """Matrices of which the products with their transposes add up to the covariances."""
        raise NotImplementedError

    def _squared_distances(self, columns: Tensor) -> Tensor:
        """The square of Mahalanobis' distance of each column from 0."""
        raise NotImplementedError

    def _half_log_determinant(self) -> Tensor:
        """Half the logarithm of the covariances' determinant."""
        raise NotImplementedError

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        far = self._squared_distances((value - self.loc).unsqueeze(-1)).squeeze(-1)
        size = self._event_shape[0]
        return -0.5 * (size * LOG_2PI + far) - self._half_log_determinant()

    def entropy(self) -> Tensor:
        size = self._event_shape[0]
        found = 0.5 * size * (1 + LOG_2PI) + self._half_log_determinant()
        return found.expand(self._batch_shape)


class MultivariateNormal(_ByMatrix, _NormalVectors):
    """The normal distribution of vectors, by their mean and one matrix.

    Args:
        loc: The means, (..., n).
        covariance_matrix: The covariances, (..., n, n), symmetric and positive-definite.
        precision_matrix: Their inverse.
        scale_tril: A lower triangle L with a positive diagonal; the covariances are L L^T.
        validate_args: Check parameters and values.

    Raises:
        ValueError: Not just one matrix is given, or it is not positive-definite.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions import MultivariateNormal
        >>> normal = MultivariateNormal(gpukit.zeros(2), gpukit.eye(2))
        >>> normal.log_prob(gpukit.zeros(2))
        tensor(-1.8379)
    """

    arg_constraints: Any = {  # noqa: RUF012
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    _expanded: ClassVar[dict[str, int]] = {"loc": 1} | dict.fromkeys(_MATRICES, 2)

    def __init__(
        self,
        loc: Tensor,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        _check_kinds("MultivariateNormal", {"loc": loc})
        if loc.ndim < 1:
            raise ArgumentError("loc must be at least one-dimensional.")
        matrices = (covariance_matrix, precision_matrix, scale_tril)
        name, matrix = _one_matrix("MultivariateNormal", matrices)
        if matrix.ndim < 2 or matrix.shape[-2:] != (loc.shape[-1],) * 2:
            raise ArgumentError(
                f"{name} must be at least two-dimensional, (..., {loc.shape[-1]}, "
                f"{loc.shape[-1]}) for loc of shape {tuple(loc.shape)}, with optional leading "
                f"batch dimensions; it is {tuple(matrix.shape)}"
            )
        batch = _core.broadcast_shapes(tuple(matrix.shape[:-2]), tuple(loc.shape[:-1]))
        size = loc.shape[-1]
        self.loc = loc.expand(*batch, size)
        self.__dict__[name] = matrix.expand(*batch, size, size)
        super().__init__(batch, (size,), validate_args=validate_args)
        self._factor = _factor_of(name, matrix)

    @property
    def variance(self) -> Tensor:
        found: Tensor = self._factor.square().sum(-1)
        return found.expand(*self._batch_shape, *self._event_shape)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        noise = _core.randn(shape, dtype=self.loc.dtype, device=self.loc.device)
        return self.loc + (self._factor @ noise.unsqueeze(-1)).squeeze(-1)

    def _columns(self) -> list[Tensor]:
        return [self._factor]

    def _squared_distances(self, columns: Tensor) -> Tensor:
        return _solved(self._factor, columns).square().sum(-2)

    def _half_log_determinant(self) -> Tensor:
        return half_log_determinant(self._factor)


class LowRankMultivariateNormal(_NormalVectors):
    """The normal distribution of vectors whose covariances are a diagonal and a matrix of low rank.

    The covariances are W W^T + D. Solutions are those of Woodbury (1950), so the work grows with
    the length of a vector, not with its cube.

    Args:
        loc: The means, (..., n).
        cov_factor: W, (..., n, rank).
        cov_diag: The diagonal of D, (..., n), above 0.
        validate_args: Check parameters and values.

    Raises:
        ValueError: The shapes do not fit, or cov_diag is not positive.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions import LowRankMultivariateNormal
        >>> normal = LowRankMultivariateNormal(gpukit.zeros(2), gpukit.ones(2, 1), gpukit.ones(2))
        >>> normal.variance
        tensor([2., 2.])
    """

    arg_constraints: Any = {  # noqa: RUF012
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    _expanded: ClassVar[dict[str, int]] = {"loc": 1, "cov_factor": 2, "cov_diag": 1}

    def __init__(
        self,
        loc: Tensor,
        cov_factor: Tensor,
        cov_diag: Tensor,
        validate_args: bool | None = None,
    ) -> None:
        given = {"loc": loc, "cov_factor": cov_factor, "cov_diag": cov_diag}
        _check_kinds("LowRankMultivariateNormal", given)
        if loc.ndim < 1:
            raise ArgumentError("loc must be at least one-dimensional.")
        size = loc.shape[-1]
        if cov_factor.ndim < 2:
            raise ArgumentError(
                "cov_factor must be at least two-dimensional, with optional leading batch "
                f"dimensions; it is {tuple(cov_factor.shape)}"
            )
        if cov_factor.shape[-2] != size:
            raise ArgumentError(
                f"cov_factor must be a batch of matrices with shape {size} x m; it is "
                f"{tuple(cov_factor.shape)}"
            )
        if cov_diag.shape[-1:] != (size,):
            raise ArgumentError(
                f"cov_diag must be a batch of vectors with shape ({size},); it is "
                f"{tuple(cov_diag.shape)}"
            )
        batches = loc.shape[:-1], cov_factor.shape[:-2], cov_diag.shape[:-1]
        batch = _core.broadcast_shapes(*[tuple(each) for each in batches])
        self.loc = loc.expand(*batch, size)
        self.cov_factor = cov_factor.expand(*batch, *cov_factor.shape[-2:])
        self.cov_diag = cov_diag.expand(*batch, size)
        super().__init__(batch, (size,), validate_args=validate_args)
        scaled = cov_factor / cov_diag.unsqueeze(-1)
        eye = _core.eye(cov_factor.shape[-1], dtype=loc.dtype, device=loc.device)
        # Not expanded: the Cholesky factor of I + W^T D^-1 W, and L^-1 W^T D^-1.
        self._inner = _core.linalg_cholesky(eye + cov_factor.mT @ scaled)
        self._across = _solved(self._inner, scaled.mT)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new._inner, new._across = self._inner, self._across
        return new

    @on_demand
    def covariance_matrix(self) -> Tensor:
        """The covariances of each distribution."""
        return self.cov_factor @ self.cov_factor.mT + _core.diag_embed(self.cov_diag)

    @on_demand
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariances."""
        return _core.diag_embed(self.cov_diag.reciprocal()) - self._across.mT @ self._across

    @on_demand
    def scale_tril(self) -> Tensor:
        """The lower triangle whose product with its transpose are the covariances."""
        return _core.linalg_cholesky(self.covariance_matrix)

    @property
    def variance(self) -> Tensor:
        return self.cov_factor.square().sum(-1) + self.cov_diag

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        options: Any = {"dtype": self.loc.dtype, "device": self.loc.device}
        few = _core.randn((*shape[:-1], self.cov_factor.shape[-1], 1), **options)
        along = (self.cov_factor @ few).squeeze(-1)
        return self.loc + along + self.cov_diag.sqrt() * _core.randn(shape, **options)

    def _columns(self) -> list[Tensor]:
        return [self.cov_factor, _core.diag_embed(self.cov_diag.sqrt())]

    def _squared_distances(self, columns: Tensor) -> Tensor:
        whole = (columns.square() / self.cov_diag.unsqueeze(-1)).sum(-2)
        return whole - (self._across @ columns).square().sum(-2)

    def _half_log_determinant(self) -> Tensor:
        return half_log_determinant(self._inner) + 0.5 * self.cov_diag.log().sum(-1)


def _check_kinds(function: str, given: dict[str, Any]) -> None:
    for name, value in given.items():
        if not isinstance(value, Tensor):
            raise TypeError(
                f"{function}: {name} must be a tensor, got {value!r:.80} "
                f"({type(value).__name__}){_core.torch_advice(value)}"
            )


def _one_matrix(function: str, matrices: tuple[Any, Any, Any]) -> tuple[str, Tensor]:
    """The one of the three that is given, with its name."""
    named = zip(_MATRICES, matrices, strict=True)
    given = {name: matrix for name, matrix in named if matrix is not None}
    _check_kinds(function, given)
    if len(given) != 1:
        raise ArgumentError(
            "Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified."
        )
    (found,) = given.items()
    return found


def _factor_of(name: str, matrix: Tensor) -> Tensor:
    """The lower triangle of the covariances."""
    if name == "scale_tril":
        return matrix
    if name == "covariance_matrix":
        return _core.linalg_cholesky(matrix)
    # P = U U^T of an upper triangle U, by turning the matrix round; then L is the inverse of U^T.
    upper = _core.linalg_cholesky(matrix.flip((-2, -1))).flip((-2, -1))
    eye = _core.eye(matrix.shape[-1], dtype=matrix.dtype, device=matrix.device)
    return _core.linalg_solve_triangular(upper.mT, eye.expand(matrix.shape), upper=False)


def _solved(factor: Tensor, columns: Tensor) -> Tensor:
    """L^-1 times a matrix, for each pair of a batch."""
    batch = _core.broadcast_shapes(tuple(factor.shape[:-2]), tuple(columns.shape[:-2]))
    return _core.linalg_solve_triangular(
        factor.expand(*batch, *factor.shape[-2:]),
        columns.expand(*batch, *columns.shape[-2:]),
        upper=False,
    )


def divergence(p: _NormalVectors, q: _NormalVectors) -> Tensor:
    """Kullback's and Leibler's, of vectors of one length."""
    far = q._squared_distances((q.loc - p.loc).unsqueeze(-1)).squeeze(-1)
    for columns in p._columns():  # the trace of q's precisions times p's covariances
        far = far + q._squared_distances(columns).sum(-1)
    volume = q._half_log_determinant() - p._half_log_determinant()
    return volume + 0.5 * (far - p.event_shape[0])


def half_log_determinant(factor: Tensor) -> Tensor:
    """The logarithm of the determinant of a triangle: half of that of its covariances."""
    return factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)
