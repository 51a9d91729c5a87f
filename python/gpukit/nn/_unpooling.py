"""Adaptive max pooling, power means of windows, and the way back from max pooling."""

from __future__ import annotations

import math
from typing import Any

from gpukit import _core
from gpukit._arguments import bool_of, ints_of, number_of, tensor_of
from gpukit._core import Tensor
from gpukit.errors import ArgumentError, DTypeError, GpukitError, ShapeError
from gpukit.nn._convolution import tuple_of
from gpukit.nn._named_nodes import names_node
from gpukit.nn._pooling import adaptive_places
from gpukit.nn._poolings import avg_pool1d, avg_pool2d, avg_pool3d

_AVERAGES: Any = {1: avg_pool1d, 2: avg_pool2d, 3: avg_pool3d}


def _windows(size: int, places: int, device: Any) -> Tensor:
    """(places, most): the elements of each window; a shorter one repeats its last."""
    starts = [place * size // places for place in range(places)]
    ends = [-(-(place + 1) * size // places) for place in range(places)]
    most = max(end - start for start, end in zip(starts, ends, strict=True))
    rows = [
        [min(start + step, end - 1) for step in range(most)]
        for start, end in zip(starts, ends, strict=True)
    ]
    return _core.tensor(rows, dtype=_core.int64, device=device)


def _largest(x: Tensor, numbers: Tensor, dim: int, places: int, step: int) -> tuple[Tensor, Tensor]:
    """The largest of each window of a dimension, and its number; `step` is between neighbours."""
    index = _windows(x.shape[dim], places, x.device)
    most = index.shape[1]
    shape = (*x.shape[:dim], places, most, *x.shape[dim + 1 :])
    values = x.index_select(dim, index.flatten()).reshape(*shape)
    tap = values.argmax(dim + 1, keepdim=True)
    numbers = numbers.index_select(dim, index.flatten()).reshape(*shape)
    seen = [1] * len(shape)
    seen[dim], seen[dim + 1] = places, most
    numbers = numbers + index.reshape(seen) * step
    values, numbers = (each.gather(dim + 1, tap).squeeze(dim + 1) for each in (values, numbers))
    return values, numbers


def adaptive_largest(
    op: str, count: int, input: Tensor, output_size: Any, return_indices: bool
) -> Tensor | tuple[Tensor, Tensor]:
    """The largest element of windows that divide each dimension, one dimension after the other."""
    places = adaptive_places(op, count, input, output_size)
    both = bool_of(op, "return_indices", return_indices)
    shape = (*input.shape[:-count], *places)
    if 0 in input.shape[-count:]:
        raise ShapeError(f"{op}: input {tuple(input.shape)} has planes without elements")
    if 0 in shape:
        empty = input.reshape(-1)[:0].reshape(shape)
        return (empty, empty.detach().long()) if both else empty
    x, step = input.detach(), 1
    numbers = _core.zeros(x.shape, dtype=_core.int64, device=x.device)
    for dim in range(input.ndim - 1, input.ndim - count - 1, -1):
        x, numbers = _largest(x, numbers, dim, places[dim - input.ndim + count], step)
        step *= input.shape[dim]
    values = input.flatten(-count).gather(-1, numbers.flatten(-count)).reshape(shape)
    return (values, numbers) if both else values


def power_mean(
    op: str,
    count: int,
    input: Tensor,
    norm_type: Any,
    kernel_size: Any,
    stride: Any,
    ceil_mode: Any,
) -> Tensor:
    """The root of the sum of powers under each place of a window."""
    power = number_of(op, "norm_type", norm_type)
    if power == 0:
        raise ArgumentError(f"{op}: norm_type must not be 0")
    kernel = tuple_of(op, "kernel_size", kernel_size, count)
    tensor_of(op, "input", input)
    average: Tensor = _AVERAGES[count](input.pow(power), kernel, stride, 0, ceil_mode)
    total = average.sign() * average.abs().relu() * math.prod(kernel)
    return total.pow(1.0 / power)


def unpooling_window(
    op: str, count: int, kernel_size: Any, stride: Any, padding: Any
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Kernel, stride and padding of the pooling, a number for each dimension."""
    kernel = tuple_of(op, "kernel_size", kernel_size, count)
    step = tuple_of(op, "stride", kernel if stride is None else stride, count)
    return kernel, step, tuple_of(op, "padding", padding, count, 0)


def _unpooled_sizes(
    op: str, input: Tensor, window: tuple[tuple[int, ...], ...], output_size: Any
) -> list[int]:
    """The sizes before the pooling: the smallest ones, or those that are named."""
    kernel, stride, padding = window
    count = len(kernel)
    sizes = [
        (size - 1) * stride[i] + kernel[i] - 2 * padding[i]
        for i, size in enumerate(input.shape[-count:])
    ]
    if output_size is None:
        return sizes
    named = list(ints_of(op, "output_size", output_size))
    named = named[2:] if len(named) == count + 2 else named
    if len(named) != count:
        raise ArgumentError(
            f"{op}: output_size must be {count} or {count + 2} numbers, got {tuple(output_size)}"
        )
    for i, size in enumerate(named):
        low, high = sizes[i] - stride[i], sizes[i] + stride[i]
        if not low < size < high:
            raise ArgumentError(
                f"{op}: output_size {tuple(output_size)} does not fit input {tuple(input.shape)}: "
                f"dimension {i} must be between {low + 1} and {high - 1}, around "
                f"({input.shape[i - count]} - 1) * {stride[i]} + {kernel[i]} - 2 * {padding[i]} = "
                f"{sizes[i]}, (size - 1) * stride + kernel_size - 2 * padding"
            )
    return named


def unpooled(
    op: str,
    count: int,
    input: Tensor,
    indices: Tensor,
    window: tuple[Any, Any, Any],
    output_size: Any,
) -> Tensor:
    """The elements at their places in planes of zeros."""
    tensor_of(op, "input", input)
    tensor_of(op, "indices", indices)
    if input.ndim not in {count + 1, count + 2}:
        raise ShapeError(
            f"{op}: input must have {count + 1} (without a batch) or {count + 2} dimensions, its "
            f"shape is {tuple(input.shape)}"
        )
    if indices.shape != input.shape:
        raise ShapeError(
            f"{op}: the shapes of indices {tuple(indices.shape)} and input {tuple(input.shape)} "
            "must be equal"
        )
    if indices.dtype != _core.int64:
        raise DTypeError(f"{op}: indices must be int64, they are {indices.dtype.name}")
    sizes = _unpooled_sizes(op, input, unpooling_window(op, count, *window), output_size)
    shape = (*input.shape[:-count], *sizes)
    room = math.prod(sizes)
    if min(sizes) < 1:
        raise GpukitError(f"{op}: the result of input {tuple(input.shape)} would be {shape}")
    flat = _core.zeros((*input.shape[:-count], room), dtype=input.dtype, device=input.device)
    return flat.scatter(-1, indices.flatten(-count), input.flatten(-count)).reshape(shape)


@names_node("SqueezeBackward1")
def adaptive_max_pool1d(
    input: Tensor, output_size: int | tuple[int, ...], return_indices: bool = False
) -> Tensor | tuple[Tensor, Tensor]:
    """Take the largest elements of windows that divide the input into a number of places.

    Place i of n covers the elements from floor(i * size / n) to ceil((i + 1) * size / n).

    Args:
        input: (N, C, L), or without N.
        output_size: The number of places, or one for each dimension.
        return_indices: Also return the number of each element in its plane, int64.

    Returns:
        The places of each channel; with return_indices a tuple.

    Raises:
        ShapeError: The input has other dimensions, or planes without elements.
        DTypeError: The input is not floating.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.adaptive_max_pool1d(gpukit.ones(1, 2, 4), 2).shape
        (1, 2, 2)
    """
    return adaptive_largest("adaptive_max_pool1d", 1, input, output_size, return_indices)


def lp_pool1d(
    input: Tensor,
    norm_type: float,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """Take (Σ xᵖ)^(1/p) under each place of a window.

    Args:
        input: (N, C, L), or without N.
        norm_type: The power p.
        kernel_size: Size of the window, or one for each dimension.
        stride: Step of the window; None is kernel_size.
        ceil_mode: Keep a last place that leaves the input.

    Returns:
        The places of each channel, of input's dtype.

    Raises:
        ShapeError: The input has other dimensions.
        ValueError: norm_type is 0.
        DTypeError: The input is not floating.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.lp_pool1d(gpukit.ones(1, 2, 4), 2, 2).shape
        (1, 2, 2)
    """
    return power_mean("lp_pool1d", 1, input, norm_type, kernel_size, stride, ceil_mode)


@names_node("SqueezeBackward1")
def max_unpool1d(
    input: Tensor,
    indices: Tensor,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    padding: int | tuple[int, ...] = 0,
    output_size: tuple[int, ...] | None = None,
) -> Tensor:
    """Put what max pooling took back to where it was; the other places are 0.

    Args:
        input: (N, C, L), or without N.
        indices: Those of max_pool1d(…, return_indices=True).
        kernel_size: Of the pooling.
        stride: Of the pooling; None is kernel_size.
        padding: Of the pooling.
        output_size: Sizes of the result, where the pooling left elements out.

    Returns:
        The planes of each channel, of input's dtype. Where an index repeats, one of its values.

    Raises:
        ShapeError: Shapes do not fit.
        ValueError: output_size is not a size that the pooling can have had.
        IndexError: An index is outside of the planes.

    Example:
        >>> import gpukit
        >>> x = gpukit.ones(1, 2, 4)
        >>> y, where = gpukit.nn.functional.max_pool1d(x, 2, return_indices=True)
        >>> gpukit.nn.functional.max_unpool1d(y, where, 2).shape
        (1, 2, 4)
    """
    window = (kernel_size, stride, padding)
    return unpooled("max_unpool1d", 1, input, indices, window, output_size)


@names_node("AdaptiveMaxPool2DBackward0")
def adaptive_max_pool2d(
    input: Tensor, output_size: int | tuple[int | None, ...] | None, return_indices: bool = False
) -> Tensor | tuple[Tensor, Tensor]:
    """Take the largest elements of windows that divide the input into a number of places.

    Place i of n covers the elements from floor(i * size / n) to ceil((i + 1) * size / n).

    Args:
        input: (N, C, H, W), or without N.
        output_size: The number of places, or one for each dimension; None keeps the size.
        return_indices: Also return the number of each element in its plane, int64.

    Returns:
        The places of each channel; with return_indices a tuple.

    Raises:
        ShapeError: The input has other dimensions, or planes without elements.
        DTypeError: The input is not floating.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.adaptive_max_pool2d(gpukit.ones(1, 2, 4, 4), 2).shape
        (1, 2, 2, 2)
    """
    return adaptive_largest("adaptive_max_pool2d", 2, input, output_size, return_indices)


def lp_pool2d(
    input: Tensor,
    norm_type: float,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """Take (Σ xᵖ)^(1/p) under each place of a window.

    Args:
        input: (N, C, H, W), or without N.
        norm_type: The power p.
        kernel_size: Size of the window, or one for each dimension.
        stride: Step of the window; None is kernel_size.
        ceil_mode: Keep a last place that leaves the input.

    Returns:
        The places of each channel, of input's dtype.

    Raises:
        ShapeError: The input has other dimensions.
        ValueError: norm_type is 0.
        DTypeError: The input is not floating.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.lp_pool2d(gpukit.ones(1, 2, 4, 4), 2, 2).shape
        (1, 2, 2, 2)
    """
    return power_mean("lp_pool2d", 2, input, norm_type, kernel_size, stride, ceil_mode)


@names_node("MaxUnpool2DBackward0")
def max_unpool2d(
    input: Tensor,
    indices: Tensor,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    padding: int | tuple[int, ...] = 0,
    output_size: tuple[int, ...] | None = None,
) -> Tensor:
    """Put what max pooling took back to where it was; the other places are 0.

    Args:
        input: (N, C, H, W), or without N.
        indices: Those of max_pool2d(…, return_indices=True).
        kernel_size: Of the pooling.
        stride: Of the pooling; None is kernel_size.
        padding: Of the pooling.
        output_size: Sizes of the result, where the pooling left elements out.

    Returns:
        The planes of each channel, of input's dtype. Where an index repeats, one of its values.

    Raises:
        ShapeError: Shapes do not fit.
        ValueError: output_size is not a size that the pooling can have had.
        IndexError: An index is outside of the planes.

    Example:
        >>> import gpukit
        >>> x = gpukit.ones(1, 2, 4, 4)
        >>> y, where = gpukit.nn.functional.max_pool2d(x, 2, return_indices=True)
        >>> gpukit.nn.functional.max_unpool2d(y, where, 2).shape
        (1, 2, 4, 4)
    """
    window = (kernel_size, stride, padding)
    return unpooled("max_unpool2d", 2, input, indices, window, output_size)


@names_node("AdaptiveMaxPool3DBackward0")
def adaptive_max_pool3d(
    input: Tensor, output_size: int | tuple[int | None, ...] | None, return_indices: bool = False
) -> Tensor | tuple[Tensor, Tensor]:
    """Take the largest elements of windows that divide the input into a number of places.

    Place i of n covers the elements from floor(i * size / n) to ceil((i + 1) * size / n).

    Args:
        input: (N, C, D, H, W), or without N.
        output_size: The number of places, or one for each dimension; None keeps the size.
        return_indices: Also return the number of each element in its plane, int64.

    Returns:
        The places of each channel; with return_indices a tuple.

    Raises:
        ShapeError: The input has other dimensions, or planes without elements.
        DTypeError: The input is not floating.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.adaptive_max_pool3d(gpukit.ones(1, 2, 4, 4, 4), 2).shape
        (1, 2, 2, 2, 2)
    """
    return adaptive_largest("adaptive_max_pool3d", 3, input, output_size, return_indices)


def lp_pool3d(
    input: Tensor,
    norm_type: float,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """Take (Σ xᵖ)^(1/p) under each place of a window.

    Args:
        input: (N, C, D, H, W), or without N.
        norm_type: The power p.
        kernel_size: Size of the window, or one for each dimension.
        stride: Step of the window; None is kernel_size.
        ceil_mode: Keep a last place that leaves the input.

    Returns:
        The places of each channel, of input's dtype.

    Raises:
        ShapeError: The input has other dimensions.
        ValueError: norm_type is 0.
        DTypeError: The input is not floating.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.lp_pool3d(gpukit.ones(1, 2, 4, 4, 4), 2, 2).shape
        (1, 2, 2, 2, 2)
    """
    return power_mean("lp_pool3d", 3, input, norm_type, kernel_size, stride, ceil_mode)


@names_node("MaxUnpool3DBackward0")
def max_unpool3d(
    input: Tensor,
    indices: Tensor,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    padding: int | tuple[int, ...] = 0,
    output_size: tuple[int, ...] | None = None,
) -> Tensor:
    """Put what max pooling took back to where it was; the other places are 0.

    Args:
        input: (N, C, D, H, W), or without N.
        indices: Those of max_pool3d(…, return_indices=True).
        kernel_size: Of the pooling.
        stride: Of the pooling; None is kernel_size.
        padding: Of the pooling.
        output_size: Sizes of the result, where the pooling left elements out.

    Returns:
        The planes of each channel, of input's dtype. Where an index repeats, one of its values.

    Raises:
        ShapeError: Shapes do not fit.
        ValueError: output_size is not a size that the pooling can have had.
        IndexError: An index is outside of the planes.

    Example:
        >>> import gpukit
        >>> x = gpukit.ones(1, 2, 4, 4, 4)
        >>> y, where = gpukit.nn.functional.max_pool3d(x, 2, return_indices=True)
        >>> gpukit.nn.functional.max_unpool3d(y, where, 2).shape
        (1, 2, 4, 4, 4)
    """
    window = (kernel_size, stride, padding)
    return unpooled("max_unpool3d", 3, input, indices, window, output_size)
