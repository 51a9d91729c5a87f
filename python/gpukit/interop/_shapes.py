"""NumPy's functions of shapes, choices and order over tensors."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import gpukit
from gpukit import _core
from gpukit.interop._reductions import axes_of
from gpukit.interop._ufuncs import to_gpukit, to_numpy_dtype

Tensor = _core.Tensor


def common(tensors: Sequence[Any]) -> list[Tensor]:
    """The tensors in NumPy's common dtype."""
    dtype = to_gpukit(np.result_type(*[to_numpy_dtype(each.dtype) for each in tensors]))
    return [each.to(dtype) for each in tensors]


def reshape(a: Tensor, shape: Any, order: str = "C") -> Tensor:
    """The same elements in another shape, in C's order."""
    if order not in {"C", "A"}:
        raise TypeError(f"reshape: order is {order!r}; tensors are read in order 'C'")
    sizes = (shape,) if isinstance(shape, (int, np.integer)) else shape
    return a.reshape(tuple(int(size) for size in sizes))


def ravel(a: Tensor, order: str = "C") -> Tensor:
    """One dimension."""
    return reshape(a, (-1,), order) if a.numel() else a.reshape((0,))


def transpose(a: Tensor, axes: Any = None) -> Tensor:
    """The axes in another order; None reverses them."""
    order = tuple(range(a.ndim))[::-1] if axes is None else tuple(axes)
    return a.permute(tuple(int(each) for each in order))


def squeeze(a: Tensor, axis: Any = None) -> Tensor:
    """Without axes of size 1."""
    axes = axes_of(axis, a.ndim)
    if axis is not None and any(a.shape[each] != 1 for each in axes):
        raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
    return a.reshape(tuple(n for i, n in enumerate(a.shape) if i not in axes or n != 1))


def expand_dims(a: Tensor, axis: Any) -> Tensor:
    """With further axes of size 1."""
    count = a.ndim + (len(axis) if isinstance(axis, (tuple, list)) else 1)
    for each in sorted(axes_of(axis, count)):
        a = a.unsqueeze(each)
    return a


def broadcast_to(array: Tensor, shape: Any) -> Tensor:
    """A read-only view of a larger shape, in NumPy; here a view."""
    sizes = (shape,) if isinstance(shape, (int, np.integer)) else shape
    return gpukit.broadcast_to(array, tuple(int(size) for size in sizes))


def concatenate(arrays: Sequence[Tensor], axis: Any = 0) -> Tensor:
    """Arrays one after the other along an axis; None flattens them."""
    if axis is None:
        return gpukit.cat([ravel(each) for each in common(arrays)])
    return gpukit.cat(common(arrays), int(axis))


def stack(arrays: Sequence[Tensor], axis: int = 0) -> Tensor:
    """Arrays of one shape along a new axis."""
    return gpukit.stack(common(list(arrays)), int(axis))


def moveaxis(a: Tensor, source: Any, destination: Any) -> Tensor:
    """Axes at other places."""
    return gpukit.movedim(a, axes_of(source, a.ndim), axes_of(destination, a.ndim))


def rollaxis(a: Tensor, axis: int, start: int = 0) -> Tensor:
    """The axis before `start`."""
    order = list(range(a.ndim))
    moved = order.pop(axis % a.ndim)
    place = start + a.ndim if start < 0 else start
    order.insert(place - (place > axis % a.ndim), moved)
    return a.permute(tuple(order))


def swapaxes(a: Tensor, axis1: int, axis2: int) -> Tensor:
    """Two axes exchanged."""
    return gpukit.swapaxes(a, int(axis1), int(axis2))


def flip(m: Tensor, axis: Any = None) -> Tensor:
    """Backwards along axes."""
    return gpukit.flip(m, axes_of(axis, m.ndim))


def roll(a: Tensor, shift: Any, axis: Any = None) -> Tensor:
    """Around the end."""
    if axis is None:
        return gpukit.roll(ravel(a), int(shift), 0).reshape(a.shape)
    shifts = tuple(shift) if isinstance(shift, (tuple, list)) else (shift,)
    axes = axes_of(axis, a.ndim)
    shifts = shifts * len(axes) if len(shifts) == 1 else shifts
    return gpukit.roll(a, tuple(int(each) for each in shifts), axes)


def tile(a: Tensor, reps: Any) -> Tensor:
    """Repeated as a whole."""
    return gpukit.tile(a, tuple(np.atleast_1d(np.asarray(reps)).tolist()))


def repeat(a: Tensor, repeats: Any, axis: Any = None) -> Tensor:
    """Each element several times."""
    if axis is None:
        a, axis = ravel(a), 0
    if not isinstance(repeats, (int, np.integer)):
        repeats = gpukit.tensor(np.asarray(repeats).tolist())
    return gpukit.repeat_interleave(a, repeats, dim=int(axis))


def where(condition: Tensor, x: Any = None, y: Any = None) -> Any:
    """X where the condition holds, else y; without them, where it holds."""
    if x is None and y is None:
        return nonzero(condition)
    dtype = np.result_type(*[_weak(x), _weak(y)])
    chosen = [_as(value, dtype, condition.device) for value in (x, y)]
    mask = condition if condition.dtype is gpukit.bool else condition != 0
    return gpukit.where(mask, *chosen)


def _weak(value: Any) -> Any:
    return to_numpy_dtype(value.dtype) if isinstance(value, Tensor) else value


def _as(value: Any, dtype: np.dtype[Any], device: _core.device) -> Tensor:
    if isinstance(value, Tensor):
        return value.to(to_gpukit(dtype))
    return gpukit.full((), value, dtype=to_gpukit(dtype), device=device)


def clip(a: Tensor, a_min: Any = None, a_max: Any = None) -> Tensor:
    """Not below a_min, not above a_max."""
    if a_min is not None:
        a = gpukit.maximum(*_pair(a, a_min))
    return a if a_max is None else gpukit.minimum(*_pair(a, a_max))


def _pair(a: Tensor, bound: Any) -> tuple[Tensor, Tensor]:
    dtype = np.result_type(to_numpy_dtype(a.dtype), _weak(bound))
    return a.to(to_gpukit(dtype)), _as(bound, dtype, a.device)


def round_(a: Tensor, decimals: int = 0) -> Tensor:
    """Round to this many decimals; ties to even."""
    return a.clone() if not a.is_floating_point() else gpukit.round(a, decimals=int(decimals))


def take(a: Tensor, indices: Any, axis: Any = None) -> Tensor:
    """Elements, or rows along an axis, by their indices."""
    if not isinstance(indices, Tensor):
        indices = gpukit.tensor(np.asarray(indices).tolist(), dtype=gpukit.int64)
    if axis is None:
        a, axis = ravel(a), 0
    axis = axes_of(axis, a.ndim)[0]
    chosen = gpukit.index_select(a, axis, indices.reshape(-1).to(a.device))
    return chosen.reshape((*a.shape[:axis], *indices.shape, *a.shape[axis + 1 :]))


def take_along_axis(arr: Tensor, indices: Tensor, axis: Any = -1) -> Tensor:
    """Elements by an index for each."""
    if axis is None:
        return gpukit.take_along_dim(ravel(arr), indices, 0)
    return gpukit.take_along_dim(arr, indices, int(axis))


def diff(a: Tensor, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Tensor:
    """Differences of neighbours."""
    if prepend is not None or append is not None:
        raise TypeError("diff: prepend and append are not supported. Concatenate them first")
    return gpukit.diff(a, n=int(n), dim=int(axis))


def sort(a: Tensor, axis: Any = -1) -> Tensor:
    """In rising order."""
    values = ravel(a) if axis is None else a
    return values.sort(dim=-1 if axis is None else int(axis)).values


def argsort(a: Tensor, axis: Any = -1, kind: Any = None, stable: Any = None) -> Tensor:
    """The indices that sort; equal elements keep their order."""
    values = ravel(a) if axis is None else a
    return values.argsort(dim=-1 if axis is None else int(axis), stable=True)


def partition(a: Tensor, kth: Any, axis: Any = -1) -> Tensor:
    """Sorted, which is one of the orders that NumPy may return."""
    return sort(a, axis)


def argpartition(a: Tensor, kth: Any, axis: Any = -1) -> Tensor:
    """The indices that sort."""
    return argsort(a, axis)


def nonzero(a: Tensor) -> tuple[Tensor, ...]:
    """Indices of what is not 0, an array for each axis."""
    places = gpukit.nonzero(a)
    return tuple(places[:, each] for each in range(a.ndim))


def compress(condition: Any, a: Tensor, axis: Any = None) -> Tensor:
    """Rows along an axis where the condition holds."""
    chosen = np.asarray(condition.tolist() if isinstance(condition, Tensor) else condition)
    return take(a, np.flatnonzero(chosen), axis)


def like(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """zeros_like and similar functions: dtype and shape may differ; order and subok are ignored."""

    def made(
        a: Tensor, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None
    ) -> Tensor:
        return function(_sizes(a, shape), dtype=_number_dtype(a, dtype), device=a.device)

    return made


def full_like(  # noqa: PLR0917 (NumPy's order)
    a: Tensor,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
) -> Tensor:
    """One value everywhere."""
    wanted = _number_dtype(a, dtype)
    value = to_numpy_dtype(wanted).type(fill_value).item()
    return gpukit.full(_sizes(a, shape), value, dtype=wanted, device=a.device)


def _number_dtype(a: Tensor, dtype: Any) -> _core.dtype:
    if dtype is None:
        return a.dtype
    if np.dtype(dtype).fields is not None:
        raise TypeError("tensors have no records: dtype must be a number's")
    return to_gpukit(dtype)


def _sizes(a: Tensor, shape: Any) -> tuple[int, ...]:
    if shape is None:
        return tuple(a.shape)
    return tuple(int(each) for each in np.atleast_1d(np.asarray(shape, np.int64)).tolist())


def diagonal(a: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """The diagonal of two axes, as the last axis."""
    first, second = axes_of((axis1, axis2), a.ndim)
    rest = [each for each in range(a.ndim) if each not in {first, second}]
    rows, columns = a.shape[first], a.shape[second]
    count = max(0, min(rows + min(offset, 0), columns - max(offset, 0)))
    places = gpukit.arange(count, device=a.device)
    moved = a.permute((first, second, *rest))
    found = moved[places - min(offset, 0), places + max(offset, 0)]
    return found.permute((*range(1, found.ndim), 0))


def bincount(x: Tensor, weights: Any = None, minlength: int = 0) -> Tensor:
    """How often each whole number occurs."""
    counts = gpukit.bincount(x, weights, int(minlength))
    return counts if weights is None else counts.double()


def unravel_index(indices: Any, shape: Any) -> tuple[int, ...]:
    """The place of a flat index; one index only."""
    place, found = int(indices), []
    for size in reversed(tuple(shape)):
        place, rest = divmod(place, int(size))
        found.append(rest)
    return tuple(reversed(found))


def size_of(a: Tensor, axis: Any = None) -> int:
    """How many elements."""
    return math.prod(a.shape[each] for each in axes_of(axis, a.ndim))


def searchsorted(a: Tensor, v: Any, side: str = "left") -> Tensor:
    """Where v would keep a sorted."""
    first, second = _pair(a, v)
    return gpukit.searchsorted(first, second, right=side == "right")


def interp(x: Any, xp: Tensor, fp: Tensor) -> Tensor:
    """Values between the points (xp, fp), of which xp rises."""
    xp, fp = xp.double(), fp.double()
    wanted = x.double() if isinstance(x, Tensor) else gpukit.tensor(x, dtype=gpukit.float64)
    wanted = gpukit.minimum(gpukit.maximum(wanted.to(xp.device), xp[0]), xp[-1])
    above = gpukit.searchsorted(xp, wanted).clamp(min(1, len(xp) - 1), len(xp) - 1)
    below = (above - 1).clamp(0)
    width = xp[above] - xp[below]
    part = gpukit.where(width > 0, (wanted - xp[below]) / width, 1.0)
    return fp[below] + (fp[above] - fp[below]) * part


def digitize(x: Tensor, bins: Any, right: bool = False) -> Tensor:
    """In which of the rising bins each element falls."""
    edges = bins if isinstance(bins, Tensor) else gpukit.tensor(np.asarray(bins).tolist())
    edges, values = common([edges.to(x.device), x])
    return gpukit.searchsorted(edges, values, right=not right)


def unique(ar: Tensor, return_inverse: bool = False, return_counts: bool = False) -> Any:
    """The different elements in rising order."""
    return gpukit.unique(ar, return_inverse=return_inverse, return_counts=return_counts)


def isin(element: Tensor, test_elements: Any, invert: bool = False) -> Tensor:
    """Which elements occur in the other array."""
    if not isinstance(test_elements, Tensor):
        test_elements = gpukit.tensor(np.asarray(test_elements).tolist()).to(element.device)
    found = gpukit.isin(element, test_elements)
    return ~found if invert else found


def nan_to_num(x: Tensor, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Tensor:
    """Numbers instead of NaN and infinities."""
    return gpukit.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)
