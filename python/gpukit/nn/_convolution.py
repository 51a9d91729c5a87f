"""Convolutions of 1, 2 and 3 dimensions: checked arguments. csrc/ops/convolution.h computes them.

A kernel's elements are its taps; `stacked` gives the input under each tap as a strided view.
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
    """The result without the batch that was not given."""
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
    places = [
        (before + size + after - dil * (taps - 1) - 1) // step + 1
        for (before, after), size, taps, step, dil in zip(
            sides, call.input.shape[2:], shape[2:], *call.steps, strict=True
        )
    ]
    before = [side[0] for side in sides]
    steps = (call.steps.stride, before, call.steps.dilation, call.groups)
    return finished(call, _core.convolution(call.input, call.weight, call.bias, *steps, places))


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
    sizes = []
    for i, (step, dil) in enumerate(zip(*call.steps, strict=True)):
        size = (call.input.shape[2 + i] - 1) * step + dil * (shape[2 + i] - 1) + 1
        check_remaining(call, i, size, less[i], more[i])
        sizes.append(size - 2 * less[i] + more[i])
    out = _core.convolution_transposed(
        call.input, call.weight, call.steps.stride, less, call.steps.dilation, call.groups, sizes
    )
    if call.bias is not None:
        out = out + call.bias.reshape(-1, *[1] * count)
    return finished(call, out)


def check_remaining(call: Call, i: int, size: int, less: int, more: int) -> None:
    """Raise ShapeError if the padding leaves nothing of a transposed convolution."""
    if size - 2 * less + more < 1:
        raise ShapeError(
            f"{call.op}: input {tuple(call.input.shape)} and weight {tuple(call.weight.shape)} "
            f"give {size} elements in dimension {2 + i}; with the padding {size} - {less} - "
            f"{less - more} = {size - 2 * less + more}"
        )
