"""Shapes, and arrays put together and taken apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpukit import _core
from gpukit._core import Tensor
from gpukit.array_api._arguments import as_axes, check_arrays, check_kind
from gpukit.errors import ArgumentError, BoundsError, ShapeError


def broadcast_arrays(*arrays: Tensor) -> list[Tensor]:
    """The arrays broadcast to one shape, as views.

    Example:
        >>> import gpukit.array_api as xp
        >>> [x.shape for x in xp.broadcast_arrays(xp.ones((3, 1)), xp.ones(2))]
        [(3, 2), (3, 2)]
    """
    check_arrays("broadcast_arrays", arrays)
    return list(_core.broadcast_tensors(*arrays)) if arrays else []


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that all broadcast to. Of 2025.12.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.broadcast_shapes((3, 1), (2,))
        (3, 2)
    """
    return tuple(_core.broadcast_shapes(*shapes)) if shapes else ()


def broadcast_to(x: Tensor, /, shape: tuple[int, ...]) -> Tensor:
    """Broadcast to a shape, as a view.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.broadcast_to(xp.asarray([1, 2]), (2, 2))
        tensor([[1, 2],
                [1, 2]])
    """
    check_kind("broadcast_to", "x", x, "any")
    return _core.broadcast_to(x, tuple(shape))


def concat(arrays: Sequence[Tensor], /, *, axis: int | None = 0) -> Tensor:
    """Join arrays along an axis; None flattens them first.

    Args:
        arrays: Tensors whose sizes agree but for the axis.
        axis: The axis, counted from the end when negative.

    Returns:
        A tensor of the dtype that all have in common.

    Raises:
        ValueError: There are no arrays.
        ShapeError: Sizes differ.
        IndexError: There is no such axis.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.concat([xp.zeros(1), xp.ones(2)])
        tensor([0., 1., 1.])
    """
    parts = check_arrays("concat", arrays)
    if axis is None:
        return _core.cat([part.flatten() for part in parts])
    return _core.cat(parts, axis)


def expand_dims(x: Tensor, /, axis: int | tuple[int, ...]) -> Tensor:
    """Put in dimensions of size 1, as a view.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.expand_dims(xp.ones(3), axis=0).shape
        (1, 3)
    """
    check_kind("expand_dims", "x", x, "any")
    axes = as_axes(axis, x.ndim)
    rank = x.ndim + len(axes)
    if any(not -rank <= one < rank for one in axes):
        raise BoundsError(f"expand_dims: axis {axis} is out of range for {rank} dimensions")
    if len({one % rank for one in axes}) < len(axes):
        raise ArgumentError(f"expand_dims: axis {axis} names a dimension twice")
    for one in sorted(one % rank for one in axes):
        x = x.unsqueeze(one)
    return x


def flip(x: Tensor, /, *, axis: int | tuple[int, ...] | None = None) -> Tensor:
    """Reverse along axes, as a view.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.flip(xp.arange(3))
        tensor([2, 1, 0])
    """
    check_kind("flip", "x", x, "any")
    return _core.flip(x, as_axes(axis, x.ndim))


def moveaxis(
    x: Tensor, source: int | tuple[int, ...], destination: int | tuple[int, ...], /
) -> Tensor:
    """Move dimensions to other places, as a view.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.moveaxis(xp.ones((2, 3, 4)), 0, -1).shape
        (3, 4, 2)
    """
    check_kind("moveaxis", "x", x, "any")
    return _core.moveaxis(x, source, destination)


def permute_dims(x: Tensor, /, axes: tuple[int, ...]) -> Tensor:
    """Put dimensions in another order, as a view.

    Args:
        x: A tensor.
        axes: All axes in their new order.

    Raises:
        ShapeError: Not all are listed.
        ValueError: One is listed twice.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.permute_dims(xp.ones((2, 3, 4)), (2, 0, 1)).shape
        (4, 2, 3)
    """
    check_kind("permute_dims", "x", x, "any")
    return _core.permute_dims(x, tuple(axes))


def repeat(x: Tensor, repeats: int | Tensor, /, *, axis: int | None = None) -> Tensor:
    """Repeat each element, one after the other.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.repeat(xp.asarray([1, 2]), 2)
        tensor([1, 1, 2, 2])
    """
    check_kind("repeat", "x", x, "any")
    if not isinstance(repeats, (int, Tensor)):
        raise TypeError(
            f"repeat: repeats must be an int or an array, got {repeats!r:.80} "
            f"({type(repeats).__name__})"
        )
    return _core.repeat_interleave(x, repeats, axis)


def reshape(x: Tensor, /, shape: tuple[int, ...], *, copy: bool | None = None) -> Tensor:
    """The same elements in another shape; copy=False raises ValueError instead of copying.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.reshape(xp.arange(4), (2, 2))
        tensor([[0, 1],
                [2, 3]])
    """
    check_kind("reshape", "x", x, "any")
    sizes = tuple(shape)
    if copy is False:
        return x.view(sizes)
    result = _core.reshape(x, sizes)
    return result.clone() if copy and result.data_ptr() == x.data_ptr() else result


def roll(
    x: Tensor, /, shift: int | tuple[int, ...], *, axis: int | tuple[int, ...] | None = None
) -> Tensor:
    """Move elements along axes, those that fall off to the other end.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.roll(xp.arange(4), 1)
        tensor([3, 0, 1, 2])
    """
    check_kind("roll", "x", x, "any")
    if isinstance(axis, tuple) and isinstance(shift, int):
        shift = (shift,) * len(axis)
    return _core.roll(x, shift, axis)


def squeeze(x: Tensor, /, axis: int | tuple[int, ...]) -> Tensor:
    """Leave out dimensions of size 1, as a view; ShapeError for another size.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.squeeze(xp.ones((1, 3)), axis=0).shape
        (3,)
    """
    check_kind("squeeze", "x", x, "any")
    axes = as_axes(axis, x.ndim)
    for one in axes:
        if -x.ndim <= one < x.ndim and x.shape[one] != 1:
            raise ShapeError(f"squeeze: axis {one} of {x.shape} has {x.shape[one]} elements, not 1")
    return _core.squeeze(x, axes)


def stack(arrays: Sequence[Tensor], /, *, axis: int = 0) -> Tensor:
    """Join arrays of one shape along a new axis.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.stack([xp.zeros(2), xp.ones(2)])
        tensor([[0., 0.],
                [1., 1.]])
    """
    return _core.stack(check_arrays("stack", arrays), axis)


def tile(x: Tensor, repetitions: tuple[int, ...], /) -> Tensor:
    """Repeat the array along its axes.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.tile(xp.asarray([1, 2]), (2,))
        tensor([1, 2, 1, 2])
    """
    check_kind("tile", "x", x, "any")
    return _core.tile(x, tuple(repetitions))


def unstack(x: Tensor, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    """Take the slices along an axis apart, as views.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.unstack(xp.asarray([[1, 2], [3, 4]]))
        (tensor([1, 2]), tensor([3, 4]))
    """
    check_kind("unstack", "x", x, "any")
    result: Any = _core.unstack(x, axis)
    return tuple(result)
