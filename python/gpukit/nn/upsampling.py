"""Layers that change the sizes of images."""

from __future__ import annotations

from gpukit._arguments import int_from
from gpukit._core import Tensor
from gpukit.nn._bilinear import channel_shuffle
from gpukit.nn._convolution import size_of
from gpukit.nn._pixel_shuffle import pixel_shuffle, pixel_unshuffle
from gpukit.nn._resizing import interpolate
from gpukit.nn.module import Module

__all__ = [
    "ChannelShuffle",
    "PixelShuffle",
    "PixelUnshuffle",
    "Upsample",
    "UpsamplingBilinear2d",
    "UpsamplingNearest2d",
]


class Upsample(Module):
    """Changes the sizes of images; see `functional.interpolate`.

    Args:
        size: The new sizes.
        scale_factor: In the place of size: what the sizes are multiplied by.
        mode: 'nearest', 'linear', 'bilinear', 'bicubic' or 'trilinear'.
        align_corners: Whether the first and last elements stay the first and last.
        recompute_scale_factor: Whether the steps follow from the rounded sizes.

    Example:
        >>> import gpukit
        >>> gpukit.nn.Upsample(scale_factor=2)(gpukit.ones(1, 3, 4, 4)).shape
        (1, 3, 8, 8)
    """

    def __init__(
        self,
        size: int | tuple[int, ...] | None = None,
        scale_factor: float | tuple[float, ...] | None = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.name = type(self).__name__
        self.size = None if size is None else size_of(self.name, "size", size)
        if isinstance(scale_factor, tuple):
            self.scale_factor: float | tuple[float, ...] | None = tuple(map(float, scale_factor))
        else:
            self.scale_factor = float(scale_factor) if scale_factor else None
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Tensor) -> Tensor:
        """Return the images in their new sizes."""
        return interpolate(
            input,
            self.size,
            self.scale_factor,
            self.mode,
            self.align_corners,
            self.recompute_scale_factor,
        )

    def extra_repr(self) -> str:
        """Return the sizes and the mode."""
        if self.scale_factor is not None:
            return f"scale_factor={self.scale_factor!r}, mode={self.mode!r}"
        return f"size={self.size!r}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Changes the sizes of (N, C, H, W): each new element is its nearest one.

    Args:
        size: The new sizes.
        scale_factor: In the place of size: what the sizes are multiplied by.

    Example:
        >>> import gpukit
        >>> gpukit.nn.UpsamplingNearest2d(scale_factor=2)(gpukit.ones(1, 3, 4, 4)).shape
        (1, 3, 8, 8)
    """

    def __init__(
        self,
        size: int | tuple[int, ...] | None = None,
        scale_factor: float | tuple[float, ...] | None = None,
    ) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Changes the sizes of (N, C, H, W) linearly; the corners stay.

    Args:
        size: The new sizes.
        scale_factor: In the place of size: what the sizes are multiplied by.

    Example:
        >>> import gpukit
        >>> gpukit.nn.UpsamplingBilinear2d(size=(6, 8))(gpukit.ones(1, 3, 4, 4)).shape
        (1, 3, 6, 8)
    """

    def __init__(
        self,
        size: int | tuple[int, ...] | None = None,
        scale_factor: float | tuple[float, ...] | None = None,
    ) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)


class PixelShuffle(Module):
    """Makes images r times larger of r * r times as many channels.

    Args:
        upscale_factor: The r.

    Example:
        >>> import gpukit
        >>> gpukit.nn.PixelShuffle(2)(gpukit.ones(1, 8, 3, 3)).shape
        (1, 2, 6, 6)
    """

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = int_from("PixelShuffle", "upscale_factor", upscale_factor, 1)

    def forward(self, input: Tensor) -> Tensor:
        """Return the larger images."""
        return pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        """Return the factor."""
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """Undoes PixelShuffle: images r times smaller with r * r times as many channels.

    Args:
        downscale_factor: The r.

    Example:
        >>> import gpukit
        >>> gpukit.nn.PixelUnshuffle(2)(gpukit.ones(1, 2, 6, 6)).shape
        (1, 8, 3, 3)
    """

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = int_from("PixelUnshuffle", "downscale_factor", downscale_factor, 1)

    def forward(self, input: Tensor) -> Tensor:
        """Return the smaller images."""
        return pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        """Return the factor."""
        return f"downscale_factor={self.downscale_factor}"


class ChannelShuffle(Module):
    """Takes channel by channel from each of the groups in turn.

    Args:
        groups: The number of groups; it divides the channels.

    Example:
        >>> import gpukit
        >>> gpukit.nn.ChannelShuffle(2)(gpukit.arange(4.0).reshape(1, 4, 1)).flatten()
        tensor([0., 2., 1., 3.])
    """

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = int_from("ChannelShuffle", "groups", groups, 1)

    def forward(self, input: Tensor) -> Tensor:
        """Return (N, C, …) with its channels in the new order."""
        return channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        """Return the groups."""
        return f"groups={self.groups}"
