"""Functions composed of others; their rows with names and arguments are in bind_composed.cpp.

They are called by keyword, with the arguments that were given and nothing checked yet. What the
parts record for gradients is recorded here too.
"""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from gpukit import _core
from gpukit._arguments import dim_of, int_of, ints_of, tensor_of, tensors_of
from gpukit._core import Tensor
from gpukit._dtypes import INTEGER
from gpukit._operators.counts import bincount, median
from gpukit._operators.draws import bernoulli, multinomial, normal
from gpukit._operators.histograms import histogram, nanquantile
from gpukit._operators.samples import cumulative_trapezoid, gradient, interp, mvlgamma, trapezoid
from gpukit._operators.samples import trapezoid as trapz
from gpukit._operators.scans import (
    cummax,
    cummin,
    logcumsumexp,
    nanmedian,
    tril_indices,
    triu_indices,
)
from gpukit._operators.search import isin, searchsorted
from gpukit.errors import ArgumentError, DTypeError, ShapeError

_FAMILIES = (
    "arithmetic",
    "integers",
    "memory_formats",
    "places",
    "rearranged",
    "statistics",
    "products",
    "parts",
    "changes",
    "slopes",
    "signals",
    "incomplete",
)


def __getattr__(name: str) -> Any:
    """A function of one of the other modules, loaded when it is first called."""
    for family in _FAMILIES:
        found = getattr(import_module(f"gpukit._operators.{family}"), name, None)
        if found is not None:
            globals()[name] = found  # the next call finds it here
            return found
    raise AttributeError(f"gpukit._operators has no {name!r}")


__all__ = [  # written elsewhere
    "bernoulli",
    "bincount",
    "cummax",
    "cummin",
    "cumulative_trapezoid",
    "gradient",
    "histogram",
    "interp",
    "isin",
    "logcumsumexp",
    "median",
    "multinomial",
    "mvlgamma",
    "nanmedian",
    "nanquantile",
    "normal",
    "searchsorted",
    "trapezoid",
    "trapz",
    "tril_indices",
    "triu_indices",
]


def einsum(equation: str, operands: tuple[Any, ...]) -> Tensor:
    """Sum of products by labels."""
    from gpukit._operators.einsum import einsum as contract

    return contract(equation, operands)


# ---- products ----


def tensordot(input: Any, other: Any, dims: Any = 2) -> Tensor:
    """Products summed over several dimensions, as one matrix product."""
    x, y = tensor_of("tensordot", "input", input), tensor_of("tensordot", "other", other)
    ours, theirs = _tensordot_dims(x, y, dims)
    for i, k in zip(ours, theirs, strict=True):
        if x.shape[i] != y.shape[k]:
            raise ShapeError(
                f"tensordot: input is {x.shape}, other {y.shape}; dimensions {i} and {k} differ"
            )
    kept = [i for i in range(x.ndim) if i not in ours]
    theirs_kept = [i for i in range(y.ndim) if i not in theirs]
    rows = [x.shape[i] for i in kept]
    columns = [y.shape[i] for i in theirs_kept]
    inner = _product([x.shape[i] for i in ours])
    left = x.permute([*kept, *ours]).reshape([_product(rows), inner])
    right = y.permute([*theirs, *theirs_kept]).reshape([inner, _product(columns)])
    return (left @ right).reshape([*rows, *columns])


def _tensordot_dims(x: Tensor, y: Tensor, dims: Any) -> tuple[list[int], list[int]]:
    if isinstance(dims, (list, tuple)):
        if len(dims) != 2:
            raise ArgumentError(
                f"tensordot: dims must be an int or two lists of ints, got {dims!r}"
            )
        ours, theirs = (ints_of("tensordot", "dims", part) for part in dims)
        if len(ours) != len(theirs):
            raise ShapeError(f"tensordot: dims names {len(ours)} and {len(theirs)} dimensions")
        ours = [dim_of("tensordot", "dims", i, x.ndim) for i in ours]
        theirs = [dim_of("tensordot", "dims", i, y.ndim) for i in theirs]
        if len(set(ours)) < len(ours) or len(set(theirs)) < len(theirs):
            raise ArgumentError(f"tensordot: dims {dims!r} names a dimension twice")
        return ours, theirs
    count = int_of("tensordot", "dims", dims)
    if not 0 <= count <= min(x.ndim, y.ndim):
        raise ArgumentError(
            f"tensordot: dims is {count}; the tensors have {x.ndim} and {y.ndim} dimensions"
        )
    return list(range(x.ndim - count, x.ndim)), list(range(count))


def _product(sizes: Sequence[int]) -> int:
    result = 1
    for size in sizes:
        result *= size
    return result


def vecdot(input: Any, other: Any, dim: Any = -1) -> Tensor:
    """Inner products, as products of rows and columns."""
    x, y = tensor_of("vecdot", "input", input), tensor_of("vecdot", "other", other)
    x = x.conj()
    if not x.ndim and not y.ndim:
        dim_of("vecdot", "dim", dim, 1)
        return x.unsqueeze(0) @ y.unsqueeze(0)
    if x.ndim == y.ndim == 1 and x.shape != y.shape:
        raise ShapeError(f"vecdot: input is {x.shape}, other {y.shape}; vectors need one size")
    shape = list(x.shape) if x.shape == y.shape else _common_shape("vecdot", x, y)
    axis = dim_of("vecdot", "dim", dim, len(shape))
    repeated = _size_from_end(x, axis - len(shape)) != _size_from_end(y, axis - len(shape))
    if repeated and x.dtype is y.dtype and x.dtype is not _core.bool:
        return (x * y).sum(axis, dtype=x.dtype)  # sums of repeated numbers need their care
    x, y = (moveaxis(each.expand(shape), axis, -1) for each in (x, y))
    if x.ndim == 1:
        return x @ y
    return (x.unsqueeze(-2) @ y.unsqueeze(-1)).squeeze((-2, -1))


def _size_from_end(x: Tensor, dim: int) -> int:
    """The size of a dimension counted from the end; 1 where there is none."""
    return x.shape[dim] if x.ndim >= -dim else 1


def _common_shape(function: str, x: Tensor, y: Tensor) -> list[int]:
    try:
        return list(broadcast_shapes((x.shape, y.shape)))
    except ShapeError:
        raise ShapeError(
            f"{function}: input is {x.shape}, other {y.shape}; they do not broadcast"
        ) from None


def trace(input: Any) -> Tensor:
    """Sum of the diagonal."""
    x = tensor_of("trace", "input", input)
    if x.ndim != 2:
        raise ShapeError(f"trace: a matrix is needed, the tensor is {x.shape}")
    return _core.diagonal(x).sum()


# ---- places ----


def roll(input: Any, shifts: Any, dims: Any = None) -> Tensor:
    """Elements moved along dims, those that fall off put in at the front."""
    x = tensor_of("roll", "input", input)
    steps = ints_of("roll", "shifts", shifts)
    if dims is None:
        if len(steps) != 1:
            raise ArgumentError(f"roll: shifts {shifts!r} names several steps; dims is missing")
        return _rolled(x.flatten(), steps[0], 0).reshape(x.shape) if x.numel() else x.clone()
    axes = ints_of("roll", "dims", dims)
    if len(steps) != len(axes):
        raise ShapeError(f"roll: there are {len(steps)} shifts and {len(axes)} dims")
    for step, axis in zip(steps, axes, strict=True):
        x = _rolled(x, step, dim_of("roll", "dims", axis, x.ndim))
    return x.clone() if x is input else x


def _rolled(x: Tensor, step: int, dim: int) -> Tensor:
    """A copy, also when nothing moves."""
    size = x.shape[dim]
    step = step % size if size else 0
    return _core.cat([x.narrow(dim, size - step, step), x.narrow(dim, 0, size - step)], dim)


def moveaxis(input: Any, source: Any, destination: Any) -> Tensor:
    """Dimensions in other places."""
    x = tensor_of("moveaxis", "input", input)
    rank = max(x.ndim, 1)  # a 0-d tensor takes 0 and -1, as everywhere
    come = [dim_of("moveaxis", "source", i, rank) for i in ints_of("moveaxis", "source", source)]
    go = [
        dim_of("moveaxis", "destination", i, rank)
        for i in ints_of("moveaxis", "destination", destination)
    ]
    if len(come) != len(go) or len(set(come)) < len(come) or len(set(go)) < len(go):
        raise ArgumentError(
            f"moveaxis: source {source!r} and destination {destination!r} must be different "
            "dimensions, as many of the one as of the other"
        )
    order = [i for i in range(rank) if i not in come]
    for place, dim in sorted(zip(go, come, strict=True)):
        order.insert(place, dim)
    return x.permute(order if x.ndim else [])


movedim = moveaxis


def unstack(input: Any, dim: Any = 0) -> tuple[Tensor, ...]:
    """All slices along dim."""
    return _core.unbind(tensor_of("unstack", "input", input), dim)


def meshgrid(tensors: tuple[Any, ...], indexing: Any = "ij") -> tuple[Tensor, ...]:
    """Coordinate grids as views."""
    vectors = tensors_of("meshgrid", tensors)
    if not isinstance(indexing, str) or indexing not in {"ij", "xy"}:
        raise ArgumentError(f"meshgrid: indexing must be 'ij' or 'xy', got {indexing!r}")
    for vector in vectors:
        if vector.ndim > 1:
            raise ShapeError(
                f"meshgrid: the tensors must have one dimension, one is {vector.shape}"
            )
    swap = indexing == "xy" and len(vectors) > 1
    order = [1, 0, *range(2, len(vectors))] if swap else list(range(len(vectors)))
    shape = [vectors[i].numel() for i in order]
    grids = []
    for i, vector in enumerate(vectors):
        own = [1] * len(vectors)
        own[order.index(i)] = vector.numel()
        grids.append(vector.reshape(own).expand(shape))
    return tuple(grids)


def broadcast_shapes(shapes: tuple[Any, ...]) -> tuple[int, ...]:
    """The common shape."""
    if not shapes:
        raise TypeError("broadcast_shapes: argument 'shapes' is missing")
    result: list[int] = []
    lists = [ints_of("broadcast_shapes", "shapes", shape) for shape in shapes]
    for sizes in lists:
        if any(size < 0 for size in sizes):
            raise ArgumentError(f"broadcast_shapes: {tuple(sizes)} has a negative size")
        result = [1] * (len(sizes) - len(result)) + result
        for i, size in enumerate(sizes, len(result) - len(sizes)):
            if size != 1 and result[i] not in {1, size}:
                raise ShapeError(
                    f"broadcast_shapes: {', '.join(str(tuple(item)) for item in lists)} do not fit "
                    f"together: sizes {result[i]} and {size}"
                )
            result[i] = size if result[i] == 1 else result[i]
    return tuple(result)


def broadcast_tensors(tensors: tuple[Any, ...]) -> tuple[Tensor, ...]:
    """All tensors in their common shape."""
    every = tensors_of("broadcast_tensors", tensors)
    shape = broadcast_shapes(tuple(x.shape for x in every))
    return tuple(_core.broadcast_to(x, shape) for x in every)


def hstack(tensors: Any) -> Tensor:
    """One after the other along columns."""
    every = [x.reshape(-1) if not x.ndim else x for x in tensors_of("hstack", tensors)]
    return _core.cat(every, 0 if every and every[0].ndim == 1 else 1)


def vstack(tensors: Any) -> Tensor:
    """One after the other along rows."""
    return _core.cat([x.reshape(1, -1) if x.ndim < 2 else x for x in tensors_of("vstack", tensors)])


# ---- diagonals, repetition ----


def diag(input: Any, diagonal: Any = 0) -> Tensor:
    """A vector as a diagonal, or the diagonal of a matrix."""
    x, offset = (
        tensor_of("diag", "input", input),
        int_of("diag", "diagonal", diagonal),
    )
    if x.ndim == 2:
        return _core.diagonal(x, offset).clone()
    if x.ndim != 1:
        raise ShapeError(f"diag: a vector or a matrix is needed, the tensor is {x.shape}")
    count = x.numel() + abs(offset)
    filler = _core.zeros(abs(offset), dtype=x.dtype, device=x.device)
    places = _core.arange(count, device=x.device)
    on_diagonal = places == places.unsqueeze(1) + offset
    padded = _core.cat([x, filler])
    columns = padded.unsqueeze(1) if offset >= 0 else padded
    return _core.where(on_diagonal, columns, _core.zeros((), dtype=x.dtype, device=x.device))


def tile(input: Any, dims: tuple[Any, ...]) -> Tensor:
    """Repeated along dimensions."""
    x, counts = tensor_of("tile", "input", input), ints_of("tile", "dims", dims)
    return x.repeat([1] * (x.ndim - len(counts)) + counts)


def repeat_interleave(input: Any, repeats: Any, dim: Any = None) -> Tensor:
    """Each element several times."""
    x = tensor_of("repeat_interleave", "input", input)
    x, axis = (
        (x.flatten(), 0) if dim is None else (x, dim_of("repeat_interleave", "dim", dim, x.ndim))
    )
    if not isinstance(repeats, (Tensor, list, tuple)):
        return _repeated(x, int_of("repeat_interleave", "repeats", repeats), axis)
    counts = _core.as_tensor(repeats, device=x.device)
    if counts.dtype not in INTEGER or counts.ndim > 1:
        raise TypeError("repeat_interleave: repeats must be ints, one or one for each place")
    if counts.numel() == 1:
        return _repeated(x, int(counts.item()), axis)
    if counts.numel() != x.shape[axis]:
        raise ShapeError(
            f"repeat_interleave: repeats has {counts.numel()} counts, dimension {axis} has "
            f"{x.shape[axis]} places"
        )
    if counts.numel() and int(counts.min().item()) < 0:
        raise ArgumentError(
            f"repeat_interleave: repeats holds {counts.min().item()}; none may be < 0"
        )
    ends = _core.cumsum(counts.long(), 0)
    total = int(ends[-1].item()) if ends.numel() else 0
    places = _core.arange(total, device=x.device)
    return _core.index_select(x, axis, searchsorted(ends, places, right=True))


def _repeated(x: Tensor, count: int, dim: int) -> Tensor:
    if count < 0:
        raise ArgumentError(f"repeat_interleave: repeats is {count}; it must not be negative")
    shape = list(x.shape)
    wide = x.unsqueeze(dim + 1).expand([*shape[: dim + 1], count, *shape[dim + 1 :]])
    shape[dim] *= count
    return wide.clone().reshape(shape)


def diff(input: Any, n: Any = 1, dim: Any = -1, prepend: Any = None, append: Any = None) -> Tensor:
    """Differences of neighbours."""
    x = tensor_of("diff", "input", input)
    if not x.ndim:
        raise ShapeError("diff: the tensor has no dimension")
    axis, count = dim_of("diff", "dim", dim, x.ndim), int_of("diff", "n", n)
    if count < 0:
        raise ArgumentError(f"diff: n is {count}; it must not be negative")
    ends = {"prepend": prepend, "append": append}
    before, after = ([] if t is None else [tensor_of("diff", k, t)] for k, t in ends.items())
    for end in (*before, *after):
        if end.ndim != x.ndim:
            raise ShapeError(f"diff: input is {x.shape}, prepend or append is {end.shape}")
    if before or after:
        joined = _core.cat([*before, x, *after], axis)  # checks the sizes, also for n=0
        x = joined if count else x
    for _ in range(count):
        size = x.shape[axis]
        if not size:
            break
        later, earlier = x.narrow(axis, 1, size - 1), x.narrow(axis, 0, size - 1)
        x = later ^ earlier if x.dtype is _core.bool else later - earlier
    return x.clone() if x is input else x


# ---- gathering ----


def take_along_dim(input: Any, indices: Any, dim: Any = None) -> Tensor:
    """Gather with broadcasting."""
    x = tensor_of("take_along_dim", "input", input)
    places = tensor_of("take_along_dim", "indices", indices)
    if dim is None:
        return _core.gather(x.flatten(), 0, places.flatten())
    if x.ndim != places.ndim:
        raise ShapeError(
            f"take_along_dim: input is {x.shape}, indices {places.shape}; they need as many "
            "dimensions"
        )
    axis = dim_of("take_along_dim", "dim", dim, x.ndim)
    ours, theirs = list(x.shape), list(places.shape)
    ours[axis] = theirs[axis] = 1
    shape = list(broadcast_shapes((ours, theirs)))
    x = x.expand([*shape[:axis], x.shape[axis], *shape[axis + 1 :]])
    places = places.expand([*shape[:axis], places.shape[axis], *shape[axis + 1 :]])
    return _core.gather(x, axis, places)


# ---- copies of in-place forms ----


def where(input: Any, condition: Any, other: Any) -> Tensor:
    """The method form: selects from the tensor where the condition is true."""
    return _core.where(tensor_of("where", "condition", condition), input, other)


def nonzero_indices(input: Tensor) -> tuple[Tensor, ...]:
    """An index tensor for each dimension: where the elements are not 0."""
    rows = (input.unsqueeze(0) if input.ndim == 0 else input).nonzero()
    return rows.unbind(1)


def argwhere(input: Any) -> Tensor:
    """The rows of all those."""
    return tensor_of("argwhere", "input", input).nonzero()


def scatter(input: Any, dim: Any, index: Any, src: Any, reduce: Any = None) -> Tensor:
    """A copy with values written."""
    return tensor_of("scatter", "input", input).clone().scatter_(dim, index, src, reduce=reduce)


def scatter_add(input: Any, dim: Any, index: Any, src: Any) -> Tensor:
    """A copy with values added."""
    return tensor_of("scatter_add", "input", input).clone().scatter_add_(dim, index, src)


def index_add(input: Any, dim: Any, index: Any, source: Any, *, alpha: Any = 1) -> Tensor:
    """A copy with slices added."""
    copy = tensor_of("index_add", "input", input).clone()
    return copy.index_add_(dim, index, source, alpha=alpha)


def new_full(
    input: Tensor,
    size: Any,
    fill_value: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: Any = False,
) -> Tensor:
    """A constant combined with a tensor."""
    return _core.full(
        size,
        fill_value,
        dtype=input.dtype if dtype is None else dtype,
        device=input.device if device is None else device,
        requires_grad=requires_grad,
    )


def type_as(input: Tensor, other: Any) -> Tensor:
    """The tensor as another one is."""
    like = tensor_of("type_as", "other", other)
    return input.to(like.device, like.dtype)


# ---- of the array object ----


def positive(input: Any) -> Tensor:
    """The tensor itself."""
    x = tensor_of("positive", "input", input)
    if x.dtype is _core.bool:
        raise DTypeError("positive: a bool tensor has no sign. Use .long() first.")
    return +x


def to_device(input: Tensor, device: Any, stream: Any = None) -> Tensor:
    """The tensor on a device."""
    if stream is None:
        return input.to(device=device)
    return input.to(device=device, stream=stream)


def array_namespace(input: Tensor, api_version: Any = None) -> Any:  # noqa: ARG001
    """The module of the standard."""
    if api_version not in {None, "2021.12", "2022.12", "2023.12", "2024.12"}:
        raise ArgumentError(f"__array_namespace__: api_version {api_version!r} is not provided")
    from gpukit import array_api

    return array_api


def complex(input: Tensor) -> Any:
    """The one element."""
    return builtins.complex(input.item())
