"""Counts by bins and quantiles, composed of sorting and searching; called as composed.py says."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from gpukit import _core
from gpukit._arguments import bool_of, dim_of, int_from, number_of, tensor_of
from gpukit._core import Tensor
from gpukit._dtypes import by_kind
from gpukit._operators.search import searchsorted
from gpukit.errors import ArgumentError, DimensionError, DTypeError, RangeError, ShapeError

_HAS_NAN = by_kind(bool=False, integer=False, floating=True, complex=True)
_INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


def _floating_of(function: str, name: str, value: Any) -> Tensor:
    x = tensor_of(function, name, value)
    if not x.is_floating_point():
        raise DTypeError(f"{function}: {name} must be floating, it is {x.dtype}. Use .float()")
    return x


def _limits(x: Tensor, low: float, high: float) -> tuple[float, float]:
    """The range of the bins; that of the elements where both limits are equal."""
    if low == high and x.numel():
        low, high = float(x.min().item()), float(x.max().item())
    if low == high:
        low, high = low - 0.5, high + 0.5
    if not (math.isfinite(low) and math.isfinite(high)):
        raise RangeError(f"histogram: the range [{low}, {high}] is not finite. Give range")
    if low > high:
        raise ArgumentError(f"histogram: range must ascend, got {low} and {high}")
    return low, high


class _Histogram(NamedTuple):
    """What histogram gives; it prints as torch's does."""

    hist: Tensor
    bin_edges: Tensor

    def __repr__(self) -> str:
        return f"gpukit.return_types.histogram(\nhist={self.hist},\nbin_edges={self.bin_edges})"


def histogram(
    input: Any, bins: Any, range: Any = None, weight: Any = None, density: Any = False
) -> _Histogram:
    """Bins by binary search in their edges, of which the last is inside."""
    x = _floating_of("histogram", "input", input).detach()
    edges = _edges(x, bins, range)
    count = edges.numel() - 1
    each = _core.ones_like(x) if weight is None else tensor_of("histogram", "weight", weight)
    if each.shape != x.shape:
        raise ShapeError(f"histogram: weight is {each.shape}, input is {x.shape}")
    if each.dtype is not x.dtype:
        raise DTypeError(f"histogram: weight is {each.dtype}, input is {x.dtype}")
    x = x.flatten()
    place = (searchsorted(edges, x, right=True) - 1).clamp(0, count - 1)
    inside = (x >= edges[0]) & (x <= edges[-1])
    sums = _core.where(inside, each.detach().flatten(), 0.0)
    hist = x.new_zeros(count).scatter_add_(0, place, sums)
    if bool_of("histogram", "density", density):
        hist = hist / hist.sum() / _core.diff(edges)
    return _Histogram(hist, edges)


def _edges(x: Tensor, bins: Any, limits: Any) -> Tensor:
    if isinstance(bins, Tensor):
        if limits is not None:
            raise ArgumentError("histogram: range is for a number of bins; bins are given")
        if bins.ndim != 1 or bins.numel() < 2:
            raise ShapeError(f"histogram: bins must be 1-d with 2 edges or more, are {bins.shape}")
        if bins.dtype is not x.dtype:
            raise DTypeError(f"histogram: bins are {bins.dtype}, input is {x.dtype}")
        return bins.detach().clone()
    count = int_from("histogram", "bins", bins, 1)
    low = high = 0.0
    if limits is not None:
        if not isinstance(limits, (tuple, list)) or len(limits) != 2:
            raise ArgumentError(f"histogram: range must be a pair of numbers, got {limits!r}")
        low, high = (number_of("histogram", "range", limit) for limit in limits)
        if low == high:
            low, high = low - 0.5, high + 0.5
    low, high = _limits(x, low, high)
    return _core.linspace(low, high, count + 1, dtype=x.dtype, device=x.device)


def _fractions(q: Any, x: Tensor) -> Tensor:
    if not isinstance(q, Tensor):
        fraction = number_of("nanquantile", "q", q)
        if not 0 <= fraction <= 1:
            raise ArgumentError(f"nanquantile: q must be from 0 to 1, got {fraction}")
        return _core.tensor(fraction, dtype=x.dtype, device=x.device)
    if q.ndim > 1:
        raise ShapeError(f"nanquantile: q must be a number or 1-d, it is {q.shape}")
    if q.dtype is not x.dtype:
        raise DTypeError(f"nanquantile: q is {q.dtype}, input is {x.dtype}")
    if q.is_cpu and q.numel() and not bool(((q >= 0) & (q <= 1)).all().item()):
        raise ArgumentError(f"nanquantile: q must be from 0 to 1, got {q.tolist()}")
    return q.to(x.device)


def nanquantile(
    input: Any, q: Any, dim: Any = None, keepdim: Any = False, interpolation: Any = "linear"
) -> Tensor:
    """Elements at fractions of the sorted order of those that are numbers."""
    x = tensor_of("nanquantile", "input", input)
    if x.dtype not in {_core.float32, _core.float64}:
        raise DTypeError(f"nanquantile: input must be float32 or float64, it is {x.dtype}")
    if interpolation not in _INTERPOLATIONS:
        raise ArgumentError(
            f"nanquantile: interpolation must be one of {', '.join(_INTERPOLATIONS)}, "
            f"got {interpolation!r}"
        )
    keep = bool_of("nanquantile", "keepdim", keepdim)
    fractions, rank = _fractions(q, x), x.ndim
    if dim is None:
        rows = x.flatten()
        kept = [1] * rank if keep else []
    else:
        axis = dim_of("nanquantile", "dim", dim, max(rank, 1))
        rows = _core.movedim(x, axis, -1) if rank else x.flatten()
        kept = list(rows.shape[:-1]) if rank else []
        if keep and rank:
            kept.insert(axis, 1)
    if not rows.shape[-1]:
        raise DimensionError(
            f"nanquantile: input is {x.shape}; there are no elements to choose from"
        )
    found = _at_fractions(rows.sort(dim=-1).values, fractions.reshape(-1), interpolation)
    found = _core.movedim(found, -1, 0)
    return found.reshape([*fractions.shape, *kept])


def _at_fractions(rows: Tensor, fractions: Tensor, interpolation: str) -> Tensor:
    """Sorted rows at each fraction of their numbers; NaN is sorted last."""
    ends = ((~rows.isnan()).sum(-1, keepdim=True) - 1).clamp(min=0)
    ranks = fractions * ends.to(rows.dtype)
    if interpolation in {"lower", "higher", "nearest"}:
        rounded = {"lower": _core.floor, "higher": _core.ceil, "nearest": _core.round}
        return rows.gather(-1, rounded[interpolation](ranks).long())
    below = ranks.floor()
    low = rows.gather(-1, below.long())
    high = rows.gather(-1, ranks.ceil().long())
    weight = _core.full_like(ranks, 0.5) if interpolation == "midpoint" else ranks - below
    step = high - low
    return _core.where(weight < 0.5, low + weight * step, high - step * (1 - weight))
