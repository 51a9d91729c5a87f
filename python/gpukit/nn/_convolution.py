"""Convolutions as products of matrices: one routine for 1, 2 and 3 dimensions.

Images are laid out as (channels, batch, sizes), so that a product covers the whole batch. The
input under each element of the kernel (a tap) is a strided view; the views are stacked, and the
kernel is one matrix. Where the stack would be large and nothing is recorded, the taps of the first
dimension are added up one after another instead.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from typing import Any, NamedTuple

from gpukit import _core
from gpukit._arguments import int_from, ints_of, tensor_of
from gpukit._core import Tensor
from gpukit.errors import ArgumentError, DTypeError, GpukitError, ShapeError
from gpukit.nn._padding import padded

_LARGE_STACK = 1 << 24  # elements


def tuple_of(op: str, name: str, value: Any, count: int, least: int | None = 1) -> tuple[int, ...]:
    """One int for all dimensions, or one for each; at least `least`, unless that is None."""
    numbers = ints_of(op, name, value)
    if len(numbers) == 1:
        numbers = numbers * count
    if len(numbers) != count:
        raise GpukitError(f"{op}: {name} must be an int or {count} of them, got {value!r}")
    if least is not None and min(numbers) < least:
        raise ArgumentError(f"{op}: {name} must be {least} or more, got {value!r}")
    return tuple(numbers)


def size_of(op: str, name: str, value: Any) -> int | tuple[int, ...]:
    """One int, or a tuple of them, as a layer shows it."""
    several = isinstance(value, (list, tuple)) or getattr(value, "ndim", 0) == 1
    numbers = ints_of(op, name, value)
    return tuple(numbers) if several else numbers[0]


class Steps(NamedTuple):
    """How a kernel moves: one number for each dimension."""

    stride: tuple[int, ...]
    dilation: tuple[int, ...]


def stacked(x: Tensor, kernel: tuple[int, ...], steps: Steps) -> Tensor:
    """The input under each tap: (C, N, *sizes) becomes (C, taps, N, *output sizes)."""
    sizes = output_sizes(x.shape[2:], kernel, steps)
    if math.prod(kernel) == 1 and set(steps.stride) == {1}:
        return x.unsqueeze(1)
    views = []
    for tap in itertools.product(*map(range, kernel)):
        places = zip(tap, sizes, *steps, strict=True)
        views.append(x[_at(places)])
    return _core.stack(views, 1)


def _at(places: Iterable[tuple[int, int, int, int]]) -> tuple[slice, ...]:
    """The index of (C, N, *sizes) at (tap, size, stride, dilation) of each dimension."""
    return (slice(None), slice(None), *(_places(*place) for place in places))


def _places(tap: int, size: int, stride: int, dilation: int) -> slice:
    start = tap * dilation
    return slice(start, start + (size - 1) * stride + 1, stride)


def output_sizes(sizes: Any, kernel: tuple[int, ...], steps: Steps) -> tuple[int, ...]:
    """The number of places of the kernel in each dimension of a padded input."""
    return tuple(
        (size - dilation * (taps - 1) - 1) // stride + 1
        for size, taps, stride, dilation in zip(sizes, kernel, *steps, strict=True)
    )


def added_up(x: Tensor, kernel: tuple[int, ...], steps: Steps) -> Tensor:
    """The transpose of `stacked`: (C, taps, N, *sizes) becomes (C, N, *larger sizes)."""
    sizes = x.shape[3:]
    places = zip(sizes, kernel, *steps, strict=True)
    larger = [(size - 1) * stride + dil * (taps - 1) + 1 for size, taps, stride, dil in places]
    total = None
    for t, tap in enumerate(itertools.product(*map(range, kernel))):
        part = _core.zeros(x.shape[0], x.shape[2], *larger, dtype=x.dtype, device=x.device)
        places = zip(tap, sizes, *steps, strict=True)
        part[_at(places)] = x[:, t]
        total = part if total is None else total + part
    assert total is not None
    return total


def grouped_product(w: Tensor, x: Tensor, groups: int) -> Tensor:
    """(groups * rows, inner) times (groups * inner, columns), group by group."""
    if groups == 1:
        return w @ x
    w = w.reshape(groups, w.shape[0] // groups, w.shape[1])
    x = x.reshape(groups, x.shape[0] // groups, x.shape[1])
    return (w @ x).reshape(-1, x.shape[2])


def convolve(
    input: Tensor, weight: Tensor, sides: list[tuple[int, int]], steps: Steps, groups: int
) -> Tensor:
    """The product of every place of the kernel with (N, C, *sizes): (N, O, *output sizes).

    All convolutions are computed here; the operands are checked, `sides` are zeros to be added.
    """
    x = input.transpose(0, 1)
    x = padded(x, sides) if any(map(any, sides)) else x
    kernel = tuple(weight.shape[2:])
    sizes = output_sizes(x.shape[2:], kernel, steps)
    columns = x.shape[1] * math.prod(sizes)
    stack = x.shape[0] * math.prod(kernel) * columns
    if stack > _LARGE_STACK and kernel[0] > 1 and _free_to_split(x, weight):
        out = _by_rows(x, weight, steps, groups)
    else:
        taps = stacked(x, kernel, steps).reshape(x.shape[0] * math.prod(kernel), columns)
        out = grouped_product(weight.reshape(weight.shape[0], -1), taps, groups)
    return out.reshape(weight.shape[0], x.shape[1], *sizes).transpose(0, 1)


def _free_to_split(x: Tensor, weight: Tensor) -> bool:
    recorded = _core.is_grad_enabled() and (x.requires_grad or weight.requires_grad)
    return not recorded and x.dtype in {_core.float32, _core.float64}


def _by_rows(x: Tensor, weight: Tensor, steps: Steps, groups: int) -> Tensor:
    """The sum over the kernel's first dimension of a product each."""
    kernel = tuple(weight.shape[2:])
    size = output_sizes(x.shape[2:], kernel, steps)[0]
    total = None
    for k in range(kernel[0]):
        places = _places(k, size, steps.stride[0], steps.dilation[0])
        row = Steps((1, *steps.stride[1:]), (1, *steps.dilation[1:]))
        taps = stacked(x[:, :, places], (1, *kernel[1:]), row)
        part = grouped_product(
            weight[:, :, k].reshape(weight.shape[0], -1),
            taps.reshape(taps.shape[0] * taps.shape[1], -1),
            groups,
        )
        total = part if total is None else total.add_(part)
    assert total is not None
    return total


# ---- the public functions' arguments ----


class Call(NamedTuple):
    """A convolution with checked operands."""

    op: str
    dims: int  # over which the kernel moves
    input: Tensor  # with a batch
    batched: bool  # as it was given
    weight: Tensor
    bias: Tensor | None
    steps: Steps
    groups: int


def checked(
    op: str, input: Any, weight: Any, bias: Any, stride: Any, dilation: Any, groups: Any
) -> Call:
    """The operands of a convolution, or a typed error."""
    count = int(op[-2])
    tensor_of(op, "input", input)
    tensor_of(op, "weight", weight)
    if weight.ndim != count + 2:
        raise ShapeError(
            f"{op}: weight must have {count + 2} dimensions, its shape is {tuple(weight.shape)}"
        )
    if input.ndim not in {count + 1, count + 2}:
        raise ShapeError(
            f"{op}: input must have {count + 1} (without a batch) or {count + 2} dimensions, its "
            f"shape is {tuple(input.shape)} and weight's {tuple(weight.shape)}"
        )
    operands = {"weight": weight, **({} if bias is None else {"bias": tensor_of(op, "bias", bias)})}
    for name, operand in operands.items():
        if operand.dtype != input.dtype:
            raise DTypeError(
                f"{op}: input is {input.dtype}, {name} is {operand.dtype}; "
                f"use {name}.to(input.dtype)"
            )
    steps = Steps(tuple_of(op, "stride", stride, count), tuple_of(op, "dilation", dilation, count))
    batched = input.ndim == count + 2
    whole = input if batched else input.unsqueeze(0)
    number = int_from(op, "groups", groups, 1)
    return Call(op, count, whole, batched, weight, bias, steps, number)


def check_channels(call: Call, expected: int, outputs: int, arithmetic: str) -> None:
    """Raise ShapeError unless input's channels, groups and bias fit the weight."""
    shape, weight = tuple(call.input.shape), tuple(call.weight.shape)
    if shape[1] != expected:
        raise ShapeError(
            f"{call.op}: input {shape} has {shape[1]} channels, weight {weight} with groups="
            f"{call.groups} takes {arithmetic} = {expected}"
        )
    if weight[0] % call.groups:
        raise ShapeError(
            f"{call.op}: weight {weight} has {weight[0]} in its first dimension, which groups="
            f"{call.groups} does not divide"
        )
    if call.bias is not None and tuple(call.bias.shape) != (outputs,):
        raise ShapeError(
            f"{call.op}: bias is {tuple(call.bias.shape)}; weight {weight} gives {outputs} "
            f"channels, so it must be ({outputs},)"
        )


def finished(call: Call, out: Tensor) -> Tensor:
    """The result with its bias, contiguous, and without the batch that was not given."""
    if call.bias is not None:
        out = out + call.bias.reshape(-1, *[1] * call.dims)
    out = out.contiguous()
    return out if call.batched else out.squeeze(0)


def convolution(
    op: str,
    input: Any,
    weight: Any,
    bias: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: Any,
) -> Tensor:
    call = checked(op, input, weight, bias, stride, dilation, groups)
    shape = call.weight.shape
    arithmetic = f"{shape[1]} * {call.groups}"
    check_channels(call, shape[1] * call.groups, shape[0], arithmetic)
    sides = padding_of(op, padding, shape[2:], call.steps)
    check_sizes(call, sides)
    return finished(call, convolve(call.input, call.weight, sides, call.steps, call.groups))


def padding_of(op: str, padding: Any, kernel: Any, steps: Steps) -> list[tuple[int, int]]:
    """The (before, after) of each dimension, of numbers, 'same' or 'valid'."""
    if not isinstance(padding, str):
        return [(n, n) for n in tuple_of(op, "padding", padding, len(kernel), 0)]
    if padding == "valid":
        return [(0, 0)] * len(kernel)
    if padding != "same":
        raise ArgumentError(
            f"{op}: padding must be 'same', 'valid', an int or ints, got {padding!r}"
        )
    if set(steps.stride) != {1}:
        raise ArgumentError(f"{op}: padding='same' needs stride=1, got stride={steps.stride}")
    return same_sides(kernel, steps.dilation)


def same_sides(kernel: Any, dilation: Any) -> list[tuple[int, int]]:
    """The padding with which the result has the input's sizes; the odd element is at the end."""
    totals = [step * (taps - 1) for taps, step in zip(kernel, dilation, strict=True)]
    return [(total // 2, total - total // 2) for total in totals]


def check_sizes(call: Call, sides: list[tuple[int, int]]) -> None:
    """Raise ShapeError if the kernel reaches beyond the padded input."""
    kernel = call.weight.shape[2:]
    for i, (before, after) in enumerate(sides):
        size, reach = call.input.shape[2 + i], call.steps.dilation[i] * (kernel[i] - 1) + 1
        if kernel[i] < 1 or before + size + after < reach:
            raise ShapeError(
                f"{call.op}: dimension {2 + i} of input {tuple(call.input.shape)} has {before} + "
                f"{size} + {after} = {before + size + after} elements with its padding; weight "
                f"{tuple(call.weight.shape)} reaches over {call.steps.dilation[i]} * "
                f"({kernel[i]} - 1) + 1 = {reach}"
            )


def transposed(
    op: str,
    input: Any,
    weight: Any,
    bias: Any,
    stride: Any,
    padding: Any,
    output_padding: Any,
    groups: Any,
    dilation: Any,
) -> Tensor:
    call = checked(op, input, weight, bias, stride, dilation, groups)
    shape, count = tuple(call.weight.shape), call.dims
    check_channels(call, shape[0], shape[1] * call.groups, f"{shape[0]}")
    less = tuple_of(op, "padding", padding, count, 0)
    more = tuple_of(op, "output_padding", output_padding, count, 0)
    for i in range(count):
        if more[i] >= max(call.steps.stride[i], call.steps.dilation[i]):
            raise GpukitError(
                f"{op}: output_padding must be smaller than stride or dilation, got "
                f"output_padding={more}, stride={call.steps.stride}, "
                f"dilation={call.steps.dilation}"
            )
    x = call.input.transpose(0, 1)
    taps = math.prod(shape[2:])
    by_group = call.weight.reshape(call.groups, shape[0] // call.groups, shape[1] * taps)
    rows = by_group.transpose(1, 2).reshape(-1, shape[0] // call.groups)
    product = grouped_product(rows, x.reshape(shape[0], -1), call.groups)
    columns = product.reshape(shape[1] * call.groups, taps, *x.shape[1:])
    out = added_up(columns, shape[2:], call.steps)
    sides = [(-n, m - n) for n, m in zip(less, more, strict=True)]
    check_remaining(call, out, sides)
    out = padded(out, sides) if any(map(any, sides)) else out
    return finished(call, out.transpose(0, 1))


def check_remaining(call: Call, out: Tensor, sides: list[tuple[int, int]]) -> None:
    """Raise ShapeError if the padding leaves nothing of a transposed convolution."""
    for i, (before, after) in enumerate(sides):
        size = out.shape[2 + i]
        if size + before + after < 1:
            raise ShapeError(
                f"{call.op}: input {tuple(call.input.shape)} and weight "
                f"{tuple(call.weight.shape)} give {size} elements in dimension {2 + i}; with the "
                f"padding {size} - {-before} - {-after} = {size + before + after}"
            )
