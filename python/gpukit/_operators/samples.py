"""Calculus on samples: lines between points, areas, slopes; called as composed.py says."""

from __future__ import annotations

import math
from typing import Any

from gpukit import _core
from gpukit._arguments import (
    dim_of,
    int_from,
    int_of,
    ints_of,
    number_of,
    number_or_none,
    tensor_of,
)
from gpukit._core import Tensor
from gpukit._operators.search import searchsorted
from gpukit.errors import ArgumentError, DTypeError, ShapeError


def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None) -> Tensor:
    """Lines between the two neighbours, found by binary search."""
    at, known, values = (
        tensor_of("interp", name, each) for name, each in (("x", x), ("xp", xp), ("fp", fp))
    )
    if known.ndim != 1 or known.shape != values.shape or not known.numel():
        raise ShapeError(
            f"interp: xp and fp must be 1-d, of one size above 0; they are {known.shape} and "
            f"{values.shape}"
        )
    dtype = _core.result_type(at, values)
    for name, each in (("x", at), ("xp", known), ("fp", values)):
        if each.is_complex():
            raise DTypeError(f"interp: {name} must be real, it is {each.dtype}")
    dtype = dtype if dtype.is_floating_point else _core.get_default_dtype()
    at, known, values = at.to(dtype), known.to(dtype), values.to(dtype)
    last = known.numel() - 1
    place = (searchsorted(known.detach(), at.detach(), right=True) - 1).clamp(0, max(last - 1, 0))
    after = (place + 1).clamp(max=last)
    low, start = _core.take(values, place), _core.take(known, place)
    width = _core.take(known, after) - start
    slope = (_core.take(values, after) - low) / _core.where(width == 0, 1.0, width)
    inner = low + slope * (at - start)
    first = values[0] if left is None else number_of("interp", "left", left)
    end = values[-1] if right is None else number_of("interp", "right", right)
    inner = _core.where(at == known[-1], values[-1], inner)
    return _core.where(at < known[0], first, _core.where(at > known[-1], end, inner))


def _inexact(x: Tensor) -> Tensor:
    """Integers and bools in the default dtype."""
    kept = x.is_floating_point() or x.is_complex()
    return x if kept else x.to(_core.get_default_dtype())


def _steps(function: str, y: Tensor, x: Any, dx: Any, axis: int) -> Any:
    """The widths between neighbours: a number, or a tensor that broadcasts."""
    if x is None:
        return 1.0 if dx is None else number_of(function, "dx", dx)
    if dx is not None:
        raise ArgumentError(f"{function}: give x or dx, not both")
    points = tensor_of(function, "x", x)
    size = y.shape[axis]
    if points.ndim == 1:
        if points.shape[0] != size:
            raise ShapeError(f"{function}: x has {points.shape[0]} points, y {size} along dim")
        return _core.diff(points).reshape([-1] + [1] * (y.ndim - 1 - axis))
    along = axis - y.ndim
    if points.ndim < -along or points.shape[along] != size:
        raise ShapeError(f"{function}: x is {points.shape}, y {y.shape}; they differ along dim")
    return _core.diff(points, dim=along)


def _areas(function: str, y: Any, x: Any, dx: Any, dim: Any) -> tuple[Tensor, int]:
    """The area of each strip, and the dimension from the end."""
    heights = tensor_of(function, "y", y)
    axis = dim_of(function, "dim", dim, heights.ndim)
    heights = _inexact(heights)
    count = max(heights.shape[axis] - 1, 0)
    later = heights.narrow(axis, min(1, heights.shape[axis]), count)
    pairs = heights.narrow(axis, 0, count) + later
    return pairs * _steps(function, heights, x, dx, axis) / 2, axis - heights.ndim


def trapezoid(y: Any, x: Any = None, dx: Any = None, dim: Any = -1) -> Tensor:
    """The sum of the strips."""
    strips, along = _areas("trapezoid", y, x, dx, dim)
    return strips.sum(along)


trapz = trapezoid


def cumulative_trapezoid(y: Any, x: Any = None, dx: Any = None, dim: Any = -1) -> Tensor:
    """Sums of the strips so far."""
    strips, along = _areas("cumulative_trapezoid", y, x, dx, dim)
    return strips.cumsum(along)


def gradient(
    input: Any, spacing: Any = 1, dim: Any = None, edge_order: Any = 1
) -> tuple[Tensor, ...]:
    """Central differences, and one-sided ones at both ends."""
    x, order = tensor_of("gradient", "input", input), int_of("gradient", "edge_order", edge_order)
    if order not in {1, 2}:
        raise ArgumentError(f"gradient: edge_order must be 1 or 2, got {order}")
    axes = range(x.ndim) if dim is None else ints_of("gradient", "dim", dim)
    axes = [dim_of("gradient", "dim", axis, x.ndim) for axis in axes]
    if len(set(axes)) < len(axes):
        raise ArgumentError(f"gradient: dim {dim!r} names a dimension twice")
    x = _inexact(x)
    widths = _spacings(spacing, axes, x)
    for axis in axes:
        if x.shape[axis] < order + 1:
            raise ShapeError(
                f"gradient: input is {x.shape}; edge_order {order} needs {order + 1} elements "
                f"along dim {axis}"
            )
    return tuple(_slopes(x, width, axis, order) for width, axis in zip(widths, axes, strict=True))


def _spacings(spacing: Any, axes: list[int], x: Tensor) -> list[Any]:
    """The points of each dimension, as a number between neighbours or a tensor."""
    number = 1 if spacing is None else number_or_none(spacing)
    if number is not None:
        return [number] * len(axes)
    if not isinstance(spacing, (list, tuple)):
        raise TypeError(f"gradient: spacing must be a number or a list, got {spacing!r:.80}")
    if len(spacing) != len(axes):
        raise ArgumentError(
            f"gradient: spacing must be a number, or a list with one for each of {len(axes)} "
            f"dimensions, got {spacing!r:.80}"
        )
    result: list[Any] = []
    for axis, each in zip(axes, spacing, strict=True):
        if not isinstance(each, Tensor):
            result.append(number_of("gradient", "spacing", each))
        elif each.shape != (x.shape[axis],):
            raise ShapeError(
                f"gradient: spacing of dim {axis} is {each.shape}, input is {x.shape}; the sizes "
                "differ"
            )
        else:
            result.append(each.to(x.dtype))
    return result


def _slopes(x: Tensor, width: Any, axis: int, order: int) -> Tensor:
    x = _core.movedim(x, axis, -1)
    size = x.shape[-1]
    steps = _core.diff(width) if isinstance(width, Tensor) else None
    first = _core.diff(x) / (width if steps is None else steps)  # slopes between neighbours
    before, after = first[..., :-1], first[..., 1:]
    if steps is None:
        middle = (x[..., 2:] - x[..., :-2]) / (2 * width)
        start, end = first[..., :1], first[..., -1:]
        if order == 2:
            start, end = 1.5 * start - 0.5 * first[..., 1:2], 1.5 * end - 0.5 * first[..., -2:-1]
    else:
        left, right = steps[:-1], steps[1:]
        middle = (right * before + left * after) / (left + right)
        start, end = first[..., :1], first[..., -1:]
        if order == 2:
            start = start + (start - first[..., 1:2]) * steps[0] / (steps[0] + steps[1])
            end = end + (end - first[..., -2:-1]) * steps[-1] / (steps[-1] + steps[-2])
    parts = [start, middle, end] if size > 2 else [start, end]
    return _core.movedim(_core.cat(parts, -1), -1, axis)


def mvlgamma(input: Any, p: Any) -> Tensor:
    """The multivariate gamma function's logarithm, as a sum of others."""
    x, count = tensor_of("mvlgamma", "input", input), int_from("mvlgamma", "p", p, 1)
    steps = _core.arange(count, dtype=_core.float64, device=x.device) * -0.5
    x = _inexact(x)
    total = (x.unsqueeze(-1) + steps.to(x.dtype)).lgamma().sum(-1)
    return total + count * (count - 1) / 4 * math.log(math.pi)
