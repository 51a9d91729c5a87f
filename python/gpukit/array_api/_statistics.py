"""Reductions and running results."""

from __future__ import annotations

from functools import partial
from typing import Any

from gpukit import _core
from gpukit._core import Tensor
from gpukit._dtypes import by_kind
from gpukit.array_api._arguments import as_dtype, check_kind, reduced
from gpukit.errors import ShapeError

_Axis = int | tuple[int, ...] | None


def all(x: Tensor, /, *, axis: _Axis = None, keepdims: bool = False) -> Tensor:
    """True where no element is 0.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.all(xp.asarray([True, False]))
        tensor(False)
    """
    check_kind("all", "x", x, "any")
    return reduced(_core.all, x, axis, keepdims)


def any(x: Tensor, /, *, axis: _Axis = None, keepdims: bool = False) -> Tensor:
    """True where an element is not 0.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.any(xp.asarray([True, False]))
        tensor(True)
    """
    check_kind("any", "x", x, "any")
    return reduced(_core.any, x, axis, keepdims)


def diff(
    x: Tensor,
    /,
    *,
    axis: int = -1,
    n: int = 1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
) -> Tensor:
    """Differences of neighbours, n times over.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.diff(xp.asarray([1, 4, 9]))
        tensor([3, 5])
    """
    check_kind("diff", "x", x, "numeric")
    return _core.diff(x, n, axis, prepend, append)


def cumulative_sum(
    x: Tensor, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Tensor:
    """Running sums; include_initial puts a 0 in front.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.cumulative_sum(xp.asarray([1, 2, 3]), include_initial=True)
        tensor([0, 1, 3, 6])
    """
    return _cumulative("cumulative_sum", x, axis, dtype, include_initial)


def cumulative_prod(
    x: Tensor, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Tensor:
    """Running products; include_initial puts a 1 in front.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.cumulative_prod(xp.asarray([1, 2, 3]))
        tensor([1, 2, 6])
    """
    return _cumulative("cumulative_prod", x, axis, dtype, include_initial)


def _cumulative(name: str, x: Tensor, axis: int | None, dtype: Any, initial: bool) -> Tensor:
    check_kind(name, "x", x, "numeric")
    if axis is None:
        if x.ndim != 1:
            raise ShapeError(f"{name}: axis is missing; the array has {x.ndim} dimensions")
        axis = 0
    product = name == "cumulative_prod"
    result = (_core.cumprod if product else _core.cumsum)(
        x, axis, dtype=as_dtype(dtype) or _sum_dtype(x.dtype)
    )
    if not initial:
        return result
    shape = list(x.shape)
    shape[axis] = 1
    first = _core.full(shape, int(product), dtype=result.dtype, device=x.device)
    return _core.cat([first, result], axis)


_STAYS = by_kind(bool=False, integer=False, floating=True, complex=True)


def _sum_dtype(dtype: _core.dtype) -> _core.dtype:
    return dtype if _STAYS[dtype] else _core.int64 if dtype.is_signed else _core.uint64


def max(x: Tensor, /, *, axis: _Axis = None, keepdims: bool = False) -> Tensor:
    """Largest elements. Propagates NaN.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.max(xp.asarray([1, 5, 2]))
        tensor(5)
    """
    check_kind("max", "x", x, "real numbers or integral")
    return reduced(_core.amax, x, axis, keepdims)


def mean(x: Tensor, /, *, axis: _Axis = None, keepdims: bool = False) -> Tensor:
    """Means.

    Args:
        x: A floating or complex tensor of any shape.
        axis: An axis, a tuple of them, or None for all.
        keepdims: Keep reduced axes as size 1.

    Returns:
        x's dtype, without the reduced axes.

    Raises:
        DTypeError: x is not floating.
        IndexError: There is no such axis.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.mean(xp.asarray([1.0, 2.0]))
        tensor(1.5000)
    """
    check_kind("mean", "x", x, "real or complex")
    return reduced(_core.mean, x, axis, keepdims)


def min(x: Tensor, /, *, axis: _Axis = None, keepdims: bool = False) -> Tensor:
    """Smallest elements. Propagates NaN.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.min(xp.asarray([4, 1, 2]))
        tensor(1)
    """
    check_kind("min", "x", x, "real numbers or integral")
    return reduced(_core.amin, x, axis, keepdims)


def prod(x: Tensor, /, *, axis: _Axis = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    """Products; integers in int64, those without sign in uint64.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.prod(xp.asarray([2, 3, 4]))
        tensor(24)
    """
    check_kind("prod", "x", x, "numeric")
    wanted = as_dtype(dtype) or _sum_dtype(x.dtype)
    return reduced(partial(_core.prod, dtype=wanted), x, axis, keepdims)


def std(
    x: Tensor, /, *, axis: _Axis = None, correction: float = 0.0, keepdims: bool = False
) -> Tensor:
    """Standard deviations; the sum of squares is divided by count - correction.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.std(xp.asarray([1.0, 2.0, 3.0]), correction=1)
        tensor(1.)
    """
    check_kind("std", "x", x, "real or complex")
    return reduced(lambda x, axes, keep: _core.std(x, axes, correction, keep), x, axis, keepdims)


def sum(x: Tensor, /, *, axis: _Axis = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    """Sums; integers in int64, those without sign in uint64.

    Args:
        x: A tensor of any shape, not bool.
        axis: An axis, a tuple of them, or None for all.
        dtype: A dtype to sum in.
        keepdims: Keep reduced axes as size 1.

    Returns:
        dtype, or x's: int64 for signed integers, uint64 for unsigned ones.

    Raises:
        DTypeError: x is bool.
        IndexError: There is no such axis.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.sum(xp.ones((2, 3)), axis=0)
        tensor([2., 2., 2.])
    """
    check_kind("sum", "x", x, "numeric")
    wanted = as_dtype(dtype) or _sum_dtype(x.dtype)
    return reduced(partial(_core.sum, dtype=wanted), x, axis, keepdims)


def var(
    x: Tensor, /, *, axis: _Axis = None, correction: float = 0.0, keepdims: bool = False
) -> Tensor:
    """Variances; the sum of squares is divided by count - correction.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.var(xp.asarray([1.0, 2.0, 3.0]), correction=1)
        tensor(1.)
    """
    check_kind("var", "x", x, "real or complex")
    return reduced(lambda x, axes, keep: _core.var(x, axes, correction, keep), x, axis, keepdims)
