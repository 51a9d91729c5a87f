"""Running maxima and sums of exponentials, medians without NaN, and indices of triangles."""

from __future__ import annotations

from typing import Any

from gpukit import _core
from gpukit._arguments import bool_of, dim_of, int_from, int_of, tensor_of
from gpukit._core import Tensor
from gpukit._dtypes import by_kind
from gpukit._operators.matrices import record
from gpukit.errors import DimensionError, DTypeError

_HAS_NAN = by_kind(bool=False, integer=False, floating=True, complex=True)


def _real(function: str, input: Any, dim: Any) -> tuple[Tensor, int]:
    x = tensor_of(function, "input", input)
    if x.is_complex():
        raise DTypeError(f"{function}: input is {x.dtype}; complex numbers have no order")
    return x, dim_of(function, "dim", dim, max(x.ndim, 1))


def _extremes(function: str, input: Any, dim: Any, largest: bool) -> tuple[Tensor, Tensor]:
    """Of each element and those before it the largest or smallest, the last one of equal ones."""
    x, axis = _real(function, input, dim)
    if x.ndim == 0:
        return x.clone(), _core.zeros((), dtype=_core.int64, device=x.device)
    count = x.shape[axis]
    sizes = [1] * x.ndim
    sizes[axis] = count
    indices = _core.arange(count, device=x.device).reshape(sizes).expand(x.shape).clone()
    known, step = x.detach(), 1
    while step < count:  # each element knows of twice as many as before
        left = count - step
        early, late = known.narrow(axis, 0, left), known.narrow(axis, step, left)
        later = late >= early if largest else late <= early
        if _HAS_NAN[x.dtype]:
            later = later | late.isnan()
        chosen = _core.where(later, indices.narrow(axis, step, left), indices.narrow(axis, 0, left))
        indices = _core.cat([indices.narrow(axis, 0, step), chosen], axis)
        known = _core.cat([known.narrow(axis, 0, step), _core.where(later, late, early)], axis)
        step *= 2
    return x.gather(axis, indices), indices


def cummax(input: Any, dim: Any) -> tuple[Tensor, Tensor]:
    """Running maxima and their indices."""
    return _extremes("cummax", input, dim, True)


def cummin(input: Any, dim: Any) -> tuple[Tensor, Tensor]:
    """Running minima and their indices."""
    return _extremes("cummin", input, dim, False)


def logcumsumexp(input: Any, dim: Any) -> Tensor:
    """Logarithms of running sums of exponentials."""
    x, axis = _real("logcumsumexp", input, dim)
    if not x.is_floating_point():
        raise DTypeError(f"logcumsumexp: input is {x.dtype}; a floating dtype is needed")
    return x * 1 if x.ndim == 0 else _running_log(x, axis)


def _running_log(x: Tensor, axis: int) -> Tensor:
    count, found, step = x.shape[axis], x.detach().clone(), 1
    while step < count:
        left = count - step
        sums = _core.logaddexp(found.narrow(axis, 0, left), found.narrow(axis, step, left))
        found = _core.cat([found.narrow(axis, 0, step), sums], axis)
        step *= 2

    def derivative(saved: list[Tensor], gradients: list[Tensor | None]) -> list[Tensor | None]:
        from gpukit._tensors.limits import finfo

        (x, found), (g,) = saved, gradients
        assert g is not None
        size, parts, least = g.abs().log(), [], finfo(x.dtype).min
        for chosen in (g > 0, g < 0):  # logarithms of both signs, so that nothing overflows
            each = _core.where(chosen, size, least) - found
            parts.append((_running_log(each.flip(axis), axis).flip(axis) + x).exp())
        return [parts[0] - parts[1]]

    record("LogcumsumexpBackward0", [found], [x], [x, found], derivative)
    return found


def nanmedian(input: Any, dim: Any = None, keepdim: Any = False) -> Any:
    """The lower of the elements in the middle that are not NaN; with dim also its index."""
    x, keep = tensor_of("nanmedian", "input", input), bool_of("nanmedian", "keepdim", keepdim)
    if dim is None:
        if x.numel() == 0 and _HAS_NAN[x.dtype]:
            return x.sum() + float("nan")
        return _middle(x.reshape(-1), 0)[0].squeeze(0)
    x, axis = _real("nanmedian", x, dim)
    if x.ndim == 0:
        return x.clone(), _core.zeros((), dtype=_core.int64, device=x.device)
    value, index = _middle(x, axis)
    return (value, index) if keep else (value.squeeze(axis), index.squeeze(axis))


def _middle(x: Tensor, axis: int) -> tuple[Tensor, Tensor]:
    if x.shape[axis] == 0:
        raise DimensionError(
            f"nanmedian: input is {tuple(x.shape)}; there are no elements along dim {axis}"
        )
    indices = x.detach().sort(dim=axis).indices  # NaN is behind all numbers
    known = x.detach() == x.detach()
    middle = ((known.sum(axis, keepdim=True) - 1) // 2).clamp(min=0)
    index = indices.gather(axis, middle)
    return x.gather(axis, index), index


def _triangle(function: str, row: Any, col: Any, offset: Any, dtype: Any, device: Any) -> Tensor:
    rows, columns = int_from(function, "row", row, 0), int_from(function, "col", col, 0)
    dtype = _core.int64 if dtype is None else dtype
    if dtype not in {_core.int32, _core.int64}:
        raise DTypeError(f"{function}: dtype is {dtype}; indices are int32 or int64")
    part = _core.tril if function == "tril_indices" else _core.triu
    ones = _core.ones([rows, columns], dtype=_core.bool, device=device)
    return part(ones, int_of(function, "offset", offset)).nonzero().mT.to(dtype).contiguous()


def tril_indices(
    row: Any, col: Any, offset: Any = 0, dtype: Any = None, device: Any = None
) -> Tensor:
    """Rows and columns of a lower triangle."""
    return _triangle("tril_indices", row, col, offset, dtype, device)


def triu_indices(
    row: Any, col: Any, offset: Any = 0, dtype: Any = None, device: Any = None
) -> Tensor:
    """Rows and columns of an upper triangle."""
    return _triangle("triu_indices", row, col, offset, dtype, device)
