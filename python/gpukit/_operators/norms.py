"""Norms of vectors and matrices."""

from __future__ import annotations

from math import inf
from typing import Any

from gpukit import _core
from gpukit._arguments import dim_of, tensor_of
from gpukit._core import Tensor
from gpukit.errors import ArgumentError, ShapeError


def linalg_vector_norm(
    x: Any, ord: Any = 2, dim: Any = None, keepdim: Any = False, dtype: Any = None
) -> Tensor:
    """The norm of order `ord` over `dim`, or over all elements."""
    return _core.norm(tensor_of("vector_norm", "x", x), ord, dim, keepdim, dtype)


def linalg_matrix_norm(
    x: Any, ord: Any = "fro", dim: Any = (-2, -1), keepdim: Any = False, dtype: Any = None
) -> Tensor:
    """A norm of matrices, which span two dimensions."""
    tensor_of("matrix_norm", "x", x)
    if not isinstance(dim, (tuple, list)) or len(dim) != 2:
        raise ArgumentError(f"matrix_norm: dim must be two dimensions, got {dim!r}")
    if x.ndim < 2:
        raise ShapeError(f"matrix_norm: x is {x.shape}; matrices need two dimensions or more")
    rows, columns = (dim_of("matrix_norm", "dim", each, x.ndim) for each in dim)
    if rows == columns:
        raise ArgumentError(f"matrix_norm: dim must be two different dimensions, got {dim!r}")
    if isinstance(ord, Tensor) or ord not in {"fro", "nuc", 1, -1, 2, -2, inf, -inf}:
        raise ArgumentError(
            f"matrix_norm: ord must be 'fro', 'nuc', 1, -1, 2, -2, inf or -inf, got {ord!r}"
        )
    if ord == "fro":
        return _core.norm(x, 2, (rows, columns), keepdim, dtype)
    x = x if dtype is None else x.to(dtype)
    if ord in {"nuc", 2, -2}:
        return _of_singular_values(x, ord, rows, columns, keepdim)
    summed, left = (rows, columns) if ord in {1, -1} else (columns, rows)
    sums = _core.norm(x, 1, summed, True)
    result = (_core.amax if ord > 0 else _core.amin)(sums, left, True)
    return result if keepdim else result.squeeze((rows, columns))


def _of_singular_values(x: Tensor, ord: Any, rows: int, columns: int, keepdim: bool) -> Tensor:
    kept = [i for i in range(x.ndim) if i not in {rows, columns}]
    values = _core.linalg_svdvals(x.permute([*kept, rows, columns]))
    orders = {"nuc": values.sum, 2: values.amax, -2: values.amin}
    result = orders[ord](-1)
    if not keepdim:
        return result
    for dim in sorted((rows, columns)):
        result = result.unsqueeze(dim)
    return result


def linalg_norm(
    x: Any, ord: Any = None, dim: Any = None, keepdim: Any = False, dtype: Any = None
) -> Tensor:
    """A norm of all elements without `ord`; else of vectors or of matrices."""
    tensor_of("norm", "x", x)
    if ord is None:
        return _core.norm(x, 2, dim, keepdim, dtype)
    if dim is None:
        if x.ndim not in {1, 2}:
            raise ShapeError(
                f"norm: with ord and without dim, x must have 1 or 2 dimensions, it has {x.ndim}. "
                "Use vector_norm(x, ord) for the norm of all elements"
            )
        dim = 0 if x.ndim == 1 else (0, 1)
    if isinstance(dim, (tuple, list)) and len(dim) == 2:
        return linalg_matrix_norm(x, ord, tuple(dim), keepdim, dtype)
    if isinstance(ord, str):
        raise ArgumentError(
            f"norm: ord {ord!r} is of matrices; give two dimensions in dim, not {dim!r}"
        )
    return _core.norm(x, ord, dim, keepdim, dtype)
