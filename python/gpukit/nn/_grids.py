"""affine_grid and grid_sample: images read at positions that are computed."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Sequence
from typing import Any

from gpukit import _core
from gpukit._arguments import bool_of, ints_of, tensor_of
from gpukit._core import Tensor
from gpukit.errors import ArgumentError, DTypeError, ShapeError

_CUBIC = -0.75  # as in interpolate


def affine_grid(theta: Tensor, size: Sequence[int], align_corners: bool | None = None) -> Tensor:
    """Make the positions that an affine map gives for each pixel of its result.

    Args:
        theta: Matrices, (N, 2, 3) for images and (N, 3, 4) for volumes.
        size: The sizes of the result, (N, C, H, W) or (N, C, D, H, W).
        align_corners: Whether -1 and 1 are the centres of the outer pixels, or their outer edges;
            None is False.

    Returns:
        (N, H, W, 2) or (N, D, H, W, 3): positions for grid_sample, x first.

    Raises:
        ShapeError: theta does not fit size.
        ValueError: A size is below 1.
        DTypeError: theta is not floating.

    Example:
        >>> import gpukit
        >>> theta = gpukit.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
        >>> gpukit.nn.functional.affine_grid(theta, (1, 1, 1, 2), align_corners=True)
        tensor([[[[-1.,  0.],
                  [ 1.,  0.]]]])
    """
    tensor_of("affine_grid", "theta", theta)
    if not theta.is_floating_point():
        raise DTypeError(f"affine_grid: theta must be floating, it is {theta.dtype}")
    sizes = ints_of("affine_grid", "size", size)
    rank = len(sizes) - 2
    if rank not in {2, 3}:
        raise ShapeError(f"affine_grid: size must be (N, C, H, W) or (N, C, D, H, W), got {sizes}")
    if any(each < 1 for each in sizes):
        raise ArgumentError(f"affine_grid: sizes must be 1 or more, got {sizes}")
    if tuple(theta.shape) != (sizes[0], rank, rank + 1):
        raise ShapeError(
            f"affine_grid: theta is {tuple(theta.shape)}; for size {sizes} it must be "
            f"{(sizes[0], rank, rank + 1)}"
        )
    aligned = _aligned("affine_grid", align_corners)
    like: Any = {"dtype": theta.dtype, "device": theta.device}
    axes = []
    for count in sizes[2:]:
        axis = _core.linspace(-1, 1, count, **like) if count > 1 else _core.zeros(1, **like)
        axes.append(axis if aligned else axis * (count - 1) / count)
    parts = [*reversed(_core.meshgrid(*axes, indexing="ij")), _core.ones(sizes[2:], **like)]
    base = _core.stack(parts, -1).reshape(1, -1, rank + 1)
    return (base.expand([sizes[0], -1, -1]) @ theta.mT).reshape([sizes[0], *sizes[2:], rank])


def _aligned(function: str, align_corners: Any) -> bool:
    if align_corners is None:
        warnings.warn(
            f"{function}: align_corners is False where it is not given; say which is meant",
            stacklevel=3,
        )
        return False
    return bool_of(function, "align_corners", align_corners)


def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """Read images at positions, between pixels by interpolation.

    Args:
        input: (N, C, H, W) or (N, C, D, H, W), floating.
        grid: Positions from -1 to 1, (N, H', W', 2) or (N, D', H', W', 3), x first; of input's
            dtype.
        mode: 'bilinear', also of volumes, 'nearest', or 'bicubic' of images.
        padding_mode: What is outside: 'zeros', 'border' (the nearest pixel) or 'reflection'.
        align_corners: Whether -1 and 1 are the centres of the outer pixels, or their outer edges;
            None is False.

    Returns:
        (N, C, H', W') or (N, C, D', H', W').

    Raises:
        ShapeError: Sizes do not fit, or input has no pixels.
        DTypeError: The dtypes differ or are not floating.
        ValueError: mode or padding_mode is another one.

    Example:
        >>> import gpukit
        >>> x = gpukit.tensor([[[[1.0, 3.0]]]])
        >>> grid = gpukit.zeros(1, 1, 1, 2)
        >>> gpukit.nn.functional.grid_sample(x, grid, align_corners=True)
        tensor([[[[2.]]]])
    """
    _check("grid_sample", input, grid, mode, padding_mode)
    aligned = _aligned("grid_sample", align_corners)
    sizes = input.shape[2:]
    flat = grid.reshape([grid.shape[0], -1, len(sizes)])
    positions = []
    for i, size in enumerate(sizes):  # x is the last dimension of the image
        x = flat.select(-1, len(sizes) - 1 - i)
        positions.append((x + 1) / 2 * (size - 1) if aligned else ((x + 1) * size - 1) / 2)
    taps = {"bilinear": _linear, "nearest": _nearest, "bicubic": _cubic}[mode]
    if mode != "bicubic":
        positions = [
            _padded(x, size, padding_mode, aligned)
            for x, size in zip(positions, sizes, strict=True)
        ]
    total = None
    for chosen in itertools.product(*(taps(x) for x in positions)):
        places = [place for place, _ in chosen]
        if mode == "bicubic":
            places = [
                _padded(x, size, padding_mode, aligned)
                for x, size in zip(places, sizes, strict=True)
            ]
        found = _pixels(input, places)
        for _, weight in chosen:
            found = found if weight is None else found * weight.unsqueeze(1)
        total = found if total is None else total + found
    assert total is not None
    return total.reshape([*input.shape[:2], *grid.shape[1:-1]])


def _check(function: str, input: Any, grid: Any, mode: Any, padding_mode: Any) -> None:
    x, at = tensor_of(function, "input", input), tensor_of(function, "grid", grid)
    if not x.is_floating_point() or x.dtype is not at.dtype:
        raise DTypeError(
            f"{function}: input is {x.dtype} and grid {at.dtype}; one floating dtype is needed"
        )
    if mode not in {"bilinear", "nearest", "bicubic"}:
        raise ArgumentError(
            f"{function}: mode must be 'bilinear', 'nearest' or 'bicubic', got {mode!r}"
        )
    if padding_mode not in {"zeros", "border", "reflection"}:
        raise ArgumentError(
            f"{function}: padding_mode must be 'zeros', 'border' or 'reflection', got "
            f"{padding_mode!r}"
        )
    rank = x.ndim - 2
    if rank not in {2, 3} or (rank == 3 and mode == "bicubic"):
        raise ShapeError(
            f"{function}: input is {tuple(x.shape)}; 4 dimensions are needed, or 5 for the modes "
            "'bilinear' and 'nearest'"
        )
    if at.ndim != x.ndim or at.shape[0] != x.shape[0] or at.shape[-1] != rank:
        raise ShapeError(
            f"{function}: grid is {tuple(at.shape)}; for input {tuple(x.shape)} it must have "
            f"{x.ndim} dimensions, {x.shape[0]} as the first size and {rank} as the last"
        )
    if 0 in x.shape[2:]:
        raise ShapeError(f"{function}: input is {tuple(x.shape)}; it has no pixels to read")


def _padded(x: Tensor, size: int, padding_mode: str, aligned: bool) -> Tensor:
    """Positions moved to pixels that exist; a position that is moved to an end has no slope."""
    if padding_mode == "zeros":
        return x
    if padding_mode == "reflection":
        low, span = (0.0, size - 1.0) if aligned else (-0.5, float(size))
        if not span:
            return x * 0
        away = x - low
        away = _core.where(away < 0, -away, away)
        turns = (away.detach() / span).floor()
        rest = away - turns * span
        x = _core.where(turns % 2 == 0, rest, span - rest) + low
    inside = (x > 0) & (x < size - 1)
    return _core.where(inside, x, x.detach().clamp(0, size - 1))


def _linear(x: Tensor) -> list[tuple[Tensor, Tensor | None]]:
    below = x.detach().floor()
    return [(below, below + 1 - x), (below + 1, x - below)]


def _nearest(x: Tensor) -> list[tuple[Tensor, Tensor | None]]:
    return [(x.detach().round(), None)]


def _cubic(x: Tensor) -> list[tuple[Tensor, Tensor | None]]:
    below = x.detach().floor()
    t, a = x - below, _CUBIC

    def near(s: Tensor) -> Tensor:
        return ((a + 2) * s - (a + 3)) * s * s + 1

    def far(s: Tensor) -> Tensor:
        return ((a * s - 5 * a) * s + 8 * a) * s - 4 * a

    weights = [far(t + 1), near(t), near(1 - t), far(2 - t)]
    return [(below + i - 1, weight) for i, weight in enumerate(weights)]


def _pixels(input: Tensor, places: list[Tensor]) -> Tensor:
    """(N, C, positions): the pixels, 0 where there is none."""
    inside, index = None, None
    for place, size in zip(places, input.shape[2:], strict=True):
        known = (place >= 0) & (place <= size - 1)
        inside = known if inside is None else inside & known
        number = _core.where(known, place.detach(), 0).long()
        index = number if index is None else index * size + number
    assert inside is not None
    assert index is not None
    lines = input.flatten(2)
    shape = [*lines.shape[:2], index.shape[-1]]
    return _core.where(inside.unsqueeze(1), lines.gather(2, index.unsqueeze(1).expand(shape)), 0)
