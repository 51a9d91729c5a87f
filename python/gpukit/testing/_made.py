"""Tensors of drawn numbers, as torch.testing.make_tensor."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from gpukit import _core
from gpukit._arguments import bool_of, ints_of, number_of
from gpukit._core import Tensor
from gpukit._tensors.limits import finfo, iinfo
from gpukit.errors import ArgumentError


class _Range(NamedTuple):
    """What a dtype holds, and what is drawn where nothing is said."""

    lowest: float
    highest: float
    low: float
    high: float


def make_tensor(
    *shape: int | Sequence[int],
    dtype: Any,
    device: Any,
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """Return a tensor of numbers drawn evenly from `low` up to `high`.

    Args:
        shape: Ints, or one sequence of them.
        dtype: Any dtype.
        device: Where the tensor is.
        low: The least number; None is -9, and 0 for bool and unsigned integers.
        high: Numbers are below it; None is 9, 10 for integers, 2 for bool. Both are brought into
            the dtype's range.
        requires_grad: Whether operations with it are recorded.
        noncontiguous: Whether it is every second element of a larger tensor, where it has several.
        exclude_zero: Whether 1, or the least normal number, replaces zeros.
        memory_format: Of the result; None for one without gaps.

    Raises:
        ValueError: low is not below high, one is NaN or both are outside of the dtype's range;
            integers with requires_grad; noncontiguous with a memory format.
        TypeError: An argument is of another kind.

    Example:
        >>> import gpukit
        >>> from gpukit.testing import make_tensor
        >>> x = make_tensor(2, 3, dtype=gpukit.float32, device="cpu", low=0.0, high=1.0)
        >>> bool((x >= 0).all()), bool((x < 1).all())
        (True, True)
    """
    name = "make_tensor"
    sizes = ints_of(name, "shape", shape[0] if _is_one(shape) else shape)
    kind = _core.parse_target(name, "dtype", dtype)[1]
    smooth = kind.is_floating_point or kind.is_complex
    record = bool_of(name, "requires_grad", requires_grad)
    gaps = bool_of(name, "noncontiguous", noncontiguous)
    if gaps and memory_format is not None:
        raise ArgumentError(
            f"{name}: noncontiguous=True and memory_format={memory_format} exclude each other. "
            "Leave out one of the two"
        )
    if record and not smooth:
        raise ArgumentError(
            f"{name}: requires_grad=True needs a floating or complex dtype, got {kind.name}"
        )
    limits = _range_of(kind)
    first, last = _bounds(low, high, limits, kind)
    gaps = gaps and math.prod(sizes) > 1
    if gaps:  # twice as many in the last dimension, so that the numbers in the gaps differ
        sizes = [*sizes[:-1], 2 * sizes[-1]]
    result = _drawn(sizes, first, last, kind, device)
    if gaps:
        result = result[..., 1::2]
    elif memory_format is not None:
        result = result.clone(memory_format=memory_format)
    if bool_of(name, "exclude_zero", exclude_zero):
        result[result == 0] = finfo(kind).tiny if smooth else 1
    return result.requires_grad_() if record else result


def _is_one(shape: Sequence[Any]) -> bool:
    return len(shape) == 1 and isinstance(shape[0], Sequence)


def _range_of(kind: Any) -> _Range:
    if kind == _core.bool:
        return _Range(0, 2, 0, 2)
    if kind.is_floating_point or kind.is_complex:
        limits = finfo(kind)
        return _Range(limits.min, limits.max, -9, 9)
    whole = iinfo(kind)
    # randint's bounds are int64: its largest number cannot be drawn
    return _Range(whole.min, min(whole.max + 1, 2**63 - 1), -9, 10)


def _bounds(low: Any, high: Any, limits: _Range, kind: Any) -> tuple[float, float]:
    name = "make_tensor"
    first = limits.low if low is None else number_of(name, "low", low)
    last = limits.high if high is None else number_of(name, "high", high)
    if math.isnan(first) or math.isnan(last):
        raise ArgumentError(f"{name}: low and high must be numbers, got {first} and {last}")
    smooth = kind.is_floating_point or kind.is_complex
    if first > last or (first == last and not smooth):
        raise ArgumentError(f"{name}: low must be below high, got {first} and {last}")
    if last < limits.lowest or first >= limits.highest:
        raise ArgumentError(
            f"{name}: low and high must reach into the range of {kind.name}, {limits.lowest} to "
            f"{limits.highest}, got {first} and {last}"
        )
    first, last = (min(max(each, limits.lowest), limits.highest) for each in (first, last))
    return (first, last) if smooth else (math.ceil(first), math.ceil(last))


def _drawn(sizes: Sequence[int], low: float, high: float, kind: Any, device: Any) -> Tensor:
    if not (kind.is_floating_point or kind.is_complex):
        return _core.randint(int(low), int(high), tuple(sizes), dtype=kind, device=device)
    parts = kind.to_real()
    whole = (*sizes, 2) if kind.is_complex else tuple(sizes)
    values = _core.empty(whole, dtype=parts, device=device)
    if high - low >= finfo(parts).max:  # a wider range than the dtype holds
        values.uniform_(low / 2, high / 2).mul_(2)
    else:
        values.uniform_(low, high)
    return _core.view_as_complex(values) if kind.is_complex else values
