"""Medians and counts, composed of other functions."""

from __future__ import annotations

from typing import Any

from gpukit import _core
from gpukit._arguments import bool_of, dim_of, int_of, tensor_of
from gpukit._core import Tensor
from gpukit._dtypes import INTEGER, by_kind
from gpukit.errors import ArgumentError, DimensionError, DTypeError, ShapeError

_HAS_NAN = by_kind(bool=False, integer=False, floating=True, complex=True)


def median(input: Any, dim: Any = None, keepdim: Any = False) -> Any:
    """The lower of the elements in the middle; with dim also its place."""
    x, keep = (
        tensor_of("median", "input", input),
        bool_of("median", "keepdim", keepdim),
    )
    if dim is None:
        if x.numel() == 0 and _HAS_NAN[x.dtype]:
            return x.sum() + float("nan")
        return _median(x.reshape(-1), 0)[0]
    axis = dim_of("median", "dim", dim, max(x.ndim, 1))
    if x.ndim == 0:
        return x.clone(), _core.zeros((), dtype=_core.int64, device=x.device)
    values, places = _median(x, axis)
    return (values.unsqueeze(axis), places.unsqueeze(axis)) if keep else (values, places)


def _median(x: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    if x.shape[dim] == 0:
        raise DimensionError(
            f"median: input is {tuple(x.shape)}; there are no elements along dim {dim}"
        )
    values, places = x.sort(dim=dim)
    last = x.shape[dim] - 1
    middle, end = last // 2, values.select(dim, last)
    value, place = values.select(dim, middle), places.select(dim, middle)
    if not _HAS_NAN[x.dtype]:
        return value, place
    bad = end.isnan()  # sorting puts NaN last
    return _core.where(bad, end, value), _core.where(bad, places.select(dim, last), place)


def bincount(input: Any, weights: Any = None, minlength: Any = 0) -> Tensor:
    """Sums at the numbers' places."""
    x = tensor_of("bincount", "input", input)
    length = int_of("bincount", "minlength", minlength)
    each = None if weights is None else tensor_of("bincount", "weights", weights)
    if length < 0:
        raise ArgumentError(f"bincount: minlength must be 0 or more, got {length}")
    if x.ndim != 1:
        raise ShapeError(f"bincount: input must be 1-d, it is {tuple(x.shape)}")
    if x.dtype not in INTEGER:
        raise DTypeError(f"bincount: input must be of integers, it is {x.dtype}. Use .long()")
    if x.numel() > 0:
        if int(x.min().item()) < 0:
            raise ArgumentError("bincount: the numbers must be 0 or more")
        length = max(length, int(x.max().item()) + 1)
    if each is not None and each.shape != x.shape and x.numel() > 0:
        raise ShapeError(f"bincount: weights are {tuple(each.shape)}, input is {tuple(x.shape)}")
    if each is None or x.numel() == 0:
        ones = _core.ones_like(x, dtype=_core.int64)
        return ones.new_zeros(length).scatter_add_(0, x.long(), ones)
    each = each if each.dtype is _core.float32 else each.double()
    return each.new_zeros(length).scatter_add_(0, x.long(), each)
