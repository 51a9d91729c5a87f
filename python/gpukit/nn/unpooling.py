"""Layers of adaptive max pooling, of power means, and of the way back from max pooling."""

from __future__ import annotations

from typing import Any

from gpukit._core import Tensor
from gpukit.nn import functional as F  # noqa: N812
from gpukit.nn._convolution import size_of
from gpukit.nn._pooling import adaptive_sizes
from gpukit.nn._unpooling import unpooling_window
from gpukit.nn.module import Module

__all__ = [
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "LPPool1d",
    "LPPool2d",
    "LPPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
]


class _AdaptiveMaxPool(Module):
    def __init__(self, output_size: Any, return_indices: bool) -> None:
        super().__init__()
        op = type(self).__name__
        self.output_size = adaptive_sizes(op[0].lower() + op[1:], output_size)
        self.return_indices = return_indices

    def extra_repr(self) -> str:
        """Return the sizes."""
        return f"output_size={self.output_size}"


class _LPPool(Module):
    def __init__(self, norm_type: float, kernel_size: Any, stride: Any, ceil_mode: bool) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = size_of(type(self).__name__, "kernel_size", kernel_size)
        self.stride = None if stride is None else size_of(type(self).__name__, "stride", stride)
        self.ceil_mode = ceil_mode

    def extra_repr(self) -> str:
        """Return the arguments."""
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )


class _MaxUnpool(Module):
    def __init__(self, count: int, kernel_size: Any, stride: Any, padding: Any) -> None:
        super().__init__()
        window = unpooling_window(type(self).__name__, count, kernel_size, stride, padding)
        self.kernel_size, self.stride, self.padding = window

    def extra_repr(self) -> str:
        """Return the arguments."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AdaptiveMaxPool1d(_AdaptiveMaxPool):
    """Takes the largest elements of windows that divide (N, C, L) into a number of places.

    Args:
        output_size: The number of places, or one for each dimension.
        return_indices: Also return the number of each element in its plane, int64.

    Example:
        >>> import gpukit
        >>> gpukit.nn.AdaptiveMaxPool1d(2)(gpukit.ones(1, 2, 4)).shape
        (1, 2, 2)
    """

    def __init__(self, output_size: int | tuple[int, ...], return_indices: bool = False) -> None:
        super().__init__(output_size, return_indices)

    def forward(self, input: Tensor) -> Tensor | tuple[Tensor, Tensor]:
        """Return the largest elements."""
        return F.adaptive_max_pool1d(input, self.output_size, self.return_indices)  # type: ignore[arg-type]


class LPPool1d(_LPPool):
    """Takes (Σ xᵖ)^(1/p) under each place of a window of (N, C, L).

    Args:
        norm_type: The power p.
        kernel_size: Size of the window, or one for each dimension.
        stride: Step of the window; None is kernel_size.
        ceil_mode: Keep a last place that leaves the input.

    Example:
        >>> import gpukit
        >>> gpukit.nn.LPPool1d(2, 2)(gpukit.ones(1, 2, 4)).shape
        (1, 2, 2)
    """

    def __init__(
        self,
        norm_type: float,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] | None = None,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__(norm_type, kernel_size, stride, ceil_mode)

    def forward(self, input: Tensor) -> Tensor:
        """Return the roots."""
        return F.lp_pool1d(input, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)


class MaxUnpool1d(_MaxUnpool):
    """Puts what MaxPool1d took back to where it was; the other places are 0.

    Args:
        kernel_size: Of the pooling.
        stride: Of the pooling; None is kernel_size.
        padding: Of the pooling.

    Example:
        >>> import gpukit
        >>> y, where = gpukit.nn.MaxPool1d(2, return_indices=True)(gpukit.ones(1, 2, 4))
        >>> gpukit.nn.MaxUnpool1d(2)(y, where).shape
        (1, 2, 4)
    """

    def __init__(
        self,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] | None = None,
        padding: int | tuple[int, ...] = 0,
    ) -> None:
        super().__init__(1, kernel_size, stride, padding)

    def forward(
        self, input: Tensor, indices: Tensor, output_size: tuple[int, ...] | None = None
    ) -> Tensor:
        """Return the planes; output_size names their sizes where the pooling left elements out."""
        return F.max_unpool1d(
            input, indices, self.kernel_size, self.stride, self.padding, output_size
        )


class AdaptiveMaxPool2d(_AdaptiveMaxPool):
    """Takes the largest elements of windows that divide (N, C, H, W) into a number of places.

    Args:
        output_size: The number of places, or one for each dimension; None keeps the size.
        return_indices: Also return the number of each element in its plane, int64.

    Example:
        >>> import gpukit
        >>> gpukit.nn.AdaptiveMaxPool2d(2)(gpukit.ones(1, 2, 4, 4)).shape
        (1, 2, 2, 2)
    """

    def __init__(
        self, output_size: int | tuple[int | None, ...] | None, return_indices: bool = False
    ) -> None:
        super().__init__(output_size, return_indices)

    def forward(self, input: Tensor) -> Tensor | tuple[Tensor, Tensor]:
        """Return the largest elements."""
        return F.adaptive_max_pool2d(input, self.output_size, self.return_indices)


class LPPool2d(_LPPool):
    """Takes (Σ xᵖ)^(1/p) under each place of a window of (N, C, H, W).

    Args:
        norm_type: The power p.
        kernel_size: Size of the window, or one for each dimension.
        stride: Step of the window; None is kernel_size.
        ceil_mode: Keep a last place that leaves the input.

    Example:
        >>> import gpukit
        >>> gpukit.nn.LPPool2d(2, 2)(gpukit.ones(1, 2, 4, 4)).shape
        (1, 2, 2, 2)
    """

    def __init__(
        self,
        norm_type: float,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] | None = None,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__(norm_type, kernel_size, stride, ceil_mode)

    def forward(self, input: Tensor) -> Tensor:
        """Return the roots."""
        return F.lp_pool2d(input, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)


class MaxUnpool2d(_MaxUnpool):
    """Puts what MaxPool2d took back to where it was; the other places are 0.

    Args:
        kernel_size: Of the pooling.
        stride: Of the pooling; None is kernel_size.
        padding: Of the pooling.

    Example:
        >>> import gpukit
        >>> y, where = gpukit.nn.MaxPool2d(2, return_indices=True)(gpukit.ones(1, 2, 4, 4))
        >>> gpukit.nn.MaxUnpool2d(2)(y, where).shape
        (1, 2, 4, 4)
    """

    def __init__(
        self,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] | None = None,
        padding: int | tuple[int, ...] = 0,
    ) -> None:
        super().__init__(2, kernel_size, stride, padding)

    def forward(
        self, input: Tensor, indices: Tensor, output_size: tuple[int, ...] | None = None
    ) -> Tensor:
        """Return the planes; output_size names their sizes where the pooling left elements out."""
        return F.max_unpool2d(
            input, indices, self.kernel_size, self.stride, self.padding, output_size
        )


class AdaptiveMaxPool3d(_AdaptiveMaxPool):
    """Takes the largest elements of windows that divide (N, C, D, H, W) into a number of places.

    Args:
        output_size: The number of places, or one for each dimension; None keeps the size.
        return_indices: Also return the number of each element in its plane, int64.

    Example:
        >>> import gpukit
        >>> gpukit.nn.AdaptiveMaxPool3d(2)(gpukit.ones(1, 2, 4, 4, 4)).shape
        (1, 2, 2, 2, 2)
    """

    def __init__(
        self, output_size: int | tuple[int | None, ...] | None, return_indices: bool = False
    ) -> None:
        super().__init__(output_size, return_indices)

    def forward(self, input: Tensor) -> Tensor | tuple[Tensor, Tensor]:
        """Return the largest elements."""
        return F.adaptive_max_pool3d(input, self.output_size, self.return_indices)


class LPPool3d(_LPPool):
    """Takes (Σ xᵖ)^(1/p) under each place of a window of (N, C, D, H, W).

    Args:
        norm_type: The power p.
        kernel_size: Size of the window, or one for each dimension.
        stride: Step of the window; None is kernel_size.
        ceil_mode: Keep a last place that leaves the input.

    Example:
        >>> import gpukit
        >>> gpukit.nn.LPPool3d(2, 2)(gpukit.ones(1, 2, 4, 4, 4)).shape
        (1, 2, 2, 2, 2)
    """

    def __init__(
        self,
        norm_type: float,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] | None = None,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__(norm_type, kernel_size, stride, ceil_mode)

    def forward(self, input: Tensor) -> Tensor:
        """Return the roots."""
        return F.lp_pool3d(input, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)


class MaxUnpool3d(_MaxUnpool):
    """Puts what MaxPool3d took back to where it was; the other places are 0.

    Args:
        kernel_size: Of the pooling.
        stride: Of the pooling; None is kernel_size.
        padding: Of the pooling.

    Example:
        >>> import gpukit
        >>> y, where = gpukit.nn.MaxPool3d(2, return_indices=True)(gpukit.ones(1, 2, 4, 4, 4))
        >>> gpukit.nn.MaxUnpool3d(2)(y, where).shape
        (1, 2, 4, 4, 4)
    """

    def __init__(
        self,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] | None = None,
        padding: int | tuple[int, ...] = 0,
    ) -> None:
        super().__init__(3, kernel_size, stride, padding)

    def forward(
        self, input: Tensor, indices: Tensor, output_size: tuple[int, ...] | None = None
    ) -> Tensor:
        """Return the planes; output_size names their sizes where the pooling left elements out."""
        return F.max_unpool3d(
            input, indices, self.kernel_size, self.stride, self.padding, output_size
        )
