"""Layers that take the largest or the mean element of each window."""

from __future__ import annotations

from typing import Any

from gpukit._core import Tensor
from gpukit.nn import functional as F  # noqa: N812
from gpukit.nn._convolution import size_of, tuple_of
from gpukit.nn._pooling import adaptive_sizes
from gpukit.nn.module import Module

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
]


class MaxPool1d(Module):
    """Takes the largest element under each place of a window of (N, C, L).

    Args:
        kernel_size: Size of the window, or one for each dimension.
        stride: Step of the window; None is kernel_size.
        padding: Places at both ends that no value comes from; at most half of kernel_size.
        dilation: Distance between the window's elements.
        return_indices: Also return the number of each element in its plane, int64.
        ceil_mode: Keep a last place that leaves the input.

    Example:
        >>> import gpukit
        >>> gpukit.nn.MaxPool1d(2)(gpukit.ones(1, 2, 4)).shape
        (1, 2, 2)
    """

    def __init__(
        self,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] | None = None,
        padding: int | tuple[int, ...] = 0,
        dilation: int | tuple[int, ...] = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = size_of("MaxPool1d", "kernel_size", kernel_size)
        given = self.kernel_size if stride is None else stride
        self.stride = size_of("MaxPool1d", "stride", given)
        self.padding = size_of("MaxPool1d", "padding", padding)
        self.dilation = size_of("MaxPool1d", "dilation", dilation)
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Tensor | tuple[Tensor, Tensor]:
        """Return the largest elements."""
        return F.max_pool1d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            self.ceil_mode,
            self.return_indices,
        )

    def extra_repr(self) -> str:
        """Return the arguments."""
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class AvgPool1d(Module):
    """Takes the mean under each place of a window of (N, C, L).

    Args:
        kernel_size: Size of the window, or one for each dimension.
        stride: Step of the window; None is kernel_size.
        padding: Zeros at both ends; at most half of kernel_size.
        ceil_mode: Keep a last place that leaves the input.
        count_include_pad: Count the zeros too.

    Example:
        >>> import gpukit
        >>> gpukit.nn.AvgPool1d(2)(gpukit.ones(1, 2, 4)).shape
        (1, 2, 2)
    """

    def __init__(
        self,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] | None = None,
        padding: int | tuple[int, ...] = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size = tuple_of("AvgPool1d", "kernel_size", kernel_size, 1)
        given = self.kernel_size if stride is None else stride
        self.stride = tuple_of("AvgPool1d", "stride", given, 1)
        self.padding = tuple_of("AvgPool1d", "padding", padding, 1, 0)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        """Return the means."""
        return F.avg_pool1d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
        )

    def extra_repr(self) -> str:
        """Return the sizes."""
        sizes = f"kernel_size={self.kernel_size}, stride={self.stride}"
        return f"{sizes}, padding={self.padding}"


class AdaptiveAvgPool1d(Module):
    """Takes the means of windows that divide (N, C, L) into a given number of places.

    Args:
        output_size: The number of places, or one for each dimension.

    Example:
        >>> import gpukit
        >>> gpukit.nn.AdaptiveAvgPool1d(2)(gpukit.ones(1, 2, 4)).shape
        (1, 2, 2)
    """

    def __init__(self, output_size: int | tuple[int, ...]) -> None:
        super().__init__()
        self.output_size: Any = adaptive_sizes("AdaptiveAvgPool1d", output_size)

    def forward(self, input: Tensor) -> Tensor:
        """Return the means."""
        return F.adaptive_avg_pool1d(input, self.output_size)

    def extra_repr(self) -> str:
        """Return the sizes."""
        return f"output_size={self.output_size}"


class MaxPool2d(Module):
    """Takes the largest element under each place of a window of (N, C, H, W).

    Args:
        kernel_size: Size of the window, or one for each dimension.
        stride: Step of the window; None is kernel_size.
        padding: Places at both ends that no value comes from; at most half of kernel_size.
        dilation: Distance between the window's elements.
        return_indices: Also return the number of each element in its plane, int64.
        ceil_mode: Keep a last place that leaves the input.

    Example:
        >>> import gpukit
        >>> gpukit.nn.MaxPool2d(2)(gpukit.ones(1, 2, 4, 4)).shape
        (1, 2, 2, 2)
    """

    def __init__(
        self,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] | None = None,
        padding: int | tuple[int, ...] = 0,
        dilation: int | tuple[int, ...] = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = size_of("MaxPool2d", "kernel_size", kernel_size)
        given = self.kernel_size if stride is None else stride
        self.stride = size_of("MaxPool2d", "stride", given)
        self.padding = size_of("MaxPool2d", "padding", padding)
        self.dilation = size_of("MaxPool2d", "dilation", dilation)
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Tensor | tuple[Tensor, Tensor]:
        """Return the largest elements."""
        return F.max_pool2d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            self.ceil_mode,
            self.return_indices,
        )

    def extra_repr(self) -> str:
        """Return the arguments."""
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class AvgPool2d(Module):
    """Takes the mean under each place of a window of (N, C, H, W).

    Args:
        kernel_size: Size of the window, or one for each dimension.
        stride: Step of the window; None is kernel_size.
        padding: Zeros at both ends; at most half of kernel_size.
        ceil_mode: Keep a last place that leaves the input.
        count_include_pad: Count the zeros too.
        divisor_override: Divide by this number instead of the count.

    Example:
        >>> import gpukit
        >>> gpukit.nn.AvgPool2d(2)(gpukit.ones(1, 2, 4, 4)).shape
        (1, 2, 2, 2)
    """

    def __init__(
        self,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] | None = None,
        padding: int | tuple[int, ...] = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = size_of("AvgPool2d", "kernel_size", kernel_size)
        given = self.kernel_size if stride is None else stride
        self.stride = size_of("AvgPool2d", "stride", given)
        self.padding = size_of("AvgPool2d", "padding", padding)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Tensor) -> Tensor:
        """Return the means."""
        return F.avg_pool2d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )

    def extra_repr(self) -> str:
        """Return the sizes."""
        sizes = f"kernel_size={self.kernel_size}, stride={self.stride}"
        return f"{sizes}, padding={self.padding}"


class AdaptiveAvgPool2d(Module):
    """Takes the means of windows that divide (N, C, H, W) into a given number of places.

    Args:
        output_size: The number of places, or one for each dimension; None keeps the size.

    Example:
        >>> import gpukit
        >>> gpukit.nn.AdaptiveAvgPool2d(2)(gpukit.ones(1, 2, 4, 4)).shape
        (1, 2, 2, 2)
    """

    def __init__(self, output_size: int | tuple[int | None, ...] | None) -> None:
        super().__init__()
        self.output_size = adaptive_sizes("AdaptiveAvgPool2d", output_size)

    def forward(self, input: Tensor) -> Tensor:
        """Return the means."""
        return F.adaptive_avg_pool2d(input, self.output_size)

    def extra_repr(self) -> str:
        """Return the sizes."""
        return f"output_size={self.output_size}"


class MaxPool3d(Module):
    """Takes the largest element under each place of a window of (N, C, D, H, W).

    Args:
        kernel_size: Size of the window, or one for each dimension.
        stride: Step of the window; None is kernel_size.
        padding: Places at both ends that no value comes from; at most half of kernel_size.
        dilation: Distance between the window's elements.
        return_indices: Also return the number of each element in its plane, int64.
        ceil_mode: Keep a last place that leaves the input.

    Example:
        >>> import gpukit
        >>> gpukit.nn.MaxPool3d(2)(gpukit.ones(1, 2, 4, 4, 4)).shape
        (1, 2, 2, 2, 2)
    """

    def __init__(
        self,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] | None = None,
        padding: int | tuple[int, ...] = 0,
        dilation: int | tuple[int, ...] = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = size_of("MaxPool3d", "kernel_size", kernel_size)
        given = self.kernel_size if stride is None else stride
        self.stride = size_of("MaxPool3d", "stride", given)
        self.padding = size_of("MaxPool3d", "padding", padding)
        self.dilation = size_of("MaxPool3d", "dilation", dilation)
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Tensor | tuple[Tensor, Tensor]:
        """Return the largest elements."""
        return F.max_pool3d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            self.ceil_mode,
            self.return_indices,
        )

    def extra_repr(self) -> str:
        """Return the arguments."""
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class AvgPool3d(Module):
    """Takes the mean under each place of a window of (N, C, D, H, W).

    Args:
        kernel_size: Size of the window, or one for each dimension.
        stride: Step of the window; None is kernel_size.
        padding: Zeros at both ends; at most half of kernel_size.
        ceil_mode: Keep a last place that leaves the input.
        count_include_pad: Count the zeros too.
        divisor_override: Divide by this number instead of the count.

    Example:
        >>> import gpukit
        >>> gpukit.nn.AvgPool3d(2)(gpukit.ones(1, 2, 4, 4, 4)).shape
        (1, 2, 2, 2, 2)
    """

    def __init__(
        self,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] | None = None,
        padding: int | tuple[int, ...] = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = size_of("AvgPool3d", "kernel_size", kernel_size)
        given = self.kernel_size if stride is None else stride
        self.stride = size_of("AvgPool3d", "stride", given)
        self.padding = size_of("AvgPool3d", "padding", padding)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Tensor) -> Tensor:
        """Return the means."""
        return F.avg_pool3d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )

    def extra_repr(self) -> str:
        """Return the sizes."""
        sizes = f"kernel_size={self.kernel_size}, stride={self.stride}"
        return f"{sizes}, padding={self.padding}"


class AdaptiveAvgPool3d(Module):
    """Takes the means of windows that divide (N, C, D, H, W) into a given number of places.

    Args:
        output_size: The number of places, or one for each dimension; None keeps the size.

    Example:
        >>> import gpukit
        >>> gpukit.nn.AdaptiveAvgPool3d(2)(gpukit.ones(1, 2, 4, 4, 4)).shape
        (1, 2, 2, 2, 2)
    """

    def __init__(self, output_size: int | tuple[int | None, ...] | None) -> None:
        super().__init__()
        self.output_size = adaptive_sizes("AdaptiveAvgPool3d", output_size)

    def forward(self, input: Tensor) -> Tensor:
        """Return the means."""
        return F.adaptive_avg_pool3d(input, self.output_size)

    def extra_repr(self) -> str:
        """Return the sizes."""
        return f"output_size={self.output_size}"
