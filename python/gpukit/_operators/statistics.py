"""Counts, order statistics, covariances and products of sequences; called as composed.py says."""

from __future__ import annotations

import math
from typing import Any

from gpukit import _core
from gpukit._arguments import bool_of, dim_of, int_from, int_of, number_of, tensor_of
from gpukit._core import Tensor
from gpukit._dtypes import INTEGER
from gpukit.errors import ArgumentError, DimensionError, DTypeError, RangeError, ShapeError


def _ordered_of(function: str, input: Any) -> Tensor:
    x = tensor_of(function, "input", input)
    if x.is_complex():
        raise DTypeError(f"{function}: input is {x.dtype.name}; complex numbers have no order")
    return x


# ---- counts and order ----


def histc(input: Any, bins: Any = 100, min: Any = 0, max: Any = 0) -> Tensor:
    """Counts in bins of equal width."""
    x = tensor_of("histc", "input", input)
    if not x.is_floating_point():
        raise DTypeError(f"histc: input must be floating, it is {x.dtype.name}. Use x.float()")
    count = int_from("histc", "bins", bins, 1)
    low, high = number_of("histc", "min", min), number_of("histc", "max", max)
    values = x.detach().flatten()
    if low == high and values.numel():
        low, high = float(values.min().item()), float(values.max().item())
    if low == high:
        low, high = low - 1, high + 1
    if not (math.isfinite(low) and math.isfinite(high)):
        raise RangeError(f"histc: the range [{low}, {high}] is not finite. Give min and max")
    if low > high:
        raise ArgumentError(f"histc: max must be larger than min, got {high} and {low}")
    inside = (values >= low) & (values <= high)
    first, last = (_core.full_like(values[:1], limit) for limit in (low, high))
    place = (values - first) * count / (last - first)
    place = _core.where(inside, place, 0).long().clamp(max=count - 1)
    counts = _core.zeros(count, dtype=_core.int64, device=x.device)
    return counts.scatter_add_(0, place, inside.long()).to(x.dtype)


def kthvalue(input: Any, k: Any, dim: Any = -1, keepdim: Any = False) -> tuple[Tensor, Tensor]:
    """The k-th smallest and its index."""
    x = _ordered_of("kthvalue", input)
    rows = x if x.ndim else x.reshape(1)
    axis, place = dim_of("kthvalue", "dim", dim, rows.ndim), int_of("kthvalue", "k", k)
    if not 1 <= place <= rows.shape[axis]:
        raise ArgumentError(
            f"kthvalue: k must be from 1 to {rows.shape[axis]}, the size of dim {axis}, got {place}"
        )
    index = rows.detach().sort(dim=axis).indices.narrow(axis, place - 1, 1)
    return _of_rows("kthvalue", x, rows.gather(axis, index), index, axis, keepdim)


def _of_rows(
    function: str, x: Tensor, values: Tensor, indices: Tensor, axis: int, keepdim: Any
) -> tuple[Tensor, Tensor]:
    """Both without the dimension, or with it where that is asked for."""
    if bool_of(function, "keepdim", keepdim) and x.ndim:
        return values, indices
    return values.squeeze(axis), indices.squeeze(axis)


def mode(input: Any, dim: Any = -1, keepdim: Any = False) -> tuple[Tensor, Tensor]:
    """The most frequent element and its last index."""
    x = _ordered_of("mode", input)
    rows = x if x.ndim else x.reshape(1)
    axis = dim_of("mode", "dim", dim, rows.ndim)
    count = rows.shape[axis]
    if not count:
        raise DimensionError(
            f"mode: input is {tuple(x.shape)}; there are no elements along dim {axis}"
        )
    ordered, order = rows.detach().movedim(axis, -1).sort(dim=-1, stable=True)
    numbers = _core.arange(count, device=x.device).expand(ordered.shape)
    begins = _core.ones_like(ordered, dtype=_core.bool)
    begins[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    begin = _core.where(begins, numbers, 0).cummax(-1).values
    last = (numbers - begin).argmax(-1, keepdim=True)  # the end of the first of the longest runs
    index = order.gather(-1, last).movedim(-1, axis)
    return _of_rows("mode", x, rows.gather(axis, index), index, axis, keepdim)


def msort(input: Any) -> Tensor:
    """Sorted along the first dimension."""
    x = _ordered_of("msort", input)
    return x.sort(dim=0).values


# ---- covariances ----


def _weights(name: str, value: Any, count: int, integers: bool) -> Tensor | None:
    if value is None:
        return None
    weights = tensor_of("cov", name, value)
    if weights.ndim > 1 or weights.numel() != count:
        raise ShapeError(
            f"cov: {name} is {tuple(weights.shape)}; one weight for each of {count} observations "
            "is needed"
        )
    if integers and weights.dtype not in INTEGER:
        raise DTypeError(f"cov: {name} must be integers, it is {weights.dtype.name}. Use .long()")
    if not integers and not weights.is_floating_point():
        raise DTypeError(f"cov: {name} must be floating, it is {weights.dtype.name}. Use .float()")
    if count and float(weights.min().item()) < 0:
        raise ArgumentError(f"cov: {name} cannot be negative, the smallest is {weights.min()}")
    return weights.reshape(-1)


def cov(input: Any, correction: Any = 1, fweights: Any = None, aweights: Any = None) -> Tensor:
    """Covariances of rows."""
    return _covariances("cov", input, correction, fweights, aweights)


def _covariances(
    function: str, input: Any, correction: Any = 1, fweights: Any = None, aweights: Any = None
) -> Tensor:
    x = tensor_of(function, "input", input)
    if x.ndim > 2:
        raise ShapeError(
            f"{function}: input must have two dimensions or fewer, it is {tuple(x.shape)}"
        )
    if x.dtype is _core.bool:
        raise DTypeError(f"{function}: input is bool; numbers are needed. Use x.float()")
    less = int_of(function, "correction", correction)
    rows = x.reshape(1, -1) if x.ndim < 2 else x
    count = rows.shape[1]
    frequencies = _weights("fweights", fweights, count, True)
    shares = _weights("aweights", aweights, count, False)
    weights = frequencies if shares is None else shares
    if frequencies is not None and shares is not None:
        weights = frequencies * shares
    if weights is None:
        freedom = _core.tensor(max(count - less, 0), device=x.device)
        centred = weighted = rows - rows.sum(1, keepdim=True) / count
    else:
        total = weights.sum()
        if count and not float(total.item()):
            raise ArgumentError("cov: the weights sum to zero, they cannot be normalized")
        centred = rows - (rows * weights).sum(1, keepdim=True) / total
        weighted = centred * weights
        freedom = total - less
        if shares is not None and less:
            freedom = total - less * (weights * shares).sum() / total
        freedom = freedom.clamp(min=0)
    return (centred @ weighted.mT.conj().to(centred.dtype) / freedom).squeeze()


def corrcoef(input: Any) -> Tensor:
    """Correlations of rows."""
    together = _covariances("corrcoef", input)
    if not together.ndim:
        return together / together
    spread = together.diagonal()
    spread = (spread.real if spread.is_complex() else spread).sqrt()
    found = together / spread.unsqueeze(1) / spread
    if found.is_complex():
        return _core.complex(found.real.clamp(-1, 1), found.imag.clamp(-1, 1))
    return found.clamp(-1, 1)


# ---- products ----


def kron(input: Any, other: Any) -> Tensor:
    """A block for each element of the first."""
    x, y = tensor_of("kron", "input", input), tensor_of("kron", "other", other)
    rank = max(x.ndim, y.ndim)
    ours = [1] * (rank - x.ndim) + list(x.shape)
    theirs = [1] * (rank - y.ndim) + list(y.shape)
    outer = x.reshape([part for size in ours for part in (size, 1)])
    inner = y.reshape([part for size in theirs for part in (1, size)])
    return (outer * inner).reshape([n * m for n, m in zip(ours, theirs, strict=True)])


def convolve(a: Any, v: Any, mode: Any = "full") -> Tensor:
    """Sums of products of one sequence and the other one in reverse."""
    x, y = tensor_of("convolve", "a", a), tensor_of("convolve", "v", v)
    for name, each in (("a", x), ("v", y)):
        if each.ndim > 1 or not each.numel():
            raise ShapeError(
                f"convolve: {name} is {tuple(each.shape)}; one dimension with elements is needed"
            )
    if mode not in {"full", "same", "valid"}:
        raise ArgumentError(f"convolve: mode must be 'full', 'same' or 'valid', got {mode!r}")
    dtype = _core.promote_types(x.dtype, y.dtype)
    long, short = (x, y) if x.numel() >= y.numel() else (y, x)
    n, m = long.numel(), short.numel()
    before, count = {"full": (m - 1, n + m - 1), "same": (m // 2, n), "valid": (0, n - m + 1)}[mode]
    inner = _core.int32 if dtype is _core.bool else dtype
    row, factors = long.reshape(1, 1, -1).to(inner), short.reshape(1, 1, -1).to(inner).flip(2)
    if dtype.is_floating_point:
        return _core.convolution(row, factors, None, [1], [before], [1], 1, [count]).reshape(-1)
    left, right = (row.new_zeros(size) for size in (before, count - n + m - 1 - before))
    windows = _core.cat([left, row.reshape(-1), right]).unfold(0, m, 1)
    return (windows @ factors.reshape(-1)).to(dtype)


# ---- steps and angles ----


def heaviside(input: Any, values: Any) -> Tensor:
    """A step whose height at 0 is given."""
    x, at_zero = tensor_of("heaviside", "input", input), tensor_of("heaviside", "values", values)
    if x.dtype is not at_zero.dtype:
        raise DTypeError(
            f"heaviside: input is {x.dtype.name} and values {at_zero.dtype.name}; one dtype is "
            "needed. Use values.to(input.dtype)"
        )
    if x.is_complex():
        raise DTypeError(f"heaviside: input is {x.dtype.name}; complex numbers have no order")
    x = x.detach()
    return _core.where(x == 0, at_zero.detach(), (x > 0).to(x.dtype))


def heaviside_(input: Tensor, values: Any) -> Tensor:
    """The step in place."""
    return input.copy_(heaviside(input, values))


def _scaled(function: str, input: Any, factor: float) -> Tensor:
    x = tensor_of(function, "input", input)
    if x.is_complex():
        raise DTypeError(f"{function}: input is {x.dtype.name}; angles are real")
    return (x if x.is_floating_point() else x.to(_core.get_default_dtype())) * factor


def _scaled_in_place(function: str, input: Tensor, factor: float) -> Tensor:
    if not input.is_floating_point():
        raise DTypeError(f"{function}: the tensor is {input.dtype.name}; angles are floating")
    return input.mul_(factor)


def deg2rad(input: Any) -> Tensor:
    """Radians of degrees."""
    return _scaled("deg2rad", input, math.pi / 180)


def rad2deg(input: Any) -> Tensor:
    """Degrees of radians."""
    return _scaled("rad2deg", input, 180 / math.pi)


def deg2rad_(input: Tensor) -> Tensor:
    """Radians in place."""
    return _scaled_in_place("deg2rad_", input, math.pi / 180)


def rad2deg_(input: Tensor) -> Tensor:
    """Degrees in place."""
    return _scaled_in_place("rad2deg_", input, 180 / math.pi)
