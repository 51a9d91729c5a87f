"""Convolutions of 1, 2 and 3 dimensions, and their transposes: torch's names and defaults."""

from __future__ import annotations

from gpukit._core import Tensor
from gpukit.nn._convolution import convolution, transposed
from gpukit.nn._named_nodes import names_node


def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | tuple[int, ...] = 1,
    padding: int | tuple[int, ...] | str = 0,
    dilation: int | tuple[int, ...] = 1,
    groups: int = 1,
) -> Tensor:
    """Convolve over 1 dimension: each output is a sum of products of the kernel and the input.

    Args:
        input: (N, C, L), or without the batch N.
        weight: (O, C / groups, kL); of input's dtype.
        bias: (O,).
        stride: Step of the kernel.
        padding: Zeros at both ends; 'same' keeps the sizes at stride 1, 'valid' is 0.
        dilation: Distance between the kernel's elements.
        groups: Number of groups of channels that are convolved apart.

    Returns:
        (N, O, *sizes) with size = (size + 2 * padding - dilation * (k - 1) - 1) // stride + 1.

    Raises:
        ShapeError: The shapes do not fit.
        DTypeError: weight or bias is of another dtype.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.conv1d(gpukit.ones(1, 1, 3), gpukit.ones(1, 1, 2)).shape
        (1, 1, 2)
    """
    return convolution("conv1d", input, weight, bias, stride, padding, dilation, groups)


def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | tuple[int, ...] = 1,
    padding: int | tuple[int, ...] | str = 0,
    dilation: int | tuple[int, ...] = 1,
    groups: int = 1,
) -> Tensor:
    """Convolve over 2 dimensions: each output is a sum of products of the kernel and the input.

    Args:
        input: (N, C, H, W), or without the batch N.
        weight: (O, C / groups, kH, kW); of input's dtype.
        bias: (O,).
        stride: Step of the kernel.
        padding: Zeros at both ends; 'same' keeps the sizes at stride 1, 'valid' is 0.
        dilation: Distance between the kernel's elements.
        groups: Number of groups of channels that are convolved apart.

    Returns:
        (N, O, *sizes) with size = (size + 2 * padding - dilation * (k - 1) - 1) // stride + 1.

    Raises:
        ShapeError: The shapes do not fit.
        DTypeError: weight or bias is of another dtype.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.conv2d(gpukit.ones(1, 1, 3, 3), gpukit.ones(1, 1, 2, 2)).shape
        (1, 1, 2, 2)
    """
    return convolution("conv2d", input, weight, bias, stride, padding, dilation, groups)


def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | tuple[int, ...] = 1,
    padding: int | tuple[int, ...] | str = 0,
    dilation: int | tuple[int, ...] = 1,
    groups: int = 1,
) -> Tensor:
    """Convolve over 3 dimensions: each output is a sum of products of the kernel and the input.

    Args:
        input: (N, C, D, H, W), or without the batch N.
        weight: (O, C / groups, kD, kH, kW); of input's dtype.
        bias: (O,).
        stride: Step of the kernel.
        padding: Zeros at both ends; 'same' keeps the sizes at stride 1, 'valid' is 0.
        dilation: Distance between the kernel's elements.
        groups: Number of groups of channels that are convolved apart.

    Returns:
        (N, O, *sizes) with size = (size + 2 * padding - dilation * (k - 1) - 1) // stride + 1.

    Raises:
        ShapeError: The shapes do not fit.
        DTypeError: weight or bias is of another dtype.

    Example:
        >>> import gpukit
        >>> x, weight = gpukit.ones(1, 1, 3, 3, 3), gpukit.ones(1, 1, 2, 2, 2)
        >>> gpukit.nn.functional.conv3d(x, weight).shape
        (1, 1, 2, 2, 2)
    """
    return convolution("conv3d", input, weight, bias, stride, padding, dilation, groups)


@names_node("ConvolutionBackward0")
def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | tuple[int, ...] = 1,
    padding: int | tuple[int, ...] = 0,
    output_padding: int | tuple[int, ...] = 0,
    groups: int = 1,
    dilation: int | tuple[int, ...] = 1,
) -> Tensor:
    """Apply the transpose of conv1d: each input element adds a scaled kernel to the output.

    Args:
        input: (N, C, L), or without the batch N.
        weight: (C, O / groups, kL); of input's dtype.
        bias: (O,).
        stride: Step of the kernel in the output.
        padding: Elements removed at both ends of the output.
        output_padding: Elements added at the end of the output; less than stride or dilation.
        groups: Number of groups of channels that are convolved apart.
        dilation: Distance between the kernel's elements.

    Returns:
        (N, O, *sizes) with size = (size - 1) * stride - 2 * padding + dilation * (k - 1) +
        output_padding + 1.

    Raises:
        ShapeError: The shapes do not fit.
        DTypeError: weight or bias is of another dtype.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.conv_transpose1d(gpukit.ones(1, 1, 3), gpukit.ones(1, 1, 2)).shape
        (1, 1, 4)
    """
    return transposed(
        "conv_transpose1d", input, weight, bias, stride, padding, output_padding, groups, dilation
    )


@names_node("ConvolutionBackward0")
def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | tuple[int, ...] = 1,
    padding: int | tuple[int, ...] = 0,
    output_padding: int | tuple[int, ...] = 0,
    groups: int = 1,
    dilation: int | tuple[int, ...] = 1,
) -> Tensor:
    """Apply the transpose of conv2d: each input element adds a scaled kernel to the output.

    Args:
        input: (N, C, H, W), or without the batch N.
        weight: (C, O / groups, kH, kW); of input's dtype.
        bias: (O,).
        stride: Step of the kernel in the output.
        padding: Elements removed at both ends of the output.
        output_padding: Elements added at the end of the output; less than stride or dilation.
        groups: Number of groups of channels that are convolved apart.
        dilation: Distance between the kernel's elements.

    Returns:
        (N, O, *sizes) with size = (size - 1) * stride - 2 * padding + dilation * (k - 1) +
        output_padding + 1.

    Raises:
        ShapeError: The shapes do not fit.
        DTypeError: weight or bias is of another dtype.

    Example:
        >>> import gpukit
        >>> x, weight = gpukit.ones(1, 1, 3, 3), gpukit.ones(1, 1, 2, 2)
        >>> gpukit.nn.functional.conv_transpose2d(x, weight).shape
        (1, 1, 4, 4)
    """
    return transposed(
        "conv_transpose2d", input, weight, bias, stride, padding, output_padding, groups, dilation
    )


@names_node("ConvolutionBackward0")
def conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | tuple[int, ...] = 1,
    padding: int | tuple[int, ...] = 0,
    output_padding: int | tuple[int, ...] = 0,
    groups: int = 1,
    dilation: int | tuple[int, ...] = 1,
) -> Tensor:
    """Apply the transpose of conv3d: each input element adds a scaled kernel to the output.

    Args:
        input: (N, C, D, H, W), or without the batch N.
        weight: (C, O / groups, kD, kH, kW); of input's dtype.
        bias: (O,).
        stride: Step of the kernel in the output.
        padding: Elements removed at both ends of the output.
        output_padding: Elements added at the end of the output; less than stride or dilation.
        groups: Number of groups of channels that are convolved apart.
        dilation: Distance between the kernel's elements.

    Returns:
        (N, O, *sizes) with size = (size - 1) * stride - 2 * padding + dilation * (k - 1) +
        output_padding + 1.

    Raises:
        ShapeError: The shapes do not fit.
        DTypeError: weight or bias is of another dtype.

    Example:
        >>> import gpukit
        >>> x, weight = gpukit.ones(1, 1, 3, 3, 3), gpukit.ones(1, 1, 2, 2, 2)
        >>> gpukit.nn.functional.conv_transpose3d(x, weight).shape
        (1, 1, 4, 4, 4)
    """
    return transposed(
        "conv_transpose3d", input, weight, bias, stride, padding, output_padding, groups, dilation
    )
