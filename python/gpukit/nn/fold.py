"""Layers of patches: what lies under a kernel as columns, and their sum back into images."""

from __future__ import annotations

from gpukit._core import Tensor
from gpukit.nn import _folding
from gpukit.nn._convolution import size_of
from gpukit.nn.module import Module

__all__ = ["Fold", "Unfold"]


class Unfold(Module):
    """Takes the patch under each place of a kernel as a column; see `functional.unfold`.

    Args:
        kernel_size: Sizes of a patch.
        dilation: Distance between its elements.
        padding: Zeros at both ends.
        stride: Step of the kernel.

    Example:
        >>> import gpukit
        >>> gpukit.nn.Unfold(2)(gpukit.ones(1, 3, 4, 4)).shape
        (1, 12, 9)
    """

    def __init__(
        self,
        kernel_size: int | tuple[int, ...],
        dilation: int | tuple[int, ...] = 1,
        padding: int | tuple[int, ...] = 0,
        stride: int | tuple[int, ...] = 1,
    ) -> None:
        super().__init__()
        self.kernel_size = size_of(type(self).__name__, "kernel_size", kernel_size)
        self.dilation = size_of(type(self).__name__, "dilation", dilation)
        self.padding = size_of(type(self).__name__, "padding", padding)
        self.stride = size_of(type(self).__name__, "stride", stride)

    def forward(self, input: Tensor) -> Tensor:
        """Return the patches as columns."""
        return _folding.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return (
            f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, "
            f"stride={self.stride}"
        )


class Fold(Module):
    """Adds columns up into images; see `functional.fold`.

    Args:
        output_size: (H, W) of the images.
        kernel_size: Sizes of a patch.
        dilation: Distance between its elements.
        padding: Zeros that Unfold has added at both ends.
        stride: Step of the kernel.

    Example:
        >>> import gpukit
        >>> gpukit.nn.Fold((4, 4), 2)(gpukit.ones(1, 12, 9)).shape
        (1, 3, 4, 4)
    """

    def __init__(
        self,
        output_size: int | tuple[int, ...],
        kernel_size: int | tuple[int, ...],
        dilation: int | tuple[int, ...] = 1,
        padding: int | tuple[int, ...] = 0,
        stride: int | tuple[int, ...] = 1,
    ) -> None:
        super().__init__()
        self.output_size = size_of(type(self).__name__, "output_size", output_size)
        self.kernel_size = size_of(type(self).__name__, "kernel_size", kernel_size)
        self.dilation = size_of(type(self).__name__, "dilation", dilation)
        self.padding = size_of(type(self).__name__, "padding", padding)
        self.stride = size_of(type(self).__name__, "stride", stride)

    def forward(self, input: Tensor) -> Tensor:
        """Return the images."""
        return _folding.fold(
            input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride
        )

    def extra_repr(self) -> str:
        """Return the arguments."""
        return (
            f"output_size={self.output_size}, kernel_size={self.kernel_size}, "
            f"dilation={self.dilation}, padding={self.padding}, stride={self.stride}"
        )
