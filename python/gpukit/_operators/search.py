"""Places of values in sorted ones, and membership; called as composed.py says."""

from __future__ import annotations

from typing import Any

from gpukit import _core
from gpukit._arguments import LARGEST, bool_of, number_or_none, tensor_of
from gpukit._core import Tensor
from gpukit._dtypes import by_kind
from gpukit.errors import ArgumentError, ShapeError

_HAS_NAN = by_kind(bool=False, integer=False, floating=True, complex=True)


def searchsorted(
    sorted_sequence: Any,
    input: Any,
    right: Any = False,
    side: Any = None,
    out_int32: Any = False,
) -> Tensor:
    """Binary search of every value at once: one step halves all ranges."""
    sequence = tensor_of("searchsorted", "sorted_sequence", sorted_sequence)
    if not isinstance(input, Tensor):
        number = number_or_none(input)
        if number is None:
            tensor_of("searchsorted", "input", input)
        input = _core.as_tensor(number, device=sequence.device)
    behind = _side(right, side)
    if not sequence.ndim or (sequence.ndim > 1 and sequence.shape[:-1] != input.shape[:-1]):
        raise ShapeError(
            f"searchsorted: sorted_sequence is {sequence.shape}, input {input.shape}; it must have "
            "one dimension, or the leading sizes of input"
        )
    values = input.flatten() if sequence.ndim == 1 else input
    count = sequence.shape[-1]
    low = _core.zeros_like(values, dtype=_core.int64)
    high = low + count
    for _ in range(count.bit_length()):
        middle = (low + high) // 2
        # A range that is already empty reads any position; its ends do not change.
        found = _core.gather(sequence, -1, middle.clamp(max=max(count - 1, 0)))
        before = _precedes(found, values, behind) & (low < high)
        low = _core.where(before, middle + 1, low)
        high = _core.where(before, high, middle)
    short = bool_of("searchsorted", "out_int32", out_int32)
    return (low.int() if short else low).reshape(input.shape)


def _side(right: Any, side: Any) -> bool:
    if side is None:
        return bool_of("searchsorted", "right", right)
    if not isinstance(side, str) or side not in {"left", "right"}:
        raise ArgumentError(f"searchsorted: side must be 'left' or 'right', got {side!r}")
    return bool(side == "right")


def _precedes(x: Tensor, value: Tensor, or_equal: bool) -> Tensor:
    """Whether x comes before value in ascending order, in which NaN is last."""
    plain = x <= value if or_equal else x < value
    if not (_HAS_NAN[x.dtype] and _HAS_NAN[value.dtype]):
        return plain
    nan = _core.isnan(value)
    return plain | (nan if or_equal else nan & ~_core.isnan(x))


def isin(elements: Any, test_elements: Any, invert: Any = False) -> Tensor:
    """Membership by binary search."""
    if isinstance(elements, Tensor):
        x, known = elements, _as_tensor("isin", "test_elements", test_elements, elements)
    else:
        known = tensor_of("isin", "test_elements", test_elements)
        x = _as_tensor("isin", "elements", elements, known)
    outside = bool_of("isin", "invert", invert)
    if not known.numel():
        return _core.full(x.shape, outside, dtype=_core.bool, device=x.device)
    dtype = _core.promote_types(x.dtype, known.dtype)
    ordered = _core.sort(known.to(dtype).flatten()).values
    x = x.to(dtype)
    indices = searchsorted(ordered, x).clamp(max=ordered.numel() - 1)
    found = _core.take(ordered, indices)
    return found != x if outside else found == x


def _as_tensor(function: str, name: str, value: Any, other: Tensor) -> Tensor:
    """A tensor; a number becomes one, of the other's dtype where that is floating."""
    number = None if isinstance(value, (Tensor, bool)) else number_or_none(value)
    if number is None:
        return tensor_of(function, name, value)
    dtype: _core.dtype | None = _core.float64
    if not _HAS_NAN[other.dtype]:
        dtype = None if isinstance(number, int) else _core.float64
    elif not abs(number) > LARGEST[other.dtype]:
        dtype = other.dtype
    return _core.as_tensor(number, dtype=dtype, device=other.device)
