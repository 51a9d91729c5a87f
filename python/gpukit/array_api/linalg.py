"""The array API's extension `linalg`.

Example:
    >>> import gpukit.array_api as xp
    >>> xp.linalg.inv(xp.eye(2))
    tensor([[1., 0.],
            [0., 1.]])
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

from gpukit import _core
from gpukit._core import Tensor
from gpukit.array_api._arguments import check_kind
from gpukit.array_api._linear_algebra import (
    _promoted,
    matmul,
    matrix_transpose,
    tensordot,
    vecdot,
)
from gpukit.errors import DTypeError

__all__ = [
    "cholesky",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]


def _floating(function: str, x: Tensor, name: str = "x") -> Tensor:
    check_kind(function, name, x, "real or complex floating")
    return x


def cholesky(x: Tensor, /, *, upper: bool = False) -> Tensor:
    """Factors L of Hermitian positive definite matrices, x = L L^H; with upper its adjoint.

    Args:
        x: (..., n, n), floating.
        upper: Give the upper triangle.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.linalg.cholesky(xp.eye(2) * 4)
        tensor([[2., 0.],
                [0., 2.]])
    """
    return _core.linalg_cholesky(_floating("cholesky", x), upper=upper)


def cross(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """Cross products of vectors of three numbers along an axis; the others broadcast.

    Args:
        x1: Numeric, 3 along axis.
        x2: Numeric, 3 along axis.
        axis: Which, counted in both alike.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.linalg.cross(xp.asarray([1, 0, 0]), xp.asarray([0, 1, 0]))
        tensor([0, 0, 1])
    """
    x1, x2 = _promoted("cross", x1, x2)
    while x1.ndim < x2.ndim:
        x1 = x1.unsqueeze(0)
    while x2.ndim < x1.ndim:
        x2 = x2.unsqueeze(0)
    return _core.linalg_cross(x1, x2, dim=axis)


def det(x: Tensor, /) -> Tensor:
    """Determinants of square matrices.

    Args:
        x: (..., n, n), floating.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.linalg.det(xp.eye(2))
        tensor(1.)
    """
    return _core.linalg_det(_floating("det", x))


def diagonal(x: Tensor, /, *, offset: int = 0) -> Tensor:
    """The diagonals of matrices, as the last axis.

    Args:
        x: (..., m, n).
        offset: Above the main diagonal positive.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.linalg.diagonal(xp.asarray([[1, 2], [3, 4]]))
        tensor([1, 4])
    """
    check_kind("diagonal", "x", x, "any")
    return _core.linalg_diagonal(x, offset=offset)


def eig(x: Tensor, /) -> Any:
    """Eigenvalues and eigenvectors of square matrices, complex and in no fixed order.

    Args:
        x: (..., n, n), floating.

    Returns:
        A named tuple of eigenvalues and eigenvectors.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.linalg.eig(xp.asarray([[0.0, -1.0], [1.0, 0.0]])).eigenvalues
        tensor([0.+1.j, 0.-1.j])
    """
    return _core.linalg_eig(_floating("eig", x))


def eigvals(x: Tensor, /) -> Tensor:
    """Eigenvalues of square matrices, complex and in no fixed order.

    Args:
        x: (..., n, n), floating.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.linalg.eigvals(xp.asarray([[2.0, 1.0], [0.0, 3.0]]))
        tensor([2.+0.j, 3.+0.j])
    """
    return _core.linalg_eigvals(_floating("eigvals", x))


def eigh(x: Tensor, /) -> Any:
    """Eigenvalues, ascending, and eigenvectors of symmetric or Hermitian matrices.

    Args:
        x: (..., n, n), floating.

    Returns:
        A named tuple of eigenvalues and eigenvectors.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.linalg.eigh(xp.eye(2)).eigenvalues
        tensor([1., 1.])
    """
    return _core.linalg_eigh(_floating("eigh", x))


def eigvalsh(x: Tensor, /) -> Tensor:
    """Eigenvalues of symmetric or Hermitian matrices, ascending.

    Args:
        x: (..., n, n), floating.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.linalg.eigvalsh(xp.eye(2))
        tensor([1., 1.])
    """
    return _core.linalg_eigvalsh(_floating("eigvalsh", x))


def inv(x: Tensor, /) -> Tensor:
    """Inverse matrices.

    Args:
        x: (..., n, n), floating.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.linalg.inv(xp.eye(1) * 2)
        tensor([[0.5000]])
    """
    return _core.linalg_inv(_floating("inv", x))


def matrix_norm(x: Tensor, /, *, keepdims: bool = False, ord: Any = "fro") -> Tensor:
    """Norms of matrices.

    Args:
        x: (..., m, n), floating.
        keepdims: Keep the two axes as size 1.
        ord: 'fro', 'nuc', 1, -1, 2, -2, inf or -inf.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.linalg.matrix_norm(xp.ones((2, 2)))
        tensor(2.)
    """
    return _core.linalg_matrix_norm(_floating("matrix_norm", x), ord, (-2, -1), keepdims)


def matrix_power(x: Tensor, n: int, /) -> Tensor:
    """A product of n equal matrices; of the inverse where n is negative.

    Args:
        x: (..., m, m), floating.
        n: A whole number.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.linalg.matrix_power(xp.eye(1) * 2, 3)
        tensor([[8.]])
    """
    return _core.linalg_matrix_power(_floating("matrix_power", x), n)


def matrix_rank(x: Tensor, /, *, rtol: Any = None) -> Tensor:
    """Ranks: how many singular values are larger than rtol times the largest.

    Args:
        x: (..., m, n), floating.
        rtol: One number, or one a matrix; None is max(m, n) times the dtype's eps.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.linalg.matrix_rank(xp.ones((2, 2)))
        tensor(1)
    """
    return _core.linalg_matrix_rank(_floating("matrix_rank", x), rtol=rtol)


def outer(x1: Tensor, x2: Tensor, /) -> Tensor:
    """All products of the elements of two vectors.

    Args:
        x1: (n,), numeric.
        x2: (m,), numeric.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.linalg.outer(xp.asarray([1, 2]), xp.asarray([3]))
        tensor([[3],
                [6]])
    """
    return _core.outer(*_promoted("outer", x1, x2))


def pinv(x: Tensor, /, *, rtol: Any = None) -> Tensor:
    """Pseudo-inverses of matrices.

    Args:
        x: (..., m, n), floating.
        rtol: As in matrix_rank.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.linalg.pinv(xp.ones((2, 1)))
        tensor([[0.5000, 0.5000]])
    """
    return _core.linalg_pinv(_floating("pinv", x), rtol=rtol)


def qr(x: Tensor, /, *, mode: str = "reduced") -> Any:
    """Factors Q and R of matrices.

    Args:
        x: (..., m, n), floating.
        mode: 'reduced' or 'complete'.

    Returns:
        A named tuple of Q and R.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.linalg.qr(xp.ones((3, 2))).R.shape
        (2, 2)
    """
    return _core.linalg_qr(_floating("qr", x), mode)


def slogdet(x: Tensor, /) -> Any:
    """Signs of determinants, and the logarithms of their absolute values.

    Args:
        x: (..., n, n), floating.

    Returns:
        A named tuple of sign and logabsdet.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.linalg.slogdet(xp.eye(2)).sign
        tensor(1.)
    """
    return _core.linalg_slogdet(_floating("slogdet", x))


def solve(x1: Tensor, x2: Tensor, /) -> Tensor:
    """Solutions of x1 @ x = x2.

    Args:
        x1: (..., n, n), floating.
        x2: (n,), or (..., n, k), floating.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.linalg.solve(xp.eye(2) * 2, xp.ones((2,)))
        tensor([0.5000, 0.5000])
    """
    x1, x2 = _promoted("solve", _floating("solve", x1, "x1"), _floating("solve", x2, "x2"))
    while 1 < x2.ndim < x1.ndim:  # matrices, never vectors
        x2 = x2.unsqueeze(0)
    return _core.linalg_solve(x1, x2)


def svd(x: Tensor, /, *, full_matrices: bool = True) -> Any:
    """Singular values S, with U and Vh of x = U diag(S) Vh.

    Args:
        x: (..., m, n), floating.
        full_matrices: U and Vh are square.

    Returns:
        A named tuple of U, S and Vh.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.linalg.svd(xp.eye(2)).S
        tensor([1., 1.])
    """
    return _core.linalg_svd(_floating("svd", x), full_matrices)


def svdvals(x: Tensor, /) -> Tensor:
    """Singular values, descending.

    Args:
        x: (..., m, n), floating.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.linalg.svdvals(xp.eye(2))
        tensor([1., 1.])
    """
    return _core.linalg_svdvals(_floating("svdvals", x))


def trace(x: Tensor, /, *, offset: int = 0, dtype: Any = None) -> Tensor:
    """Sums of the diagonals of matrices.

    Args:
        x: (..., m, n), numeric.
        offset: Above the main diagonal positive.
        dtype: Of the sum; None as in sum.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.linalg.trace(xp.asarray([[1, 2], [3, 4]]))
        tensor(5)
    """
    check_kind("trace", "x", x, "numeric")
    values = _core.linalg_diagonal(x, offset=offset)
    if dtype is None and x.dtype.name in {"uint8", "uint16", "uint32"}:
        dtype = _core.uint64
    return values.sum(-1) if dtype is None else values.sum(-1, dtype=dtype)


def vector_norm(
    x: Tensor,
    /,
    *,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    ord: Any = 2,
) -> Tensor:
    """Norms of vectors.

    Args:
        x: Floating.
        axis: One, several, or None for all.
        keepdims: Keep reduced axes as size 1.
        ord: The order: a number, inf or -inf.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.linalg.vector_norm(xp.asarray([3.0, 4.0]))
        tensor(5.)
    """
    if isinstance(ord, str):
        raise DTypeError(f"vector_norm: ord must be a number, {inf} or {-inf}, got {ord!r}")
    return _core.linalg_vector_norm(_floating("vector_norm", x), ord, axis, keepdims)
