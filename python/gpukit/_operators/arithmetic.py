"""Arithmetic, statistics and distances; called as composed.py says."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from gpukit import _core
from gpukit._arguments import bool_of, dim_of, number_of, tensor_of
from gpukit._core import Tensor
from gpukit._dtypes import COMPLEX, by_kind
from gpukit.errors import ArgumentError, DimensionError, DTypeError, ShapeError

_HAS_NAN = by_kind(bool=False, integer=False, floating=True, complex=True)

# ---- element by element ----


def clamp(input: Any, min: Any = None, max: Any = None) -> Tensor:
    """Limited by tensors; the upper bound wins, NaN of any of them stays."""
    x = tensor_of("clamp", "input", input)
    for bound, above in ((min, True), (max, False)):
        if bound is None:
            continue
        if not isinstance(bound, Tensor):
            x = _core.clamp(x, min=bound) if above else _core.clamp(x, max=bound)
            continue
        keeps = x >= bound if above else x <= bound
        if _HAS_NAN[x.dtype]:
            keeps = keeps | _core.isnan(x)
        x = _core.where(keeps, x, bound)
    return x


def clamp_min(input: Any, min: Any) -> Tensor:
    """One bound."""
    return _core.clamp(tensor_of("clamp_min", "input", input), min=min)


def clamp_max(input: Any, max: Any) -> Tensor:
    """One bound."""
    return _core.clamp(tensor_of("clamp_max", "input", input), max=max)


def clamp_min_(input: Tensor, min: Any) -> Tensor:
    """One bound, in place."""
    return input.clamp_(min=min)


def clamp_max_(input: Tensor, max: Any) -> Tensor:
    """One bound, in place."""
    return input.clamp_(max=max)


def fmax(input: Any, other: Any) -> Tensor:
    """The larger; of equal elements the first, as its gradient is."""
    x, y = tensor_of("fmax", "input", input), tensor_of("fmax", "other", other)
    return _core.where((x >= y) | _core.isnan(y), x, y)


def fmin(input: Any, other: Any) -> Tensor:
    """The smaller; of equal elements the first."""
    x, y = tensor_of("fmin", "input", input), tensor_of("fmin", "other", other)
    return _core.where((x <= y) | _core.isnan(y), x, y)


def fmod(input: Any, other: Any) -> Tensor:
    """Remainders with the sign of the first."""
    x = tensor_of("fmod", "input", input)
    divisor = other.abs() if isinstance(other, Tensor) else abs(number_of("fmod", "other", other))
    rest = _core.remainder(x.abs(), divisor)
    if rest.is_floating_point():
        return _core.copysign(rest, x)
    return _core.where(x < 0, -rest, rest) if _HAS_SIGN[x.dtype] else rest


_HAS_SIGN = {dtype: not dtype.name.startswith(("uint", "bool")) for dtype in _HAS_NAN}


def frac(input: Any) -> Tensor:
    """What is behind the point."""
    x = tensor_of("frac", "input", input)
    if not x.is_floating_point():
        raise DTypeError(f"frac: input must be floating, it is {x.dtype.name}. Use x.float()")
    return x - x.trunc()


def lerp(input: Any, end: Any, weight: Any) -> Tensor:
    """From one to the other; from the nearer of the two, as in torch."""
    x, y = tensor_of("lerp", "input", input), tensor_of("lerp", "end", end)
    if x.dtype is not y.dtype:
        raise DTypeError(f"lerp: input is {x.dtype.name}, end {y.dtype.name}; they must be one")
    way = y - x
    if isinstance(weight, Tensor):
        near = weight.abs() < 0.5
        return _core.where(near, x + weight * way, y - way * (1 - weight))
    share = number_of("lerp", "weight", weight)
    return x + share * way if abs(share) < 0.5 else y - way * (1 - share)


def lerp_(input: Tensor, end: Any, weight: Any) -> Tensor:
    """From one to the other, in place."""
    return input.copy_(lerp(input, end, weight))


def addcmul(input: Any, tensor1: Any, tensor2: Any, value: Any = 1) -> Tensor:
    """A product added."""
    return tensor_of("addcmul", "input", input).add(
        tensor_of("addcmul", "tensor1", tensor1) * tensor_of("addcmul", "tensor2", tensor2),
        alpha=number_of("addcmul", "value", value),
    )


def addcmul_(input: Tensor, tensor1: Any, tensor2: Any, value: Any = 1) -> Tensor:
    """A product added in place."""
    return input.add_(
        tensor_of("addcmul_", "tensor1", tensor1) * tensor_of("addcmul_", "tensor2", tensor2),
        alpha=number_of("addcmul_", "value", value),
    )


def addcdiv(input: Any, tensor1: Any, tensor2: Any, value: Any = 1) -> Tensor:
    """A quotient added."""
    return tensor_of("addcdiv", "input", input).add(
        _quotient("addcdiv", tensor1, tensor2), alpha=number_of("addcdiv", "value", value)
    )


def addcdiv_(input: Tensor, tensor1: Any, tensor2: Any, value: Any = 1) -> Tensor:
    """A quotient added in place."""
    return input.add_(
        _quotient("addcdiv_", tensor1, tensor2), alpha=number_of("addcdiv_", "value", value)
    )


def _quotient(function: str, tensor1: Any, tensor2: Any) -> Tensor:
    x, y = tensor_of(function, "tensor1", tensor1), tensor_of(function, "tensor2", tensor2)
    if not (x.is_floating_point() or y.is_floating_point()):
        raise DTypeError(
            f"{function}: tensor1 and tensor2 are {x.dtype.name} and {y.dtype.name}; whole numbers "
            "are not divided here. Use x.float() of one of them"
        )
    return x / y


def baddbmm(input: Any, batch1: Any, batch2: Any, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """A batch of products added."""
    x = tensor_of("baddbmm", "input", input)
    product = _core.bmm(
        tensor_of("baddbmm", "batch1", batch1), tensor_of("baddbmm", "batch2", batch2)
    )
    product = product * number_of("baddbmm", "alpha", alpha) if alpha != 1 else product
    factor = number_of("baddbmm", "beta", beta)
    if factor == 0:
        return product
    return product + (x * factor if factor != 1 else x).expand(product.shape)


# ---- statistics ----


def _with_mean(function: str, input: Any, arguments: dict[str, Any]) -> tuple[Tensor, Tensor]:
    x = tensor_of(function, "input", input)
    if isinstance(arguments.get("dim"), bool):  # torch's form with unbiased alone
        arguments["unbiased"] = arguments.pop("dim")
    result = getattr(_core, function.removesuffix("_mean"))(x, **arguments)
    keepdim = arguments.get("keepdim", False)
    return result, x.mean(arguments.get("dim"), keepdim=keepdim)


def var_mean(input: Any, **arguments: Any) -> tuple[Tensor, Tensor]:
    """Variance and mean."""
    return _with_mean("var_mean", input, arguments)


def std_mean(input: Any, **arguments: Any) -> tuple[Tensor, Tensor]:
    """Standard deviation and mean."""
    return _with_mean("std_mean", input, arguments)


_INTERPOLATIONS = {"linear", "lower", "higher", "midpoint", "nearest"}


def quantile(
    input: Any, q: Any, dim: Any = None, keepdim: Any = False, interpolation: Any = "linear"
) -> Tensor:
    """Values below which a share lies."""
    x = tensor_of("quantile", "input", input)
    if x.dtype not in {_core.float32, _core.float64}:
        raise DTypeError(
            f"quantile: input must be float32 or float64, it is {x.dtype.name}. Use x.float()"
        )
    if interpolation not in _INTERPOLATIONS:
        raise ArgumentError(
            f"quantile: interpolation must be one of {sorted(_INTERPOLATIONS)}, "
            f"got {interpolation!r}"
        )
    several = isinstance(q, Tensor) and q.ndim == 1
    shares = q.flatten().tolist() if isinstance(q, Tensor) else [number_of("quantile", "q", q)]
    for share in shares:
        if not 0 <= share <= 1:
            raise ArgumentError(f"quantile: q must be from 0 to 1, got {share}")
    keep = bool_of("quantile", "keepdim", keepdim)
    rows = x.flatten() if dim is None else x.reshape(1) if not x.ndim else x
    axis = dim_of("quantile", "dim", 0 if dim is None else dim, rows.ndim)
    count = rows.shape[axis]
    if not count:
        raise DimensionError("quantile: there is no element to choose from")
    ordered = rows.sort(dim=axis).values
    unknown = rows.isnan().any(axis)
    # A tensor of shares has a gradient by way of the weights between neighbours.
    recorded = isinstance(q, Tensor) and q.requires_grad and interpolation == "linear"
    ranks: list[Tensor] | None = None
    if recorded:
        ranks = list((q.flatten() * (count - 1)).to(x.dtype).unbind())
    found = [
        _core.where(
            unknown,
            math.nan,
            _between(
                ordered, axis, share * (count - 1), interpolation, ranks[i] if ranks else None
            ),
        )
        for i, share in enumerate(shares)
    ]
    if keep:
        kept = [1] * x.ndim if dim is None else [*x.shape]
        if dim is not None and x.ndim:
            kept[axis] = 1
        found = [each.reshape(kept) for each in found]
    return _core.stack(found) if several else found[0]


def _between(
    ordered: Tensor, dim: int, rank: float, interpolation: str, exact: Tensor | None = None
) -> Tensor:
    low, high = math.floor(rank), math.ceil(rank)
    if exact is not None:
        return lerp(ordered.select(dim, low), ordered.select(dim, high), exact - low)
    if interpolation == "nearest":
        return ordered.select(dim, round(rank))
    if interpolation in {"lower", "higher"} or low == high:
        return ordered.select(dim, high if interpolation == "higher" else low)
    weight = 0.5 if interpolation == "midpoint" else rank - low
    return lerp(ordered.select(dim, low), ordered.select(dim, high), weight)


class _Extremes(NamedTuple):
    """What aminmax gives; it prints as torch's return types."""

    min: Tensor
    max: Tensor

    def __repr__(self) -> str:
        return f"gpukit.return_types.aminmax(\nmin={self.min!r},\nmax={self.max!r})"


def aminmax(input: Any, dim: Any = None, keepdim: Any = False) -> _Extremes:
    """The smallest and the largest."""
    x = tensor_of("aminmax", "input", input)
    axis = dim if dim is None else dim_of("aminmax", "dim", dim, max(x.ndim, 1))
    keep = bool_of("aminmax", "keepdim", keepdim)
    return _Extremes(_core.amin(x, axis, keep), _core.amax(x, axis, keep))


def nansum(input: Any, dim: Any = None, keepdim: Any = False, dtype: Any = None) -> Tensor:
    """The sum without NaN."""
    x = tensor_of("nansum", "input", input)
    return _core.sum(_core.where(x.isnan(), 0, x), dim, keepdim, dtype=dtype)


def nanmean(input: Any, dim: Any = None, keepdim: Any = False, dtype: Any = None) -> Tensor:
    """The mean without NaN."""
    x = tensor_of("nanmean", "input", input)
    if not x.is_floating_point():
        raise DTypeError(f"nanmean: input must be floating, it is {x.dtype.name}. Use x.float()")
    return nansum(x, dim, keepdim, dtype) / _core.sum(~x.isnan(), dim, keepdim)


# ---- distances ----


def dist(input: Any, other: Any, p: Any = 2) -> Tensor:
    """The norm of a difference."""
    return _core.norm(tensor_of("dist", "input", input) - tensor_of("dist", "other", other), p)


def cdist(x1: Any, x2: Any, p: Any = 2.0, compute_mode: Any = None) -> Tensor:  # noqa: ARG001
    """The distance of each two rows of two tensors."""
    x, y = tensor_of("cdist", "x1", x1), tensor_of("cdist", "x2", x2)
    if x.ndim < 2 or y.ndim < 2 or x.shape[-1] != y.shape[-1]:
        raise ShapeError(f"cdist: x1 is {x.shape}, x2 {y.shape}; their rows must be of one length")
    order = _order_of("cdist", p)
    return _core.norm(x.unsqueeze(-2) - y.unsqueeze(-3), order, dim=-1)


def pdist(input: Any, p: Any = 2.0) -> Tensor:
    """The distance of each two rows."""
    x = tensor_of("pdist", "input", input)
    if x.ndim != 2:
        raise ShapeError(f"pdist: a matrix is needed, the tensor is {x.shape}")
    order, numbers = _order_of("pdist", p), _core.arange(x.shape[0], device=x.device)
    first, second = (numbers.unsqueeze(1) < numbers).nonzero().unbind(1)
    distances: Tensor = _core.norm(x[first] - x[second], order, dim=-1)
    named: Tensor = _core.name_nodes("PdistBackward0", distances, x)
    return named


def _order_of(function: str, p: Any) -> float:
    order = number_of(function, "p", p)
    if not order >= 0:
        raise ArgumentError(f"{function}: p must be 0 or more, got {order}")
    return order


def renorm(input: Any, p: Any, dim: Any, maxnorm: Any) -> Tensor:
    """Slices scaled down to a norm."""
    x = tensor_of("renorm", "input", input)
    if x.ndim < 2:
        raise ShapeError(f"renorm: two dimensions are needed, the tensor is {x.shape}")
    axis = dim_of("renorm", "dim", dim, x.ndim)
    most = number_of("renorm", "maxnorm", maxnorm)
    others = tuple(i for i in range(x.ndim) if i != axis)
    size = _core.norm(x, number_of("renorm", "p", p), others, True)
    return x * _core.where(size > most, most / (size + 1e-7), 1.0).to(x.dtype)


def nan_to_num(input: Any, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Tensor:
    """A copy of finite numbers."""
    x = tensor_of("nan_to_num", "input", input)
    if not _HAS_NAN[x.dtype]:
        return x.clone()
    if x.dtype in COMPLEX:
        real, imag = (nan_to_num(part, nan, posinf, neginf) for part in (x.real, x.imag))
        return _core.complex(real, imag)
    from gpukit._tensors.limits import finfo

    limits = finfo(x.dtype)
    high = limits.max if posinf is None else number_of("nan_to_num", "posinf", posinf)
    low = limits.min if neginf is None else number_of("nan_to_num", "neginf", neginf)
    none = 0.0 if nan is None else number_of("nan_to_num", "nan", nan)
    above, below = x == float("inf"), x == -float("inf")  # of x: what replaces may be infinite
    return _core.where(below, low, _core.where(above, high, _core.where(x.isnan(), none, x)))


def round_to(input: Tensor, decimals: int) -> Tensor:
    """Multiples of a power of ten."""
    if not input.is_floating_point():
        raise DTypeError(f"round: decimals is for floating tensors, input is {input.dtype}")
    from gpukit._tensors.limits import finfo

    x = input.to(_core.promote_types(input.dtype, _core.float32))  # products leave half types
    most = len(str(int(finfo(x.dtype).max))) - 1
    if abs(decimals) > most:
        raise ArgumentError(
            f"round: decimals must be from {-most} to {most} for {input.dtype}, got {decimals}"
        )
    factor = 10.0 ** abs(decimals)
    x = (x * factor).round() / factor if decimals > 0 else (x / factor).round() * factor
    return x.to(input.dtype)
