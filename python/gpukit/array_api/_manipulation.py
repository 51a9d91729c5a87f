"""Shapes, and arrays put together and taken apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpukit import _core
from gpukit._core import Tensor
from gpukit.array_api._arguments import as_axes, check_kind
from gpukit.errors import ShapeError


def broadcast_arrays(*arrays: Tensor) -> list[Tensor]:
    """The arrays broadcast to one shape, as views."""
    return list(_core.broadcast_tensors(*arrays)) if arrays else []


def broadcast_to(x: Tensor, /, shape: tuple[int, ...]) -> Tensor:
    """Broadcast to a shape, as a view."""
    return _core.broadcast_to(x, tuple(shape))


def concat(arrays: Sequence[Tensor], /, *, axis: int | None = 0) -> Tensor:
    """Join arrays along an axis; None flattens them first."""
    parts = list(arrays)
    if axis is None:
        return _core.cat([part.flatten() for part in parts])
    return _core.cat(parts, axis)


def expand_dims(x: Tensor, /, axis: int | tuple[int, ...]) -> Tensor:
    """Put in dimensions of size 1, as a view."""
    check_kind("expand_dims", "x", x, "any")
    axes = as_axes(axis, x.ndim)
    rank = x.ndim + len(axes)
    if any(not -rank <= one < rank for one in axes):
        raise IndexError(f"expand_dims: axis {axis} is out of range for {rank} dimensions")
    for one in sorted(one % rank for one in axes):
        x = x.unsqueeze(one)
    return x


def flip(x: Tensor, /, *, axis: int | tuple[int, ...] | None = None) -> Tensor:
    """Reverse along axes, as a view."""
    check_kind("flip", "x", x, "any")
    return _core.flip(x, as_axes(axis, x.ndim))


def moveaxis(
    x: Tensor, source: int | tuple[int, ...], destination: int | tuple[int, ...], /
) -> Tensor:
    """Move dimensions to other places, as a view."""
    return _core.moveaxis(x, source, destination)


def permute_dims(x: Tensor, /, axes: tuple[int, ...]) -> Tensor:
    """Put dimensions in another order, as a view."""
    return _core.permute_dims(x, tuple(axes))


def repeat(x: Tensor, repeats: int | Tensor, /, *, axis: int | None = None) -> Tensor:
    """Repeat each element, one after the other."""
    return _core.repeat_interleave(x, repeats, axis)


def reshape(x: Tensor, /, shape: tuple[int, ...], *, copy: bool | None = None) -> Tensor:
    """The same elements in another shape; copy=False raises ValueError instead of copying."""
    check_kind("reshape", "x", x, "any")
    sizes = tuple(shape)
    if copy is False:
        return x.view(sizes)
    result = _core.reshape(x, sizes)
    return result.clone() if copy and result.data_ptr() == x.data_ptr() else result


def roll(
    x: Tensor, /, shift: int | tuple[int, ...], *, axis: int | tuple[int, ...] | None = None
) -> Tensor:
    """Move elements along axes, those that fall off to the other end."""
    if isinstance(axis, tuple) and isinstance(shift, int):
        shift = (shift,) * len(axis)
    return _core.roll(x, shift, axis)


def squeeze(x: Tensor, /, axis: int | tuple[int, ...]) -> Tensor:
    """Leave out dimensions of size 1, as a view; ShapeError for another size."""
    check_kind("squeeze", "x", x, "any")
    axes = as_axes(axis, x.ndim)
    for one in axes:
        if -x.ndim <= one < x.ndim and x.shape[one] != 1:
            raise ShapeError(f"squeeze: axis {one} of {x.shape} has {x.shape[one]} elements, not 1")
    return _core.squeeze(x, axes)


def stack(arrays: Sequence[Tensor], /, *, axis: int = 0) -> Tensor:
    """Join arrays of one shape along a new axis."""
    return _core.stack(list(arrays), axis)


def tile(x: Tensor, repetitions: tuple[int, ...], /) -> Tensor:
    """Repeat the array along its axes."""
    return _core.tile(x, tuple(repetitions))


def unstack(x: Tensor, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    """Take the slices along an axis apart, as views."""
    result: Any = _core.unstack(x, axis)
    return tuple(result)
