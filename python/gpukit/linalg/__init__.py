"""Norms and products of matrices and vectors."""

from __future__ import annotations

from math import inf
from typing import Any

from gpukit import _core
from gpukit._arguments import dim_of as _dim_of
from gpukit._arguments import tensor_of as _tensor_of
from gpukit._core import Tensor, matmul, outer
from gpukit._core import norm as _norm
from gpukit._names.suggest import module_getattr
from gpukit.errors import ArgumentError, ShapeError

__all__ = ["matmul", "matrix_norm", "norm", "outer", "vector_norm"]


def vector_norm(
    x: Tensor, ord: float = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Tensor:
    """Return the vector norm of order `ord` over `dim`, or over all elements.

    Args:
        x: A floating tensor of any shape.
        ord: The order p of sum(|x|**p) ** (1 / p); inf is the largest, 0 counts what is not 0.
        dim: A dimension, a tuple of them, or None for all.
        keepdim: Keep reduced dimensions as size 1.
        dtype: A floating dtype to compute in.

    Returns:
        x's dtype, or dtype; without the dimensions of dim.

    Raises:
        IndexError: dim is not a dimension of x.
        DTypeError: x is not floating.

    Example:
        >>> import gpukit
        >>> gpukit.linalg.vector_norm(gpukit.tensor([3.0, 4.0])).item()
        5.0
    """
    _tensor_of("vector_norm", "x", x)
    return _norm(x, ord, dim, keepdim, dtype)


def matrix_norm(
    x: Tensor, ord: Any = "fro", dim: tuple[int, int] = (-2, -1), keepdim: bool = False
) -> Tensor:
    """Return a norm of matrices, which span two dimensions, the last ones by default.

    Args:
        x: A floating tensor of two dimensions or more.
        ord: 'fro': the root of the sum of squares; 1 or -1: the largest or smallest sum of a
            column's absolute values; inf or -inf: the same of rows.
        dim: The two dimensions, rows first.
        keepdim: Keep them as size 1.

    Returns:
        x's dtype; without the two dimensions.

    Raises:
        NotImplementedError: ord is 2, -2 or 'nuc', which need a decomposition.
        ValueError: ord is another one, or dim are not two different ones.
        IndexError: dim is not a dimension of x.
        ShapeError: x has fewer than two dimensions, or no elements where ord looks for the largest.
        DTypeError: x is not floating.

    Example:
        >>> import gpukit
        >>> gpukit.linalg.matrix_norm(gpukit.ones(2, 2)).item()
        2.0
        >>> gpukit.linalg.matrix_norm(gpukit.tensor([[1.0, -2.0], [3.0, 4.0]]), 1).item()
        6.0
    """
    _tensor_of("matrix_norm", "x", x)
    if not isinstance(dim, (tuple, list)) or len(dim) != 2:
        raise ArgumentError(f"matrix_norm: dim must be two dimensions, got {dim!r}")
    rows, columns = (_dim_of("matrix_norm", "dim", each, x.ndim) for each in dim)
    if rows == columns:
        raise ArgumentError(f"matrix_norm: dim must be two different dimensions, got {dim!r}")
    if ord == "fro":
        return _norm(x, 2, (rows, columns), keepdim)
    summed, left = (rows, columns) if ord in {1, -1} else (columns, rows)
    if ord not in {1, -1, inf, -inf}:
        _refuse_order(ord)
    sums = _norm(x, 1, summed, True)
    result = (_core.amax if ord > 0 else _core.amin)(sums, left, True)
    return result if keepdim else result.squeeze((rows, columns))


def _refuse_order(ord: Any) -> None:
    if ord in {2, -2, "nuc"}:
        raise NotImplementedError(
            f"matrix_norm: ord {ord!r} needs a singular value decomposition, which gpukit does not "
            "have. For the root of the sum of squares use ord='fro' or vector_norm(x)"
        )
    raise ArgumentError(f"matrix_norm: ord must be 'fro', 1, -1, inf or -inf, got {ord!r}")


def norm(x: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Return a norm: of all elements without `ord`; else of vectors or of matrices.

    With `ord`, `dim` decides: one dimension means vectors, two mean matrices. Without `dim`, a
    1-d tensor is a vector and a 2-d tensor a matrix.

    Args:
        x: A floating tensor of any shape.
        ord: None, a number as in `vector_norm`, or an order of `matrix_norm`.
        dim: A dimension, two for matrices, or None.
        keepdim: Keep reduced dimensions as size 1.

    Returns:
        x's dtype; without the dimensions of dim.

    Raises:
        NotImplementedError: ord is 2, -2 or 'nuc' of a matrix, which need a decomposition.
        ShapeError: ord without dim, and x has neither one nor two dimensions.
        ValueError: there is no such order.
        IndexError: dim is not a dimension of x.
        DTypeError: x is not floating.

    Example:
        >>> import gpukit
        >>> gpukit.linalg.norm(gpukit.tensor([3.0, 4.0]), 1).item()
        7.0
        >>> gpukit.linalg.norm(gpukit.ones(2, 3), float("inf")).item()
        3.0
    """
    _tensor_of("norm", "x", x)
    if ord is None:
        return _norm(x, 2, dim, keepdim)
    if dim is None:
        if x.ndim not in {1, 2}:
            raise ShapeError(
                f"norm: with ord and without dim, x must have 1 or 2 dimensions, it has {x.ndim}. "
                "Use vector_norm(x, ord) for the norm of all elements"
            )
        dim = 0 if x.ndim == 1 else (0, 1)
    if isinstance(dim, (tuple, list)) and len(dim) == 2:
        return matrix_norm(x, ord, tuple(dim), keepdim)
    if isinstance(ord, str):
        raise ArgumentError(
            f"norm: ord {ord!r} is of matrices; give two dimensions in dim, not {dim!r}"
        )
    return _norm(x, ord, dim, keepdim)


__getattr__ = module_getattr(__name__)
