"""Searching, sorting, sets and indexing."""

from __future__ import annotations

from typing import NamedTuple

from gpukit import _core
from gpukit._core import Tensor
from gpukit.array_api._arguments import check_kind, check_number, promoted, reduced
from gpukit.errors import ArgumentError, ShapeError


class UniqueAll(NamedTuple):
    """The unique values, their first indices, the inverse indices and the counts."""

    values: Tensor
    indices: Tensor
    inverse_indices: Tensor
    counts: Tensor


class UniqueCounts(NamedTuple):
    """Different values and how many there are of each."""

    values: Tensor
    counts: Tensor


class UniqueInverse(NamedTuple):
    """Different values, and which of them each element is."""

    values: Tensor
    inverse_indices: Tensor


def argmax(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Place of the largest element, the first of equal ones.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.argmax(xp.asarray([1.0, 5.0, 2.0]))
        tensor(1)
    """
    check_kind("argmax", "x", x, "real numbers or integral")
    return _core.argmax(x, axis, keepdims)


def argmin(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Place of the smallest element, the first of equal ones.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.argmin(xp.asarray([4.0, 1.0, 2.0]))
        tensor(1)
    """
    check_kind("argmin", "x", x, "real numbers or integral")
    return _core.argmin(x, axis, keepdims)


def count_nonzero(
    x: Tensor, /, *, axis: int | tuple[int, ...] | None = None, keepdims: bool = False
) -> Tensor:
    """How many elements are not 0.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.count_nonzero(xp.asarray([0, 3, 0, 4]))
        tensor(2)
    """
    check_kind("count_nonzero", "x", x, "any")
    return reduced(_core.count_nonzero, x, axis, keepdims)


def nonzero(x: Tensor, /) -> tuple[Tensor, ...]:
    """Coordinates of the elements that are not 0, one array for each dimension.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.nonzero(xp.asarray([0, 3, 0, 4]))
        (tensor([1, 3]),)
    """
    check_kind("nonzero", "x", x, "any")
    if not x.ndim:
        raise ShapeError("nonzero: the array has no dimension")
    return tuple(_core.unbind(_core.nonzero(x), 1))


def searchsorted(
    x1: Tensor, x2: Tensor | float, /, *, side: str = "left", sorter: Tensor | None = None
) -> Tensor:
    """Places at which x2, an array or a number, would be put into x1 to keep it in order.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.searchsorted(xp.asarray([1, 3, 5]), xp.asarray([3, 4]))
        tensor([1, 2])
    """
    check_kind("searchsorted", "x1", x1, "real numbers or integral")
    if not isinstance(x2, (int, float)):
        check_kind("searchsorted", "x2", x2, "real numbers or integral")
    if sorter is not None:
        check_kind("searchsorted", "sorter", sorter, "integral")
    ordered = x1 if sorter is None else _core.take(x1, sorter)
    return _core.searchsorted(ordered, x2, side=side)


def isin(x1: Tensor | float, x2: Tensor | float, /, *, invert: bool = False) -> Tensor:
    """Which elements of x1 are in x2, or with invert are not. Of 2025.12; one may be a number.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.isin(xp.asarray([1, 2, 3]), xp.asarray([3, 1]))
        tensor([ True, False,  True])
    """
    check_number("isin", "x1", x1)
    check_number("isin", "x2", x2)
    result: Tensor = _core.isin(x1, x2, invert=invert)
    return result


def where(condition: Tensor, x1: Tensor | float, x2: Tensor | float, /) -> Tensor:
    """x1 where the condition holds, else x2; one of them may be a Python number.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.where(xp.asarray([True, False]), xp.asarray([1, 1]), xp.asarray([0, 0]))
        tensor([1, 0])
    """
    check_kind("where", "condition", condition, "bool")
    check_number("where", "x1", x1)
    check_number("where", "x2", x2)
    result: Tensor = _core.where(condition, *promoted(x1, x2))
    return result


def argsort(
    x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True
) -> Tensor:
    """Places of the elements in order along an axis.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.argsort(xp.asarray([3, 1, 2]))
        tensor([1, 2, 0])
    """
    check_kind("argsort", "x", x, "real numbers or integral")
    return _core.argsort(x, axis, descending, stable)


def sort(x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """The elements in order along an axis.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.sort(xp.asarray([3, 1, 2]))
        tensor([1, 2, 3])
    """
    check_kind("sort", "x", x, "real numbers or integral")
    values: Tensor = _core.sort(x, axis, descending, stable).values
    return values


def unique_all(x: Tensor, /) -> UniqueAll:
    """The unique values with first indices, inverse and counts; each NaN is a distinct value.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.unique_all(xp.asarray([3, 1, 3])).counts
        tensor([1, 2])
    """
    check_kind("unique_all", "x", x, "any")
    values, inverse, counts = _core.unique(x, True, True, True)
    order = _core.argsort(x.flatten())
    first = _core.take(order, _core.cumsum(counts, 0) - counts)
    return UniqueAll(values, first, inverse, counts)


def unique_counts(x: Tensor, /) -> UniqueCounts:
    """Different values with counts.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.unique_counts(xp.asarray([3, 1, 3])).counts
        tensor([1, 2])
    """
    check_kind("unique_counts", "x", x, "any")
    return UniqueCounts(*_core.unique(x, True, False, True))


def unique_inverse(x: Tensor, /) -> UniqueInverse:
    """Different values, and which of them each element is.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.unique_inverse(xp.asarray([3, 1, 3])).inverse_indices
        tensor([1, 0, 1])
    """
    check_kind("unique_inverse", "x", x, "any")
    return UniqueInverse(*_core.unique(x, True, True, False))


def unique_values(x: Tensor, /) -> Tensor:
    """Different values.

    Args:
        x: A tensor of any shape and dtype.

    Returns:
        1-d, x's dtype, ascending.

    Raises:
        TypeError: x is not a tensor.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.unique_values(xp.asarray([3, 1, 3]))
        tensor([1, 3])
    """
    check_kind("unique_values", "x", x, "any")
    values: Tensor = _core.unique(x)
    return values


def take(x: Tensor, indices: Tensor, /, *, axis: int | None = None) -> Tensor:
    """The slices at integer indices along an axis, which is optional only for 1-d arrays.

    Args:
        x: A tensor of one dimension or more.
        indices: Integers, 1-d; negative ones count from the end.
        axis: The axis, counted from the end when negative.

    Returns:
        x's dtype; along axis as long as indices.

    Raises:
        ValueError: axis is missing.
        IndexError: An index or axis is out of range.
        DTypeError: indices are not integers.
        ShapeError: indices have more dimensions than one.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.take(xp.asarray([5, 6, 7]), xp.asarray([2, 0]))
        tensor([7, 5])
    """
    check_kind("take", "x", x, "any")
    check_kind("take", "indices", indices, "integral")
    if axis is None and x.ndim != 1:
        raise ArgumentError(f"take: axis is missing; the array has {x.ndim} dimensions")
    return _core.index_select(x, 0 if axis is None else axis, indices)


def take_along_axis(x: Tensor, indices: Tensor, /, *, axis: int = -1) -> Tensor:
    """The elements at places along an axis, the other axes going along.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.take_along_axis(xp.asarray([5, 6, 7]), xp.asarray([2, 0]))
        tensor([7, 5])
    """
    check_kind("take_along_axis", "x", x, "any")
    check_kind("take_along_axis", "indices", indices, "integral")
    return _core.take_along_dim(x, indices, axis)
