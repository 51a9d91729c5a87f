"""Convolution layers: torch's names, defaults, first values and state."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from gpukit._arguments import int_from, ints_of, tensor_of
from gpukit._core import Tensor, empty
from gpukit.errors import ArgumentError
from gpukit.nn import init
from gpukit.nn._convolution import convolution, same_sides, transposed, tuple_of
from gpukit.nn._padding import pad
from gpukit.nn.module import Module
from gpukit.nn.parameter import Parameter

__all__ = [
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
]

_MODES = ("zeros", "reflect", "replicate", "circular")


class _ConvNd(Module):
    """What convolutions and their transposes have in common."""

    _count: ClassVar[int]  # of dimensions that the kernel moves over
    transposed: ClassVar[bool] = False
    weight: Parameter
    bias: Parameter | None
    padding: tuple[int, ...] | str
    output_padding: tuple[int, ...]

    def _set_sizes(self, **sizes: Any) -> None:
        """Check and keep the arguments of the constructor, except the padding."""
        name = type(self).__name__
        for key in ("in_channels", "out_channels"):
            setattr(self, key, int_from(name, key, sizes[key], 0))
        self.kernel_size = tuple_of(name, "kernel_size", sizes["kernel_size"], self._count, 0)
        self.stride = tuple_of(name, "stride", sizes["stride"], self._count)
        self.dilation = tuple_of(name, "dilation", sizes["dilation"], self._count)
        self.groups = int_from(name, "groups", sizes["groups"], 1)
        for key in ("in_channels", "out_channels"):
            if getattr(self, key) % self.groups:
                raise ArgumentError(
                    f"{name}: {key} must be divisible by groups, got {getattr(self, key)} and "
                    f"groups={self.groups}"
                )

    def _weight_sizes(self) -> tuple[int, ...]:
        first, second = self.out_channels, self.in_channels
        if self.transposed:
            first, second = second, first
        return (first, second // self.groups, *self.kernel_size)

    def _make_parameters(self, bias: bool, device: Any, dtype: Any) -> None:
        self.weight = Parameter(empty(self._weight_sizes(), device=device, dtype=dtype))
        made = Parameter(empty(self.out_channels, device=device, dtype=dtype)) if bias else None
        self.register_parameter("bias", made)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new weights and biases, uniform in ±1/sqrt(weight.shape[1] * kernel elements)."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan = math.prod(self.weight.shape[1:])
            bound = 1 / math.sqrt(fan) if fan > 0 else 0.0
            init.uniform_(self.bias, -bound, bound)

    def extra_repr(self) -> str:
        """Return the sizes; what has its default is left out."""
        text = (
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}"
        )
        zeros, ones = (0,) * self._count, (1,) * self._count
        rest = {
            "padding": zeros,
            "dilation": ones,
            "output_padding": zeros,
            "groups": 1,
        }
        for key, usual in rest.items():
            value = getattr(self, key)
            text += f", {key}={value}" if value != usual else ""
        text += ", bias=False" if self.bias is None else ""
        mode = self.padding_mode
        return text if mode == "zeros" else f"{text}, padding_mode={mode}"


class _Convolution(_ConvNd):
    def __init__(
        self,
        in_channels: int,
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
        super().__init__()
        self._set_sizes(
            in_channels=in_channels,
            out_channels=out_channels,
            kernel_size=kernel_size,
            stride=stride,
            dilation=dilation,
            groups=groups,
        )
        self.padding = self._checked_padding(padding)
        if padding_mode not in _MODES:
            raise ArgumentError(
                f"{type(self).__name__}: padding_mode must be one of {_MODES}, got {padding_mode!r}"
            )
        self.output_padding = (0,) * self._count
        self.padding_mode = padding_mode
        self._make_parameters(bias, device, dtype)

    def _checked_padding(self, padding: Any) -> tuple[int, ...] | str:
        name = type(self).__name__
        if not isinstance(padding, str):
            return tuple_of(name, "padding", padding, self._count, 0)
        if padding not in {"same", "valid"}:
            raise ArgumentError(
                f"{name}: padding must be 'same', 'valid', an int or ints, got {padding!r}"
            )
        if padding == "same" and set(self.stride) != {1}:
            raise ArgumentError(f"{name}: padding='same' needs stride=1, got stride={self.stride}")
        return padding

    def _sides(self) -> list[int]:
        """The padding of all ends, the last dimension first, as `pad` takes it."""
        if self.padding == "same":
            pairs = same_sides(self.kernel_size, self.dilation)
        elif isinstance(self.padding, str):
            pairs = [(0, 0)] * self._count
        else:
            pairs = [(n, n) for n in self.padding]
        return [n for pair in reversed(pairs) for n in pair]

    def forward(self, input: Tensor) -> Tensor:
        """Return the convolution of the input with the weight, plus the bias."""
        padding = self.padding
        if self.padding_mode != "zeros":
            input = pad(input, self._sides(), self.padding_mode)
            padding = 0  # type: ignore[assignment]
        return convolution(
            f"conv{self._count}d",
            input,
            self.weight,
            self.bias,
            self.stride,
            padding,
            self.dilation,
            self.groups,
        )


class _ConvTransposeNd(_ConvNd):
    transposed = True
    padding: tuple[int, ...]

    def __init__(
        self,
        in_channels: int,
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
        super().__init__()
        name = type(self).__name__
        if padding_mode != "zeros":
            raise ArgumentError(f"{name}: padding_mode must be 'zeros', got {padding_mode!r}")
        self._set_sizes(
            in_channels=in_channels,
            out_channels=out_channels,
            kernel_size=kernel_size,
            stride=stride,
            dilation=dilation,
            groups=groups,
        )
        self.padding = tuple_of(name, "padding", padding, self._count, 0)
        self.output_padding = tuple_of(name, "output_padding", output_padding, self._count, 0)
        self.padding_mode = padding_mode
        self._make_parameters(bias, device, dtype)

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        """Return the transposed convolution; output_size chooses among the possible sizes."""
        return transposed(
            f"conv_transpose{self._count}d",
            input,
            self.weight,
            self.bias,
            self.stride,
            self.padding,
            self._output_padding(input, output_size),
            self.groups,
            self.dilation,
        )

    def _output_padding(self, input: Tensor, output_size: Any) -> tuple[int, ...]:
        """What is added at the ends so that the result has the size that is asked for."""
        if output_size is None:
            return self.output_padding
        name, count = type(self).__name__, self._count
        tensor_of(name, "input", input)
        wanted = ints_of(name, "output_size", output_size)
        wanted = wanted[-count:] if len(wanted) == input.ndim else wanted
        if len(wanted) != count or input.ndim <= count:
            raise ArgumentError(
                f"{name}: output_size must have {count} or {input.ndim} numbers for input "
                f"{tuple(input.shape)}, got {output_size!r}"
            )
        moves = zip(
            input.shape[-count:],
            self.stride,
            self.padding,
            self.dilation,
            self.kernel_size,
            strict=True,
        )
        least = [(n - 1) * step - 2 * less + dil * (k - 1) + 1 for n, step, less, dil, k in moves]
        most = [size + step - 1 for size, step in zip(least, self.stride, strict=True)]
        if any(not a <= size <= b for a, size, b in zip(least, wanted, most, strict=True)):
            raise ArgumentError(
                f"{name}: output_size {wanted} is not possible; input {tuple(input.shape)} gives "
                f"sizes from {least} to {most}"
            )
        return tuple(size - a for a, size in zip(least, wanted, strict=True))


class Conv1d(_Convolution):
    """Convolves over 1 dimension: (N, in_channels, L) becomes (N, out_channels, L').

    weight is (out_channels, in_channels / groups, kL), bias (out_channels); both start uniform
    in ±1/sqrt(in_channels / groups * kernel elements), as in torch.

    Args:
        in_channels: Channels of the input.
        out_channels: Channels of the result.
        kernel_size: Size of the kernel, or one for each dimension.
        stride: Step of the kernel.
        padding: Elements added at both ends; 'same' keeps the sizes at stride 1, 'valid' is 0.
        dilation: Distance between the kernel's elements.
        groups: Number of groups of channels that are convolved apart.
        bias: False for no bias.
        padding_mode: 'zeros', 'reflect', 'replicate' or 'circular': what is added.
        device: Where the parameters are.
        dtype: A floating dtype.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.Conv1d(3, 6, kernel_size=3, padding=1)
        >>> layer(gpukit.ones(2, 3, 8)).shape
        (2, 6, 8)
    """

    _count = 1


class Conv2d(_Convolution):
    """Convolves over 2 dimensions: (N, in_channels, H, W) becomes (N, out_channels, H, W').

    weight is (out_channels, in_channels / groups, kH, kW), bias (out_channels); both start uniform
    in ±1/sqrt(in_channels / groups * kernel elements), as in torch.

    Args:
        in_channels: Channels of the input.
        out_channels: Channels of the result.
        kernel_size: Size of the kernel, or one for each dimension.
        stride: Step of the kernel.
        padding: Elements added at both ends; 'same' keeps the sizes at stride 1, 'valid' is 0.
        dilation: Distance between the kernel's elements.
        groups: Number of groups of channels that are convolved apart.
        bias: False for no bias.
        padding_mode: 'zeros', 'reflect', 'replicate' or 'circular': what is added.
        device: Where the parameters are.
        dtype: A floating dtype.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.Conv2d(3, 6, kernel_size=3, padding=1)
        >>> layer(gpukit.ones(2, 3, 8, 8)).shape
        (2, 6, 8, 8)
    """

    _count = 2


class Conv3d(_Convolution):
    """Convolves over 3 dimensions: (N, in_channels, D, H, W) becomes (N, out_channels, D, H, W').

    weight is (out_channels, in_channels / groups, kD, kH, kW), bias (out_channels); both start
    uniform in ±1/sqrt(in_channels / groups * kernel elements), as in torch.

    Args:
        in_channels: Channels of the input.
        out_channels: Channels of the result.
        kernel_size: Size of the kernel, or one for each dimension.
        stride: Step of the kernel.
        padding: Elements added at both ends; 'same' keeps the sizes at stride 1, 'valid' is 0.
        dilation: Distance between the kernel's elements.
        groups: Number of groups of channels that are convolved apart.
        bias: False for no bias.
        padding_mode: 'zeros', 'reflect', 'replicate' or 'circular': what is added.
        device: Where the parameters are.
        dtype: A floating dtype.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.Conv3d(3, 6, kernel_size=3, padding=1)
        >>> layer(gpukit.ones(2, 3, 8, 8, 8)).shape
        (2, 6, 8, 8, 8)
    """

    _count = 3


class ConvTranspose1d(_ConvTransposeNd):
    """The transpose of Conv1d: each input element adds a scaled kernel to the result.

    weight is (in_channels, out_channels / groups, kL), bias (out_channels). Sizes become
    (size - 1) * stride - 2 * padding + dilation * (kernel_size - 1) + output_padding + 1.

    Args:
        in_channels: Channels of the input.
        out_channels: Channels of the result.
        kernel_size: Size of the kernel, or one for each dimension.
        stride: Step of the kernel in the result.
        padding: Elements removed at both ends of the result.
        output_padding: Elements added at its end; less than stride or dilation.
        groups: Number of groups of channels that are convolved apart.
        bias: False for no bias.
        dilation: Distance between the kernel's elements.
        padding_mode: 'zeros' only.
        device: Where the parameters are.
        dtype: A floating dtype.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.ConvTranspose1d(3, 6, kernel_size=2, stride=2)
        >>> layer(gpukit.ones(2, 3, 4)).shape
        (2, 6, 8)
    """

    _count = 1


class ConvTranspose2d(_ConvTransposeNd):
    """The transpose of Conv2d: each input element adds a scaled kernel to the result.

    weight is (in_channels, out_channels / groups, kH, kW), bias (out_channels). Sizes become
    (size - 1) * stride - 2 * padding + dilation * (kernel_size - 1) + output_padding + 1.

    Args:
        in_channels: Channels of the input.
        out_channels: Channels of the result.
        kernel_size: Size of the kernel, or one for each dimension.
        stride: Step of the kernel in the result.
        padding: Elements removed at both ends of the result.
        output_padding: Elements added at its end; less than stride or dilation.
        groups: Number of groups of channels that are convolved apart.
        bias: False for no bias.
        dilation: Distance between the kernel's elements.
        padding_mode: 'zeros' only.
        device: Where the parameters are.
        dtype: A floating dtype.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.ConvTranspose2d(3, 6, kernel_size=2, stride=2)
        >>> layer(gpukit.ones(2, 3, 4, 4)).shape
        (2, 6, 8, 8)
    """

    _count = 2


class ConvTranspose3d(_ConvTransposeNd):
    """The transpose of Conv3d: each input element adds a scaled kernel to the result.

    weight is (in_channels, out_channels / groups, kD, kH, kW), bias (out_channels). Sizes become
    (size - 1) * stride - 2 * padding + dilation * (kernel_size - 1) + output_padding + 1.

    Args:
        in_channels: Channels of the input.
        out_channels: Channels of the result.
        kernel_size: Size of the kernel, or one for each dimension.
        stride: Step of the kernel in the result.
        padding: Elements removed at both ends of the result.
        output_padding: Elements added at its end; less than stride or dilation.
        groups: Number of groups of channels that are convolved apart.
        bias: False for no bias.
        dilation: Distance between the kernel's elements.
        padding_mode: 'zeros' only.
        device: Where the parameters are.
        dtype: A floating dtype.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.ConvTranspose3d(3, 6, kernel_size=2, stride=2)
        >>> layer(gpukit.ones(2, 3, 4, 4, 4)).shape
        (2, 6, 8, 8, 8)
    """

    _count = 3
