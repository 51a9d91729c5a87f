"""unfold and fold: the patches under a kernel, and their sum back into images."""

from __future__ import annotations

import math
from typing import Any

from gpukit._arguments import tensor_of
from gpukit._core import Tensor
from gpukit.errors import ShapeError
from gpukit.nn._convolution import Steps, added_up, output_sizes, stacked, tuple_of
from gpukit.nn._named_nodes import names_node
from gpukit.nn._padding import padded


@names_node("Im2ColBackward0")
def unfold(
    input: Tensor,
    kernel_size: int | tuple[int, ...],
    dilation: int | tuple[int, ...] = 1,
    padding: int | tuple[int, ...] = 0,
    stride: int | tuple[int, ...] = 1,
) -> Tensor:
    """Take the patch under each place of a kernel as a column.

    Args:
        input: (N, C, H, W) or (C, H, W).
        kernel_size: Sizes of a patch.
        dilation: Distance between its elements.
        padding: Zeros at both ends.
        stride: Step of the kernel.

    Returns:
        (N, C * kernel elements, places); no N if the input has none.

    Raises:
        ShapeError: The input has other dimensions, or is smaller than the kernel.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.unfold(gpukit.ones(1, 3, 4, 4), 2).shape
        (1, 12, 9)
    """
    tensor_of("unfold", "input", input)
    if input.ndim not in {3, 4}:
        raise ShapeError(f"unfold: input must have 3 or 4 dimensions, it is {tuple(input.shape)}")
    kernel, steps, sides = _arguments("unfold", kernel_size, dilation, padding, stride)
    images = input if input.ndim == 4 else input.unsqueeze(0)
    x = padded(images.transpose(0, 1), [(n, n) for n in sides])
    sizes = output_sizes(x.shape[2:], kernel, steps)
    if min(sizes) < 1:
        raise ShapeError(
            f"unfold: input {tuple(input.shape)} with padding={sides} has no place for a kernel of "
            f"{kernel} with dilation={steps.dilation}; the places would be {sizes}"
        )
    columns = stacked(x, kernel, steps).movedim(2, 0)
    columns = columns.reshape(images.shape[0], x.shape[0] * math.prod(kernel), math.prod(sizes))
    columns = columns.contiguous()
    return columns if input.ndim == 4 else columns.squeeze(0)


@names_node("Col2ImBackward0")
def fold(
    input: Tensor,
    output_size: int | tuple[int, ...],
    kernel_size: int | tuple[int, ...],
    dilation: int | tuple[int, ...] = 1,
    padding: int | tuple[int, ...] = 0,
    stride: int | tuple[int, ...] = 1,
) -> Tensor:
    """Add the columns of unfold up into images.

    Args:
        input: (N, C * kernel elements, places), or without N.
        output_size: (H, W) of the images.
        kernel_size: Sizes of a patch.
        dilation: Distance between its elements.
        padding: Zeros that unfold has added at both ends.
        stride: Step of the kernel.

    Returns:
        (N, C, H, W); no N if the input has none. Where patches overlap, their sum.

    Raises:
        ShapeError: The input's sizes do not belong to such a kernel.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.fold(gpukit.ones(1, 4, 4), (3, 3), 2)
        tensor([[[[1., 2., 1.],
                  [2., 4., 2.],
                  [1., 2., 1.]]]])
    """
    tensor_of("fold", "input", input)
    if input.ndim not in {2, 3}:
        raise ShapeError(f"fold: input must have 2 or 3 dimensions, it is {tuple(input.shape)}")
    kernel, steps, sides = _arguments("fold", kernel_size, dilation, padding, stride)
    images = tuple_of("fold", "output_size", output_size, 2)
    whole = [size + 2 * n for size, n in zip(images, sides, strict=True)]
    sizes, taps = output_sizes(whole, kernel, steps), math.prod(kernel)
    columns = input if input.ndim == 3 else input.unsqueeze(0)
    if min(sizes) < 1 or columns.shape[2] != math.prod(sizes) or columns.shape[1] % taps:
        raise ShapeError(
            f"fold: input {tuple(input.shape)} must have a multiple of {kernel[0]} * {kernel[1]} = "
            f"{taps} rows and {sizes[0]} * {sizes[1]} = {math.prod(sizes)} columns for "
            f"output_size={images}, kernel_size={kernel}, dilation={steps.dilation}, "
            f"padding={sides}, stride={steps.stride}"
        )
    by_tap = columns.reshape(columns.shape[0], columns.shape[1] // taps, taps, *sizes)
    summed = added_up(by_tap.movedim(0, 2), kernel, steps)
    ends = [
        (-n, size - n - got) for n, size, got in zip(sides, whole, summed.shape[2:], strict=True)
    ]
    result = padded(summed, ends).transpose(0, 1).contiguous()
    return result if input.ndim == 3 else result.squeeze(0)


def _arguments(
    op: str, kernel: Any, dilation: Any, padding: Any, stride: Any
) -> tuple[tuple[int, ...], Steps, tuple[int, ...]]:
    steps = Steps(tuple_of(op, "stride", stride, 2), tuple_of(op, "dilation", dilation, 2))
    return tuple_of(op, "kernel_size", kernel, 2), steps, tuple_of(op, "padding", padding, 2, 0)
