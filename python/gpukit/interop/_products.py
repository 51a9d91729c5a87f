"""NumPy's products over tensors, with NumPy's dtypes."""

from __future__ import annotations

from typing import Any

import gpukit
from gpukit import _core
from gpukit.interop._shapes import common

Tensor = _core.Tensor


def matmul(x1: Tensor, x2: Tensor) -> Tensor:
    """Matrix products of the last two axes."""
    return gpukit.matmul(*common([x1, x2]))


def dot(a: Tensor, b: Tensor) -> Tensor:
    """The sum over a's last axis and b's last but one."""
    first, second = common([a, b])
    if a.ndim == 0 or b.ndim == 0:
        return first * second
    return gpukit.tensordot(first, second, ([a.ndim - 1], [max(b.ndim - 2, 0)]))


def tensordot(a: Tensor, b: Tensor, axes: Any = 2) -> Tensor:
    """The sum over several axes."""
    x, y = common([a, b])
    if isinstance(axes, int):
        return gpukit.tensordot(x, y, axes)
    first, second = (
        [int(each) for each in side] if isinstance(side, (tuple, list)) else [int(side)]
        for side in axes
    )
    return gpukit.tensordot(x, y, (first, second))


def einsum(subscripts: str, *operands: Tensor, optimize: Any = None, **kwargs: Any) -> Tensor:
    """Einstein's sums. dask names dtype, order and casting, which gpukit does not need."""
    result = gpukit.einsum(subscripts, *common(list(operands)))
    dtype = kwargs.get("dtype")
    return result if dtype is None else result.to(_core.dtype(dtype))


def outer(a: Tensor, b: Tensor) -> Tensor:
    """Every product of two elements."""
    return gpukit.outer(*(each.flatten() for each in common([a, b])))


def vdot(a: Tensor, b: Tensor) -> Tensor:
    """The sum of products of all elements."""
    return gpukit.dot(*(each.flatten() for each in common([a, b])))


def inner(a: Tensor, b: Tensor) -> Tensor:
    """The sum over both last axes."""
    return tensordot(a, b, ([a.ndim - 1], [b.ndim - 1]))


def trace(a: Tensor) -> Tensor:
    """The sum of a matrix's diagonal."""
    return gpukit.trace(a)


def norm(x: Tensor, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Norms that need no decomposition."""
    values = x if x.is_floating_point() else x.double()
    if axis is None and ord is None:
        result = gpukit.linalg.vector_norm(values.flatten())
        return result.reshape((1,) * x.ndim) if keepdims else result
    count = x.ndim if axis is None else len(axis) if isinstance(axis, (tuple, list)) else 1
    if count == 2 and ord in {2, -2, "nuc"}:
        raise TypeError(f"norm: ord={ord!r} of a matrix needs singular values, which gpukit lacks")
    return gpukit.linalg.norm(values, ord, axis, keepdims)
