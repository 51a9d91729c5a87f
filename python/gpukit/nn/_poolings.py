"""max_pool, avg_pool and adaptive_avg_pool of 1, 2 and 3 dimensions."""

from __future__ import annotations

from functools import partial
from typing import Any

from gpukit._arguments import bool_of
from gpukit._core import Tensor
from gpukit.nn._named_nodes import names_node
from gpukit.nn._pooling import Window, adaptive_average, avg_pool, max_pool


def _average_node(rank: int, input: Tensor, output_size: Any) -> str:  # noqa: ARG001
    """Torch takes the mean where one element of each channel is left."""
    if output_size in (1, (1, 1), [1, 1], (1, 1, 1), [1, 1, 1]):
        return "MeanBackward1"
    return f"AdaptiveAvgPool{rank}DBackward0"


@names_node("SqueezeBackward1")
def max_pool1d(
    input: Tensor,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    padding: int | tuple[int, ...] = 0,
    dilation: int | tuple[int, ...] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """Take the largest element under each place of a window; NaN is the largest.

    Args:
        input: (N, C, L), or without N.
        kernel_size: Size of the window, or one for each dimension.
        stride: Step of the window; None is kernel_size.
        padding: Places at both ends that no value comes from; at most half of kernel_size.
        dilation: Distance between the window's elements.
        ceil_mode: Keep a last place that leaves the input.
        return_indices: Also return the number of each element in its plane, int64.

    Returns:
        The places of each channel; with return_indices a tuple. The first of equal elements gets
        the gradient.

    Raises:
        ShapeError: The input has other dimensions.
        RuntimeError: The input is smaller than the window, or padding is too large.
        DTypeError: The input is not floating.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.max_pool1d(gpukit.ones(1, 2, 4), 2).shape
        (1, 2, 2)
    """
    window = Window(
        "max_pool1d",
        1,
        input,
        kernel_size=kernel_size,
        stride=stride,
        padding=padding,
        dilation=dilation,
        ceil_mode=ceil_mode,
    )
    both = bool_of("max_pool1d", "return_indices", return_indices)
    values, numbers = max_pool(input, window, both)
    return values if numbers is None else (values, numbers)


@names_node("SqueezeBackward1")
def avg_pool1d(
    input: Tensor,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    padding: int | tuple[int, ...] = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """Take the mean under each place of a window.

    Args:
        input: (N, C, L), or without N.
        kernel_size: Size of the window, or one for each dimension.
        stride: Step of the window; None is kernel_size.
        padding: Zeros at both ends; at most half of kernel_size.
        ceil_mode: Keep a last place that leaves the input.
        count_include_pad: Count the zeros too.

    Returns:
        The places of each channel, of input's dtype.

    Raises:
        ShapeError: The input has other dimensions.
        RuntimeError: The input is smaller than the window, or padding is too large.
        DTypeError: The input is not floating.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.avg_pool1d(gpukit.ones(1, 2, 4), 2).shape
        (1, 2, 2)
    """
    window = Window(
        "avg_pool1d",
        1,
        input,
        kernel_size=kernel_size,
        stride=stride,
        padding=padding,
        dilation=1,
        ceil_mode=ceil_mode,
    )
    whole = bool_of("avg_pool1d", "count_include_pad", count_include_pad)
    return avg_pool("avg_pool1d", 1, input, window, whole, None)


@names_node("SqueezeBackward1")
def adaptive_avg_pool1d(input: Tensor, output_size: int | tuple[int, ...]) -> Tensor:
    """Take the means of windows that divide the input into a given number of places.

    Place i of n covers the elements from floor(i * size / n) to ceil((i + 1) * size / n).

    Args:
        input: (N, C, L), or without N.
        output_size: The number of places, or one for each dimension.

    Returns:
        The places of each channel, of input's dtype.

    Raises:
        ShapeError: The input has other dimensions.
        DTypeError: The input is not floating.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.adaptive_avg_pool1d(gpukit.ones(1, 2, 4), 2).shape
        (1, 2, 2)
    """
    return adaptive_average("adaptive_avg_pool1d", 1, input, output_size)


def max_pool2d(
    input: Tensor,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    padding: int | tuple[int, ...] = 0,
    dilation: int | tuple[int, ...] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """Take the largest element under each place of a window; NaN is the largest.

    Args:
        input: (N, C, H, W), or without N.
        kernel_size: Size of the window, or one for each dimension.
        stride: Step of the window; None is kernel_size.
        padding: Places at both ends that no value comes from; at most half of kernel_size.
        dilation: Distance between the window's elements.
        ceil_mode: Keep a last place that leaves the input.
        return_indices: Also return the number of each element in its plane, int64.

    Returns:
        The places of each channel; with return_indices a tuple. The first of equal elements gets
        the gradient.

    Raises:
        ShapeError: The input has other dimensions.
        RuntimeError: The input is smaller than the window, or padding is too large.
        DTypeError: The input is not floating.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.max_pool2d(gpukit.ones(1, 2, 4, 4), 2).shape
        (1, 2, 2, 2)
    """
    window = Window(
        "max_pool2d",
        2,
        input,
        kernel_size=kernel_size,
        stride=stride,
        padding=padding,
        dilation=dilation,
        ceil_mode=ceil_mode,
    )
    both = bool_of("max_pool2d", "return_indices", return_indices)
    values, numbers = max_pool(input, window, both)
    return values if numbers is None else (values, numbers)


@names_node("AvgPool2DBackward0")
def avg_pool2d(
    input: Tensor,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    padding: int | tuple[int, ...] = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """Take the mean under each place of a window.

    Args:
        input: (N, C, H, W), or without N.
        kernel_size: Size of the window, or one for each dimension.
        stride: Step of the window; None is kernel_size.
        padding: Zeros at both ends; at most half of kernel_size.
        ceil_mode: Keep a last place that leaves the input.
        count_include_pad: Count the zeros too.
        divisor_override: Divide by this number instead of the count.

    Returns:
        The places of each channel, of input's dtype.

    Raises:
        ShapeError: The input has other dimensions.
        RuntimeError: The input is smaller than the window, or padding is too large.
        DTypeError: The input is not floating.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.avg_pool2d(gpukit.ones(1, 2, 4, 4), 2).shape
        (1, 2, 2, 2)
    """
    window = Window(
        "avg_pool2d",
        2,
        input,
        kernel_size=kernel_size,
        stride=stride,
        padding=padding,
        dilation=1,
        ceil_mode=ceil_mode,
    )
    whole = bool_of("avg_pool2d", "count_include_pad", count_include_pad)
    return avg_pool("avg_pool2d", 2, input, window, whole, divisor_override)


@names_node(partial(_average_node, 2))
def adaptive_avg_pool2d(input: Tensor, output_size: int | tuple[int | None, ...] | None) -> Tensor:
    """Take the means of windows that divide the input into a given number of places.

    Place i of n covers the elements from floor(i * size / n) to ceil((i + 1) * size / n).

    Args:
        input: (N, C, H, W), or without N.
        output_size: The number of places, or one for each dimension; None keeps the size.

    Returns:
        The places of each channel, of input's dtype.

    Raises:
        ShapeError: The input has other dimensions.
        DTypeError: The input is not floating.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.adaptive_avg_pool2d(gpukit.ones(1, 2, 4, 4), 2).shape
        (1, 2, 2, 2)
    """
    return adaptive_average("adaptive_avg_pool2d", 2, input, output_size)


def max_pool3d(
    input: Tensor,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    padding: int | tuple[int, ...] = 0,
    dilation: int | tuple[int, ...] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """Take the largest element under each place of a window; NaN is the largest.

    Args:
        input: (N, C, D, H, W), or without N.
        kernel_size: Size of the window, or one for each dimension.
        stride: Step of the window; None is kernel_size.
        padding: Places at both ends that no value comes from; at most half of kernel_size.
        dilation: Distance between the window's elements.
        ceil_mode: Keep a last place that leaves the input.
        return_indices: Also return the number of each element in its plane, int64.

    Returns:
        The places of each channel; with return_indices a tuple. The first of equal elements gets
        the gradient.

    Raises:
        ShapeError: The input has other dimensions.
        RuntimeError: The input is smaller than the window, or padding is too large.
        DTypeError: The input is not floating.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.max_pool3d(gpukit.ones(1, 2, 4, 4, 4), 2).shape
        (1, 2, 2, 2, 2)
    """
    window = Window(
        "max_pool3d",
        3,
        input,
        kernel_size=kernel_size,
        stride=stride,
        padding=padding,
        dilation=dilation,
        ceil_mode=ceil_mode,
    )
    both = bool_of("max_pool3d", "return_indices", return_indices)
    values, numbers = max_pool(input, window, both)
    return values if numbers is None else (values, numbers)


@names_node("AvgPool3DBackward0")
def avg_pool3d(
    input: Tensor,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    padding: int | tuple[int, ...] = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """Take the mean under each place of a window.

    Args:
        input: (N, C, D, H, W), or without N.
        kernel_size: Size of the window, or one for each dimension.
        stride: Step of the window; None is kernel_size.
        padding: Zeros at both ends; at most half of kernel_size.
        ceil_mode: Keep a last place that leaves the input.
        count_include_pad: Count the zeros too.
        divisor_override: Divide by this number instead of the count.

    Returns:
        The places of each channel, of input's dtype.

    Raises:
        ShapeError: The input has other dimensions.
        RuntimeError: The input is smaller than the window, or padding is too large.
        DTypeError: The input is not floating.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.avg_pool3d(gpukit.ones(1, 2, 4, 4, 4), 2).shape
        (1, 2, 2, 2, 2)
    """
    window = Window(
        "avg_pool3d",
        3,
        input,
        kernel_size=kernel_size,
        stride=stride,
        padding=padding,
        dilation=1,
        ceil_mode=ceil_mode,
    )
    whole = bool_of("avg_pool3d", "count_include_pad", count_include_pad)
    return avg_pool("avg_pool3d", 3, input, window, whole, divisor_override)


@names_node(partial(_average_node, 3))
def adaptive_avg_pool3d(input: Tensor, output_size: int | tuple[int | None, ...] | None) -> Tensor:
    """Take the means of windows that divide the input into a given number of places.

    Place i of n covers the elements from floor(i * size / n) to ceil((i + 1) * size / n).

    Args:
        input: (N, C, D, H, W), or without N.
        output_size: The number of places, or one for each dimension; None keeps the size.

    Returns:
        The places of each channel, of input's dtype.

    Raises:
        ShapeError: The input has other dimensions.
        DTypeError: The input is not floating.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.adaptive_avg_pool3d(gpukit.ones(1, 2, 4, 4, 4), 2).shape
        (1, 2, 2, 2, 2)
    """
    return adaptive_average("adaptive_avg_pool3d", 3, input, output_size)
