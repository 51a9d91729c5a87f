"""Channels as pixels and back."""

from __future__ import annotations

from gpukit._arguments import int_from, tensor_of
from gpukit._core import Tensor
from gpukit.errors import ShapeError
from gpukit.nn._named_nodes import names_node


@names_node("PixelShuffleBackward0")
def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """Make images r times larger of r * r times as many channels.

    Args:
        input: (…, C * r * r, H, W).
        upscale_factor: The r.

    Returns:
        (…, C, H * r, W * r).

    Raises:
        ShapeError: Fewer than 3 dimensions, or r * r does not divide the channels.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.pixel_shuffle(gpukit.arange(4).reshape(4, 1, 1), 2)
        tensor([[[0, 1],
                 [2, 3]]])
    """
    channels, rows, columns = _image(input, "pixel_shuffle")
    r = int_from("pixel_shuffle", "upscale_factor", upscale_factor, 1)
    if channels % (r * r):
        raise ShapeError(
            f"pixel_shuffle: input {tuple(input.shape)} has {channels} channels, which "
            f"upscale_factor² = {r} * {r} = {r * r} does not divide"
        )
    images = input.reshape(-1, channels // (r * r), r, r, rows, columns)
    wide = images.permute(0, 1, 4, 2, 5, 3)
    return wide.reshape(*input.shape[:-3], channels // (r * r), rows * r, columns * r)


@names_node("PixelUnshuffleBackward0")
def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """Undo pixel_shuffle: images r times smaller with r * r times as many channels.

    Args:
        input: (…, C, H * r, W * r).
        downscale_factor: The r.

    Returns:
        (…, C * r * r, H, W).

    Raises:
        ShapeError: Fewer than 3 dimensions, or r does not divide H and W.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.pixel_unshuffle(gpukit.ones(1, 6, 6), 2).shape
        (4, 3, 3)
    """
    channels, rows, columns = _image(input, "pixel_unshuffle")
    r = int_from("pixel_unshuffle", "downscale_factor", downscale_factor, 1)
    if rows % r or columns % r:
        raise ShapeError(
            f"pixel_unshuffle: input {tuple(input.shape)} has {rows} rows and {columns} columns; "
            f"downscale_factor={r} must divide both"
        )
    images = input.reshape(-1, channels, rows // r, r, columns // r, r)
    deep = images.permute(0, 1, 3, 5, 2, 4)
    return deep.reshape(*input.shape[:-3], channels * r * r, rows // r, columns // r)


def _image(input: Tensor, op: str) -> tuple[int, int, int]:
    tensor_of(op, "input", input)
    if input.ndim < 3:
        raise ShapeError(
            f"{op}: input must have 3 dimensions or more, its shape is {tuple(input.shape)}"
        )
    channels, rows, columns = input.shape[-3:]
    return channels, rows, columns
