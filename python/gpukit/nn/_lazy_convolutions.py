"""Convolution layers whose number of input channels is that of their first input."""

from __future__ import annotations

from typing import Any

from gpukit._arguments import int_from, tensor_of
from gpukit._core import Tensor
from gpukit.errors import ArgumentError, ShapeError
from gpukit.nn.conv import (
    Conv1d,
    Conv2d,
    Conv3d,
    ConvTranspose1d,
    ConvTranspose2d,
    ConvTranspose3d,
    _ConvNd,
)
from gpukit.nn.lazy import LazyModuleMixin
from gpukit.nn.parameter import UninitializedParameter

__all__ = [
    "LazyConv1d",
    "LazyConv2d",
    "LazyConv3d",
    "LazyConvTranspose1d",
    "LazyConvTranspose2d",
    "LazyConvTranspose3d",
]


class _LazyConvolving(LazyModuleMixin, _ConvNd):
    """A convolution that takes in_channels from its first input."""

    weight: UninitializedParameter
    bias: UninitializedParameter | None

    def __init__(self, out_channels: Any, *args: Any, **kwargs: Any) -> None:
        bias = kwargs.pop("bias")
        super().__init__(0, 0, *args, bias=False, **kwargs)  # type: ignore[call-arg]
        self.out_channels = int_from(type(self).__name__, "out_channels", out_channels, 0)
        where = {key: kwargs[key] for key in ("device", "dtype")}
        self.weight = UninitializedParameter(**where)
        if bias:
            self.bias = UninitializedParameter(**where)

    def reset_parameters(self) -> None:
        """Draw new weights and biases, once the sizes are known."""
        if not self.has_uninitialized_params() and self.in_channels != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor, output_size: Any = None) -> None:  # noqa: ARG002
        """Take in_channels from an input."""
        name = type(self).__name__
        tensor_of(name, "input", input)
        if not self.has_uninitialized_params():
            return
        if input.ndim not in {self._count + 1, self._count + 2}:
            raise ShapeError(
                f"{name}: input must have {self._count + 1} (without a batch) or "
                f"{self._count + 2} dimensions, its shape is {tuple(input.shape)}"
            )
        channels = input.shape[-self._count - 1]
        if channels % self.groups or self.out_channels % self.groups:
            raise ArgumentError(
                f"{name}: groups={self.groups} must divide the input's {channels} channels and "
                f"out_channels={self.out_channels}"
            )
        self.in_channels = channels
        self.weight.materialize(self._weight_sizes())
        if self.bias is not None:
            self.bias.materialize((self.out_channels,))
        self.reset_parameters()


class LazyConv1d(_LazyConvolving, Conv1d):
    """A Conv1d whose in_channels is decided by the first input.

    Args:
        out_channels: Channels of the result.
        kernel_size: Size of the kernel, or one for each dimension.
        stride: Step of the kernel.
        padding: As in the class without Lazy.
        dilation: Distance between the kernel's elements.
        groups: Number of groups of channels.
        bias: False for no bias.
        padding_mode: As in the class without Lazy.
        device: Where the parameters are.
        dtype: A floating dtype.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.LazyConv1d(6, 1)
        >>> layer(gpukit.ones(2, 3, 4)).shape, layer.in_channels
        ((2, 6, 4), 3)
    """

    cls_to_become = Conv1d

    def __init__(
        self,
        out_channels: int,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] = 1,
        padding: int | tuple[int, ...] | str = 0,
        dilation: int | tuple[int, ...] = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            out_channels,
            kernel_size=kernel_size,
            stride=stride,
            padding=padding,
            dilation=dilation,
            groups=groups,
            bias=bias,
            padding_mode=padding_mode,
            device=device,
            dtype=dtype,
        )


class LazyConv2d(_LazyConvolving, Conv2d):
    """A Conv2d whose in_channels is decided by the first input.

    Args:
        out_channels: Channels of the result.
        kernel_size: Size of the kernel, or one for each dimension.
        stride: Step of the kernel.
        padding: As in the class without Lazy.
        dilation: Distance between the kernel's elements.
        groups: Number of groups of channels.
        bias: False for no bias.
        padding_mode: As in the class without Lazy.
        device: Where the parameters are.
        dtype: A floating dtype.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.LazyConv2d(6, 1)
        >>> layer(gpukit.ones(2, 3, 4, 4)).shape, layer.in_channels
        ((2, 6, 4, 4), 3)
    """

    cls_to_become = Conv2d

    def __init__(
        self,
        out_channels: int,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] = 1,
        padding: int | tuple[int, ...] | str = 0,
        dilation: int | tuple[int, ...] = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            out_channels,
            kernel_size=kernel_size,
            stride=stride,
            padding=padding,
            dilation=dilation,
            groups=groups,
            bias=bias,
            padding_mode=padding_mode,
            device=device,
            dtype=dtype,
        )


class LazyConv3d(_LazyConvolving, Conv3d):
    """A Conv3d whose in_channels is decided by the first input.

    Args:
        out_channels: Channels of the result.
        kernel_size: Size of the kernel, or one for each dimension.
        stride: Step of the kernel.
        padding: As in the class without Lazy.
        dilation: Distance between the kernel's elements.
        groups: Number of groups of channels.
        bias: False for no bias.
        padding_mode: As in the class without Lazy.
        device: Where the parameters are.
        dtype: A floating dtype.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.LazyConv3d(6, 1)
        >>> layer(gpukit.ones(2, 3, 4, 4, 4)).shape, layer.in_channels
        ((2, 6, 4, 4, 4), 3)
    """

    cls_to_become = Conv3d

    def __init__(
        self,
        out_channels: int,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] = 1,
        padding: int | tuple[int, ...] | str = 0,
        dilation: int | tuple[int, ...] = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            out_channels,
            kernel_size=kernel_size,
            stride=stride,
            padding=padding,
            dilation=dilation,
            groups=groups,
            bias=bias,
            padding_mode=padding_mode,
            device=device,
            dtype=dtype,
        )


class LazyConvTranspose1d(_LazyConvolving, ConvTranspose1d):
    """A ConvTranspose1d whose in_channels is decided by the first input.

    Args:
        out_channels: Channels of the result.
        kernel_size: Size of the kernel, or one for each dimension.
        stride: Step of the kernel.
        padding: As in the class without Lazy.
        output_padding: Elements added at the end of the result.
        groups: Number of groups of channels.
        bias: False for no bias.
        dilation: Distance between the kernel's elements.
        padding_mode: As in the class without Lazy.
        device: Where the parameters are.
        dtype: A floating dtype.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.LazyConvTranspose1d(6, 1)
        >>> layer(gpukit.ones(2, 3, 4)).shape, layer.in_channels
        ((2, 6, 4), 3)
    """

    cls_to_become = ConvTranspose1d

    def __init__(
        self,
        out_channels: int,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] = 1,
        padding: int | tuple[int, ...] = 0,
        output_padding: int | tuple[int, ...] = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: int | tuple[int, ...] = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            out_channels,
            kernel_size=kernel_size,
            stride=stride,
            padding=padding,
            output_padding=output_padding,
            groups=groups,
            bias=bias,
            dilation=dilation,
            padding_mode=padding_mode,
            device=device,
            dtype=dtype,
        )


class LazyConvTranspose2d(_LazyConvolving, ConvTranspose2d):
    """A ConvTranspose2d whose in_channels is decided by the first input.

    Args:
        out_channels: Channels of the result.
        kernel_size: Size of the kernel, or one for each dimension.
        stride: Step of the kernel.
        padding: As in the class without Lazy.
        output_padding: Elements added at the end of the result.
        groups: Number of groups of channels.
        bias: False for no bias.
        dilation: Distance between the kernel's elements.
        padding_mode: As in the class without Lazy.
        device: Where the parameters are.
        dtype: A floating dtype.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.LazyConvTranspose2d(6, 1)
        >>> layer(gpukit.ones(2, 3, 4, 4)).shape, layer.in_channels
        ((2, 6, 4, 4), 3)
    """

    cls_to_become = ConvTranspose2d

    def __init__(
        self,
        out_channels: int,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] = 1,
        padding: int | tuple[int, ...] = 0,
        output_padding: int | tuple[int, ...] = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: int | tuple[int, ...] = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            out_channels,
            kernel_size=kernel_size,
            stride=stride,
            padding=padding,
            output_padding=output_padding,
            groups=groups,
            bias=bias,
            dilation=dilation,
            padding_mode=padding_mode,
            device=device,
            dtype=dtype,
        )


class LazyConvTranspose3d(_LazyConvolving, ConvTranspose3d):
    """A ConvTranspose3d whose in_channels is decided by the first input.

    Args:
        out_channels: Channels of the result.
        kernel_size: Size of the kernel, or one for each dimension.
        stride: Step of the kernel.
        padding: As in the class without Lazy.
        output_padding: Elements added at the end of the result.
        groups: Number of groups of channels.
        bias: False for no bias.
        dilation: Distance between the kernel's elements.
        padding_mode: As in the class without Lazy.
        device: Where the parameters are.
        dtype: A floating dtype.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.LazyConvTranspose3d(6, 1)
        >>> layer(gpukit.ones(2, 3, 4, 4, 4)).shape, layer.in_channels
        ((2, 6, 4, 4, 4), 3)
    """

    cls_to_become = ConvTranspose3d

    def __init__(
        self,
        out_channels: int,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] = 1,
        padding: int | tuple[int, ...] = 0,
        output_padding: int | tuple[int, ...] = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: int | tuple[int, ...] = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            out_channels,
            kernel_size=kernel_size,
            stride=stride,
            padding=padding,
            output_padding=output_padding,
            groups=groups,
            bias=bias,
            dilation=dilation,
            padding_mode=padding_mode,
            device=device,
            dtype=dtype,
        )
