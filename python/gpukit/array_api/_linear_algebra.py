"""Products of matrices and vectors."""

from __future__ import annotations

from collections.abc import Sequence

from gpukit import _core
from gpukit._core import Tensor
from gpukit.array_api._arguments import check_kind


def _promoted(function: str, x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
    check_kind(function, "x1", x1, "numeric")
    check_kind(function, "x2", x2, "numeric")
    dtype = _core.promote_types(x1.dtype, x2.dtype)
    return x1.to(dtype), x2.to(dtype)


def matmul(x1: Tensor, x2: Tensor, /) -> Tensor:
    """Matrix product of vectors, matrices or stacks of matrices, which broadcast.

    Args:
        x1: (..., n, m), or (m,); numeric.
        x2: (..., m, p), or (m,); numeric.

    Returns:
        (..., n, p), a vector losing its dimension; the dtype that both have in common.

    Raises:
        ShapeError: Inner sizes differ, or one is 0-d.
        DTypeError: One is bool.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.matmul(xp.ones((2, 3)), xp.ones((3,)))
        tensor([3., 3.])
    """
    return _core.matmul(*_promoted("matmul", x1, x2))


def matrix_transpose(x: Tensor, /) -> Tensor:
    """Matrices with their two dimensions swapped. A view.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.matrix_transpose(xp.ones((4, 2, 3))).shape
        (4, 3, 2)
    """
    check_kind("matrix_transpose", "x", x, "any")
    return x.mT


def tensordot(
    x1: Tensor, x2: Tensor, /, *, axes: int | tuple[Sequence[int], Sequence[int]] = 2
) -> Tensor:
    """Products summed over axes: a number of them, or two lists.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.tensordot(xp.ones((2, 3)), xp.ones((3, 2)), axes=1)
        tensor([[3., 3.],
                [3., 3.]])
    """
    return _core.tensordot(*_promoted("tensordot", x1, x2), axes)


def vecdot(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """Inner products along a negative axis; the others broadcast.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.vecdot(xp.ones((2, 3)), xp.ones((2, 3)))
        tensor([3., 3.])
    """
    return _core.vecdot(*_promoted("vecdot", x1, x2), axis)
