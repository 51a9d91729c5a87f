"""NumPy's reductions over tensors, with NumPy's dtypes: `axis`, `keepdims`, `dtype`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import gpukit
from gpukit import _core
from gpukit.interop._ufuncs import to_gpukit, to_numpy_dtype

Tensor = _core.Tensor


def axes_of(axis: Any, ndim: int) -> tuple[int, ...]:
    """The axes as a tuple of places from 0 on; None means all of them."""
    if axis is None:
        return tuple(range(ndim))
    found = tuple(axis) if isinstance(axis, (tuple, list)) else (axis,)
    for each in found:
        if not -ndim <= int(each) < ndim:
            raise np.exceptions.AxisError(int(each), ndim)
    return tuple(int(each) % ndim for each in found)


def _check_not_empty(a: Tensor, axes: tuple[int, ...], name: str) -> None:
    if a.numel() == 0 and (not axes or any(a.shape[each] == 0 for each in axes)):
        # dask looks for NumPy's words.
        raise ValueError(f"zero-size array to reduction operation {name} which has no identity")


def _total_dtype(ufunc: np.ufunc, a: Tensor, dtype: Any) -> np.dtype[Any]:
    """What NumPy adds up or multiplies elements of the dtype in."""
    if dtype is None:
        dtype = ufunc.reduce(np.empty(0, to_numpy_dtype(a.dtype))).dtype
    found: np.dtype[Any] = np.dtype(dtype)
    return found


def _total(ufunc: np.ufunc, function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def reduced(a: Tensor, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Tensor:
        wanted = to_gpukit(_total_dtype(ufunc, a, dtype))
        axes = axes_of(axis, a.ndim)
        if a.ndim == 0 or not axes:
            return a.to(wanted)
        return function(a.to(wanted), dim=axes, keepdim=bool(keepdims)).to(wanted)

    return reduced


def _extreme(name: str, function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def reduced(a: Tensor, axis: Any = None, keepdims: Any = False) -> Tensor:
        axes = axes_of(axis, a.ndim)
        _check_not_empty(a, axes, name)
        return function(a, dim=axes, keepdim=bool(keepdims)) if axes else a.clone()

    return reduced


def _truth(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def reduced(a: Tensor, axis: Any = None, keepdims: Any = False) -> Tensor:
        result = a != 0 if a.dtype is not gpukit.bool else a
        for each in sorted(axes_of(axis, a.ndim), reverse=True):
            result = function(result, dim=each, keepdim=bool(keepdims))
        return result

    return reduced


def _index(name: str, function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def reduced(a: Tensor, axis: Any = None, keepdims: Any = False) -> Tensor:
        _check_not_empty(a, axes_of(axis, a.ndim), name)
        if axis is not None:
            return function(a, dim=axes_of(axis, a.ndim)[0], keepdim=bool(keepdims))
        found = function(a.flatten())
        return found.reshape((1,) * a.ndim) if keepdims else found

    return reduced


sum_ = _total(np.add, gpukit.sum)
prod = _total(np.multiply, gpukit.prod)
max_ = _extreme("maximum", gpukit.amax)
min_ = _extreme("minimum", gpukit.amin)
any_ = _truth(gpukit.any)
all_ = _truth(gpukit.all)
argmax = _index("argmax", gpukit.argmax)
argmin = _index("argmin", gpukit.argmin)


def _floating(a: Tensor, dtype: Any = None) -> Tensor:
    """Means of whole numbers are float64."""
    if dtype is not None:
        return a.to(to_gpukit(dtype))
    return a if a.is_floating_point() else a.double()


def mean(a: Tensor, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Tensor:
    """The mean, in float64 for whole numbers."""
    values, axes = _floating(a, dtype), axes_of(axis, a.ndim)
    return gpukit.mean(values, dim=axes, keepdim=bool(keepdims)) if axes else values.clone()


def var(
    a: Tensor, axis: Any = None, dtype: Any = None, ddof: float = 0, keepdims: Any = False
) -> Tensor:
    """The mean squared distance from the mean, over n - ddof."""
    values, axes = _floating(a, dtype), axes_of(axis, a.ndim)
    distance = values - mean(values, axes, keepdims=True)
    count = math.prod(a.shape[each] for each in axes)
    total = sum_(distance * distance, axes, keepdims=keepdims)
    return total / float(count - ddof) if count != ddof else total * gpukit.nan


def std(
    a: Tensor, axis: Any = None, dtype: Any = None, ddof: float = 0, keepdims: Any = False
) -> Tensor:
    """The square root of var."""
    return var(a, axis, dtype, ddof, keepdims).sqrt()


def _without_nan(
    function: Callable[..., Tensor], instead: Callable[[Tensor], float]
) -> Callable[..., Tensor]:
    def reduced(a: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        if a.is_floating_point():
            a = gpukit.where(gpukit.isnan(a), instead(a), a)
        return function(a, *args, **kwargs)

    return reduced


nansum = _without_nan(sum_, lambda _: 0.0)
nanprod = _without_nan(prod, lambda _: 1.0)


def _nan_extreme(function: Callable[..., Tensor], limit: float) -> Callable[..., Tensor]:
    filled = _without_nan(function, lambda _: limit)

    def reduced(a: Tensor, axis: Any = None, keepdims: Any = False) -> Tensor:
        result = filled(a, axis, keepdims=keepdims)
        if not a.is_floating_point():
            return result
        return gpukit.where(all_(gpukit.isnan(a), axis, keepdims), gpukit.nan, result)

    return reduced


nanmax = _nan_extreme(max_, -gpukit.inf)
nanmin = _nan_extreme(min_, gpukit.inf)


def _nan_index(function: Callable[..., Tensor], limit: float) -> Callable[..., Tensor]:
    filled = _without_nan(function, lambda _: limit)

    def reduced(a: Tensor, axis: Any = None, keepdims: Any = False) -> Tensor:
        if a.is_floating_point() and bool(all_(gpukit.isnan(a), axis).any()):
            raise ValueError("All-NaN slice encountered")
        return filled(a, axis, keepdims=keepdims)

    return reduced


nanargmax = _nan_index(argmax, -gpukit.inf)
nanargmin = _nan_index(argmin, gpukit.inf)


def _numbers(a: Tensor, axis: Any, keepdims: Any) -> Tensor:
    return sum_(~gpukit.isnan(a), axis, keepdims=keepdims)


def nanmean(a: Tensor, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Tensor:
    """The mean, ignoring NaN."""
    if not a.is_floating_point():
        return mean(a, axis, dtype, keepdims)
    total = nansum(_floating(a, dtype), axis, keepdims=keepdims)
    return total / _numbers(a, axis, keepdims)


def nanvar(
    a: Tensor, axis: Any = None, dtype: Any = None, ddof: float = 0, keepdims: Any = False
) -> Tensor:
    """The variance, ignoring NaN."""
    if not a.is_floating_point():
        return var(a, axis, dtype, ddof, keepdims)
    values = _floating(a, dtype)
    distance = values - nanmean(values, axis, keepdims=True)
    total = nansum(distance * distance, axis, keepdims=keepdims)
    return total / (_numbers(a, axis, keepdims) - ddof)


def nanstd(
    a: Tensor, axis: Any = None, dtype: Any = None, ddof: float = 0, keepdims: Any = False
) -> Tensor:
    """The standard deviation, ignoring NaN."""
    return nanvar(a, axis, dtype, ddof, keepdims).sqrt()


def _running(function: Callable[..., Tensor], ufunc: np.ufunc) -> Callable[..., Tensor]:
    def reduced(a: Tensor, axis: Any = None, dtype: Any = None) -> Tensor:
        values = a.to(to_gpukit(_total_dtype(ufunc, a, dtype)))
        return function(values.flatten(), 0) if axis is None else function(values, int(axis))

    return reduced


cumsum = _running(gpukit.cumsum, np.add)
cumprod = _running(gpukit.cumprod, np.multiply)
nancumsum = _without_nan(cumsum, lambda _: 0.0)
nancumprod = _without_nan(cumprod, lambda _: 1.0)


def count_nonzero(a: Tensor, axis: Any = None, keepdims: Any = False) -> Tensor:
    """How many elements are not 0."""
    return sum_(a != 0, axis, keepdims=keepdims)


def median(a: Tensor, axis: Any = None, keepdims: Any = False) -> Tensor:
    """The middle value; of an even number of values the mean of the two middle ones."""
    return percentile(a, 50.0, axis, keepdims=keepdims)


def percentile(
    a: Tensor, q: Any, axis: Any = None, *, method: str = "linear", keepdims: Any = False
) -> Tensor:
    """Percentiles, by NumPy's methods linear, lower, higher, nearest and midpoint."""
    axes = axes_of(axis, a.ndim)
    rest = [each for each in range(a.ndim) if each not in axes]
    rows = _floating(a).permute(*rest, *axes).reshape(*[a.shape[each] for each in rest], -1)
    ordered = rows.sort(dim=-1).values
    places = np.atleast_1d(np.asarray(q, np.float64)) / 100 * (ordered.shape[-1] - 1)
    found = gpukit.stack([_between(ordered, float(place), method) for place in places])
    if bool(gpukit.isnan(rows).any()):
        found = gpukit.where(gpukit.isnan(rows).any(dim=-1), gpukit.nan, found)
    if keepdims:
        kept = [1 if each in axes else size for each, size in enumerate(a.shape)]
        found = found.reshape(-1, *kept)
    return found[0] if np.ndim(q) == 0 else found


def _between(ordered: Tensor, place: float, method: str) -> Tensor:
    low, high = math.floor(place), math.ceil(place)
    below, above = ordered[..., low], ordered[..., high]
    weights = {"linear": place - low, "lower": 0.0, "higher": 1.0, "midpoint": (high - low) / 2}
    weights["nearest"] = float(round(place) - low)
    if method not in weights:
        raise ValueError(f"percentile: method is {method!r}; known: {', '.join(sorted(weights))}")
    return below + (above - below) * weights[method]
