"""Max pooling, an operation of the device, and average pooling, composed of others.

For an average the input under each element of the window (a tap) is a strided view of the padded
input. The views are stacked, and their sum is divided.
"""

from __future__ import annotations

import math
from typing import Any

from gpukit import _core
from gpukit._arguments import bool_of, int_from, int_of, tensor_of
from gpukit._core import Tensor
from gpukit._dtypes import HALF
from gpukit.errors import ArgumentError, DTypeError, GpukitError, ShapeError
from gpukit.nn._convolution import Steps, stacked, tuple_of
from gpukit.nn._padding import padded
from gpukit.nn._resizing import averaged

_FLOATING = (*HALF, _core.float32, _core.float64)


class Window:
    """The places of a window over the last `count` dimensions of an input."""

    def __init__(
        self,
        op: str,
        count: int,
        input: Tensor,
        *,
        kernel_size: Any,
        stride: Any,
        padding: Any,
        dilation: Any,
        ceil_mode: bool,
    ) -> None:
        tensor_of(op, "input", input)
        if input.dtype not in _FLOATING:
            raise DTypeError(
                f"{op}: input must be floating, it is {input.dtype}; use input.float()"
            )
        if input.ndim not in {count + 1, count + 2}:
            raise ShapeError(
                f"{op}: input must have {count + 1} (without a batch) or {count + 2} dimensions, "
                f"its shape is {tuple(input.shape)}"
            )
        self.kernel = tuple_of(op, "kernel_size", kernel_size, count)
        given = self.kernel if stride is None else stride
        self.stride = tuple_of(op, "stride", given, count)
        self.sides = tuple_of(op, "padding", padding, count, 0)
        self.dilation = tuple_of(op, "dilation", dilation, count)
        for side, taps in zip(self.sides, self.kernel, strict=True):
            if side > taps // 2:
                raise GpukitError(
                    f"{op}: padding must be at most half of kernel_size, got padding={self.sides} "
                    f"and kernel_size={self.kernel}"
                )
        self.input_sizes = tuple(input.shape[-count:])
        ceil = bool_of(op, "ceil_mode", ceil_mode)
        places = zip(
            self.input_sizes, self.kernel, self.stride, self.sides, self.dilation, strict=True
        )
        self.sizes = tuple(_places(*each, ceil) for each in places)
        if min(self.sizes) < 1:
            raise GpukitError(
                f"{op}: input {tuple(input.shape)} with padding={self.sides} is smaller than "
                f"kernel_size={self.kernel} with dilation={self.dilation}; the result would be "
                f"{self.sizes}"
            )

    def taps(self, x: Tensor, value: float) -> Tensor:
        """(C, N, *sizes) as (C, taps, N, *places), `value` where a window leaves the input."""
        ends = []
        for i, side in enumerate(self.sides):
            reach = (self.sizes[i] - 1) * self.stride[i] + self.dilation[i] * (self.kernel[i] - 1)
            ends.append((side, reach + 1 - side - self.input_sizes[i]))
        return stacked(padded(x, ends, value), self.kernel, Steps(self.stride, self.dilation))


def _places(size: int, taps: int, stride: int, side: int, dilation: int, ceil: bool) -> int:
    """The number of places; the last one of ceil_mode starts inside the input or before it."""
    room = size + 2 * side - dilation * (taps - 1) - 1
    places = (-(-room // stride) if ceil else room // stride) + 1
    if ceil and (places - 1) * stride >= size + side:
        places -= 1
    return places


def _planes(input: Tensor, count: int) -> Tensor:
    """The input as (1, all planes, *sizes)."""
    return input.reshape(1, -1, *input.shape[-count:])


def max_pool(input: Tensor, window: Window, both: bool) -> tuple[Tensor, Tensor | None]:
    """The largest value of each place and its number in its plane; a NaN is the largest."""
    x = input.float() if input.dtype in HALF else input
    values, numbers = _core.max_pool(
        x, window.kernel, window.stride, window.sides, window.dilation, window.sizes, both
    )
    return values.to(input.dtype), numbers


def avg_pool(
    op: str, count: int, input: Tensor, window: Window, include_pad: bool, divisor: int | None
) -> Tensor:
    """The sum under each place divided by its count."""
    x = _planes(input.float() if input.dtype in HALF else input, count)
    total = window.taps(x, 0.0).sum(1)
    if divisor is not None:
        divisor = int_of(op, "divisor_override", divisor)
        if divisor == 0:
            raise ArgumentError(f"{op}: divisor_override must not be 0")
        result = total / divisor
    else:
        result = total / _counts(window, include_pad, total)
    return result.reshape(*input.shape[:-count], *window.sizes).to(input.dtype)


def _counts(window: Window, include_pad: bool, like: Tensor) -> Any:
    """The elements under each place: a number, or a tensor where they differ."""
    counts: list[list[int]] = []
    for i, places in enumerate(window.sizes):
        size, side = window.input_sizes[i], window.sides[i]
        row = []
        for place in range(places):
            start = place * window.stride[i] - side
            end = min(start + window.kernel[i], size + side)
            row.append(end - start if include_pad else min(end, size) - max(start, 0))
        counts.append(row)
    if all(len(set(row)) == 1 for row in counts):
        return math.prod(row[0] for row in counts)
    result: Any = None
    for i, row in enumerate(counts):
        shape = [1] * len(counts)
        shape[i] = len(row)
        part = _core.tensor(row, dtype=like.dtype, device=like.device).reshape(shape)
        result = part if result is None else result * part
    return result


Sizes = int | tuple[int | None, ...] | None


def adaptive_sizes(op: str, value: Any) -> Sizes:
    """One size or one for each dimension; None keeps the input's."""
    if isinstance(value, (list, tuple)):
        return tuple(None if n is None else int_from(op, "output_size", n, 0) for n in value)
    if value is None and not op.endswith("1d"):
        return None
    return int_from(op, "output_size", value, 0)


def adaptive_places(op: str, count: int, input: Tensor, output_size: Any) -> list[int]:
    """The number of places in each of the last `count` dimensions of a checked input."""
    tensor_of(op, "input", input)
    if input.dtype not in _FLOATING:
        raise DTypeError(f"{op}: input must be floating, it is {input.dtype}; use input.float()")
    if input.ndim not in {count + 1, count + 2}:
        raise ShapeError(
            f"{op}: input must have {count + 1} (without a batch) or {count + 2} dimensions, its "
            f"shape is {tuple(input.shape)}"
        )
    given = adaptive_sizes(op, output_size)
    sizes = given if isinstance(given, tuple) else (given,) * count
    if len(sizes) != count:
        raise GpukitError(f"{op}: output_size must be an int or {count} of them, got {given}")
    own = input.shape[-count:]
    return [now if size is None else size for size, now in zip(sizes, own, strict=True)]


def adaptive_average(op: str, count: int, input: Tensor, output_size: Any) -> Tensor:
    """The means of windows that divide each dimension."""
    sizes = adaptive_places(op, count, input, output_size)
    x = input.float() if input.dtype in HALF else input
    for dim, size in enumerate(sizes, input.ndim - count):
        if size == 0:
            x = x.narrow(dim, 0, 0)
        elif size != x.shape[dim]:
            x = averaged(x, dim, size)
    return x.to(input.dtype)
