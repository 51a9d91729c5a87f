"""Norms and products of matrices and vectors."""

from __future__ import annotations

from typing import Any

from gpukit._arguments import tensor_of
from gpukit._core import Tensor, matmul, outer
from gpukit._core import norm as _norm
from gpukit._suggest import module_getattr

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
    tensor_of("vector_norm", "x", x)
    return _norm(x, ord, dim, keepdim, dtype)


def matrix_norm(
    x: Tensor, ord: str = "fro", dim: tuple[int, int] = (-2, -1), keepdim: bool = False
) -> Tensor:
    """Return the Frobenius norm of matrices in two dimensions, the last ones by default.

    Args:
        x: A floating tensor of two dimensions or more.
        ord: 'fro': the root of the sum of squares.
        dim: The two dimensions.
        keepdim: Keep them as size 1.

    Returns:
        x's dtype; without the two dimensions.

    Raises:
        ValueError: ord is another one, or dim are not two.
        IndexError: dim is not a dimension of x.
        DTypeError: x is not floating.

    Example:
        >>> import gpukit
        >>> gpukit.linalg.matrix_norm(gpukit.ones(2, 2)).item()
        2.0
    """
    tensor_of("matrix_norm", "x", x)
    if ord != "fro":
        raise ValueError(f"matrix_norm: ord must be 'fro', got {ord!r}")
    if not isinstance(dim, (tuple, list)) or len(dim) != 2:
        raise ValueError(f"matrix_norm: dim must be two dimensions, got {dim!r}")
    return _norm(x, 2, tuple(dim), keepdim)


def norm(x: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Return a norm: without `ord` of all elements, 'fro' with dim of matrices, else of vectors.

    Args:
        x: A floating tensor of any shape.
        ord: None, 'fro', or a number as in `vector_norm`.
        dim: A dimension, two for matrices, or None for all.
        keepdim: Keep reduced dimensions as size 1.

    Returns:
        x's dtype; without the dimensions of dim.

    Raises:
        IndexError: dim is not a dimension of x.
        DTypeError: x is not floating.

    Example:
        >>> import gpukit
        >>> gpukit.linalg.norm(gpukit.tensor([3.0, 4.0]), 1).item()
        7.0
    """
    tensor_of("norm", "x", x)
    if ord == "fro" and dim is not None:
        return matrix_norm(x, "fro", dim, keepdim)
    return _norm(x, 2 if ord is None or ord == "fro" else ord, dim, keepdim)


__getattr__ = module_getattr(__name__)
