"""Writing to places of a tensor and finding them; called as composed.py says."""

from __future__ import annotations

from typing import Any

from gpukit import _core
from gpukit._arguments import bool_of, dim_of, int_of, number_of, tensor_of
from gpukit._core import Tensor
from gpukit._dtypes import INTEGER
from gpukit.errors import ArgumentError, DTypeError, ShapeError

# ---- along a dimension ----


def index_fill(input: Any, dim: Any, index: Any, value: Any) -> Tensor:
    """A copy with a value at indices."""
    return index_fill_(tensor_of("index_fill", "input", input).clone(), dim, index, value)


def index_fill_(input: Tensor, dim: Any, index: Any, value: Any) -> Tensor:
    """A value at indices."""
    target, key, _ = _slices("index_fill_", input, dim, index)
    target[key] = value
    return input


def index_copy(input: Any, dim: Any, index: Any, source: Any) -> Tensor:
    """A copy with slices at indices."""
    return index_copy_(tensor_of("index_copy", "input", input).clone(), dim, index, source)


def index_copy_(input: Tensor, dim: Any, index: Any, source: Any) -> Tensor:
    """Slices at indices."""
    target, key, shape = _slices("index_copy_", input, dim, index)
    given = tensor_of("index_copy_", "source", source)
    if given.shape != shape and (given.ndim or shape != (1,)):
        raise ShapeError(f"index_copy_: source is {given.shape}, it must be {shape}")
    target[key] = given
    return input


def _slices(
    function: str, input: Tensor, dim: Any, index: Any
) -> tuple[Tensor, tuple[Any, ...], tuple[int, ...]]:
    """The tensor of one dimension at least, the key of its slices, and their shape."""
    places = tensor_of(function, "index", index)
    if places.dtype not in INTEGER:
        raise DTypeError(f"{function}: index must hold integers, it is {places.dtype.name}")
    if places.ndim > 1:
        raise ShapeError(f"{function}: index must be 1-d, it is {places.shape}")
    target = input if input.ndim else input.unsqueeze(0)
    axis = dim_of(function, "dim", dim, target.ndim)
    shape = list(target.shape)
    shape[axis] = places.numel()
    return target, (slice(None),) * axis + (places.reshape(-1),), tuple(shape)


# ---- anywhere ----


def index_put(input: Any, indices: Any, values: Any, accumulate: Any = False) -> Tensor:
    """A copy with values at indices."""
    return index_put_(tensor_of("index_put", "input", input).clone(), indices, values, accumulate)


def index_put_(input: Tensor, indices: Any, values: Any, accumulate: Any = False) -> Tensor:
    """Values at indices."""
    given = tensor_of("index_put_", "values", values)
    if not isinstance(indices, (tuple, list)):
        raise TypeError(f"index_put_: indices must be a tuple of tensors, got {indices!r:.80}")
    key = tuple(tensor_of("index_put_", f"indices[{i}]", each) for i, each in enumerate(indices))
    if bool_of("index_put_", "accumulate", accumulate):
        return _added(input, _numbers_of(input)[key], given)
    input[key] = given
    return input


def put_(input: Tensor, index: Any, source: Any, accumulate: Any = False) -> Tensor:
    """Values at places of the flattened tensor."""
    places, given = tensor_of("put_", "index", index), tensor_of("put_", "source", source)
    if places.dtype not in INTEGER:
        raise DTypeError(f"put_: index must hold integers, it is {places.dtype.name}")
    if places.numel() != given.numel():
        raise ShapeError(
            f"put_: index has {places.numel()} elements, source {given.numel()}; they need as many"
        )
    places = _core.take(_numbers_of(input), places.flatten())  # checks them
    if bool_of("put_", "accumulate", accumulate):
        return _added(input, places, given.reshape(-1))
    flat = input.flatten().clone()
    flat[places] = given.reshape(-1)
    return input.copy_(flat.reshape(input.shape))


def _numbers_of(x: Tensor) -> Tensor:
    """The number of each element, row by row."""
    return _core.arange(x.numel(), device=x.device).reshape(x.shape)


def _added(input: Tensor, places: Tensor, values: Tensor) -> Tensor:
    """Values added at places of the flattened tensor, in place."""
    values = values.expand(places.shape).flatten()
    total = _core.index_add(input.flatten(), 0, places.flatten(), values)
    return input.copy_(total.reshape(input.shape))


def masked_scatter(input: Any, mask: Any, source: Any) -> Tensor:
    """A copy with elements where the mask is true."""
    x, chosen = (
        tensor_of("masked_scatter", "input", input),
        tensor_of("masked_scatter", "mask", mask),
    )
    wide, chosen = _core.broadcast_tensors(x, chosen)
    return masked_scatter_(wide.clone(), chosen, source)


def masked_scatter_(input: Tensor, mask: Any, source: Any) -> Tensor:
    """Elements where the mask is true."""
    chosen = tensor_of("masked_scatter_", "mask", mask)
    given = tensor_of("masked_scatter_", "source", source)
    if chosen.dtype is not _core.bool:
        raise DTypeError(f"masked_scatter_: mask must be bool, it is {chosen.dtype.name}")
    if given.dtype is not input.dtype:
        raise DTypeError(
            f"masked_scatter_: source is {given.dtype.name}, the tensor {input.dtype.name}. "
            "Use source.to(x.dtype)"
        )
    chosen = chosen.expand(input.shape)
    count = int(chosen.sum().item())
    if given.numel() < count:
        raise ShapeError(
            f"masked_scatter_: source has {given.numel()} elements, mask is True {count} times"
        )
    input[chosen] = given.flatten()[:count]
    return input


# ---- several values for a place ----


def scatter_into(input: Tensor, dim: Any, index: Any, src: Any, reduce: Any) -> Tensor:
    """scatter_ with `reduce`."""
    if reduce not in {"add", "multiply"}:
        raise ArgumentError(f"scatter_: reduce must be 'add' or 'multiply', got {reduce!r}")
    places = tensor_of("scatter_", "index", index)
    if not isinstance(src, Tensor):
        src = _core.full(
            places.shape,
            number_of("scatter_", "src", src),
            dtype=input.dtype,
            device=input.device,
        )
    if reduce == "add":
        return input.scatter_add_(dim, places, src)
    return scatter_reduce_(input, dim, places, src, "prod")


def scatter_reduce_(
    input: Tensor, dim: Any, index: Any, src: Any, reduce: Any, include_self: Any = True
) -> Tensor:
    """Sums, products or extremes for each place, in place."""
    return input.copy_(scatter_reduce(input, dim, index, src, reduce, include_self))


def scatter_reduce(
    input: Any, dim: Any, index: Any, src: Any, reduce: Any, include_self: Any = True
) -> Tensor:
    """Sums, products or extremes for each place."""
    x = tensor_of("scatter_reduce", "input", input)
    places = tensor_of("scatter_reduce", "index", index)
    given = tensor_of("scatter_reduce", "src", src)
    counted = bool_of("scatter_reduce", "include_self", include_self)
    axis = dim_of("scatter_reduce", "dim", dim, max(x.ndim, 1))
    if {x.ndim, places.ndim, given.ndim} == {0, 1}:  # a tensor without dimensions is one element
        whole = (each.reshape(-1) for each in (x, places, given))
        return scatter_reduce(*_with_dim(*whole), reduce, counted).reshape(x.shape)
    if reduce not in {"sum", "mean", "prod", "amax", "amin"}:
        raise ArgumentError(
            "scatter_reduce: reduce must be 'sum', 'prod', 'mean', 'amax' or 'amin', "
            f"got {reduce!r}"
        )
    if reduce not in {"sum", "mean"}:
        return _joined(x, axis, places, given, reduce, counted)
    start = x if counted else _core.scatter(x, axis, places, 0)
    total = _core.scatter_add(start, axis, places, given)
    if reduce == "sum":
        return total
    ones = _core.ones_like(x, dtype=_core.int64)
    start = ones if counted else _core.scatter(ones, axis, places, 0)
    count = _core.scatter_add(start, axis, places, _core.ones_like(given, dtype=_core.int64))
    count = count.clamp(min=1)
    return total / count if x.is_floating_point() else (total // count).to(x.dtype)


_OPERATION = {"prod": _core.mul, "amax": _core.maximum, "amin": _core.minimum}


def _joined(x: Tensor, dim: int, places: Tensor, src: Tensor, reduce: str, counted: bool) -> Tensor:
    """Products or extremes, by a scan of what each place gets: its last element has them all."""
    if not x.ndim:
        flat = (each.reshape(1) for each in (x, places, src))
        return _joined(*_with_dim(*flat), reduce, counted).reshape(())
    if not places.numel():
        return x.clone()
    join = _OPERATION[reduce]
    crop = tuple(slice(None) if i == dim else slice(n) for i, n in enumerate(places.shape))
    part = x[crop].movedim(dim, -1)
    src = src[tuple(slice(n) for n in places.shape)].to(x.dtype).movedim(dim, -1)
    places = places.movedim(dim, -1).long()
    _core.gather(part, -1, places)  # checks them
    size = part.shape[-1]
    places = _core.where(places < 0, places + size, places)
    places, order = places.sort(dim=-1, stable=True)
    values = _core.gather(src, -1, order)
    shift = 1
    while shift < places.shape[-1]:
        same = places[..., shift:] == places[..., :-shift]
        both = join(values[..., shift:], values[..., :-shift])
        values = _core.cat(
            [values[..., :shift], _core.where(same, both, values[..., shift:])], dim=-1
        )
        shift *= 2
    ends = places[..., 1:] != places[..., :-1]
    ends = _core.cat([ends, _core.ones_like(places[..., :1], dtype=_core.bool)], dim=-1)
    where_to = _core.where(ends, places, size)  # the others go behind the end
    room = [*part.shape[:-1], size + 1]
    totals = _core.zeros(room, dtype=x.dtype, device=x.device).scatter(-1, where_to, values)
    hit = _core.zeros(room, dtype=_core.bool, device=x.device).scatter(-1, where_to, True)
    totals, hit = totals[..., :size], hit[..., :size]
    result = _core.where(hit, join(part, totals) if counted else totals, part)
    copy = x.clone()
    copy[crop] = result.movedim(-1, dim)
    return copy


def _with_dim(x: Tensor, places: Tensor, src: Tensor) -> tuple[Tensor, int, Tensor, Tensor]:
    return x, 0, places, src


# ---- diagonals ----


def diag_embed(input: Any, offset: Any = 0, dim1: Any = -2, dim2: Any = -1) -> Tensor:
    """Matrices with a diagonal."""
    x, shift = tensor_of("diag_embed", "input", input), int_of("diag_embed", "offset", offset)
    rows = dim_of("diag_embed", "dim1", dim1, x.ndim + 1)
    columns = dim_of("diag_embed", "dim2", dim2, x.ndim + 1)
    if rows == columns:
        raise ArgumentError(f"diag_embed: dim1 and dim2 are both dimension {rows}")
    if not x.ndim:
        raise ShapeError("diag_embed: a 0-d tensor has no diagonal. Use x.reshape(1)")
    filler = _core.zeros([*x.shape[:-1], abs(shift)], dtype=x.dtype, device=x.device)
    padded = _core.cat([x, filler], -1)
    places = _core.arange(padded.shape[-1], device=x.device)
    on_diagonal = places == places.unsqueeze(1) + shift
    made = _core.where(
        on_diagonal, padded.unsqueeze(-1 if shift >= 0 else -2), filler.new_zeros(())
    )
    return made.movedim((-2, -1), (rows, columns))


def fill_diagonal_(input: Tensor, value: Any, wrap: Any = False) -> Tensor:
    """A value on the main diagonal."""
    if input.ndim < 2 or (input.ndim > 2 and len(set(input.shape)) > 1):
        raise ShapeError(
            f"fill_diagonal_: the tensor is {input.shape}; it must be a matrix, or have one size "
            "in all of its dimensions"
        )
    again = bool_of("fill_diagonal_", "wrap", wrap)
    rows, columns = input.shape[:2]
    if again and input.ndim == 2 and rows > columns + 1:
        places = _core.arange(0, rows * columns, columns + 1, device=input.device)
        input[places // columns, places % columns] = value
        return input
    places = _core.arange(min(input.shape), device=input.device)
    input[(places,) * input.ndim] = value
    return input


# ---- numbers drawn, values without duplicates ----


def bernoulli_(input: Tensor, p: Any = 0.5, generator: Any = None) -> Tensor:
    """Zeros and ones in place."""
    floats = _core.float32 if not input.is_floating_point() else input.dtype
    if isinstance(p, Tensor):
        chances = p.to(floats).expand(input.shape)
    else:
        share = number_of("bernoulli_", "p", p)
        chances = _core.full(input.shape, share, dtype=floats, device=input.device)
    return input.copy_(_core.bernoulli(chances, generator=generator))


def unique_consecutive(
    input: Any, return_inverse: Any = False, return_counts: Any = False, dim: Any = None
) -> Any:
    """Without those that equal the one before."""
    x = tensor_of("unique_consecutive", "input", input)
    rows, axis = _rows_of("unique_consecutive", x, dim)
    number, first = _runs(rows)
    wanted = (
        bool_of("unique_consecutive", "return_inverse", return_inverse),
        bool_of("unique_consecutive", "return_counts", return_counts),
    )
    values = _core.index_select(x.flatten() if axis is None else x, axis or 0, first)
    inverse = number.reshape(x.shape) if axis is None else number
    return _with_parts(values, inverse, first, number.numel(), wanted)


def unique_slices(
    input: Tensor,
    sorted: Any = True,
    return_inverse: Any = False,
    return_counts: Any = False,
    dim: Any = None,
) -> Any:
    """unique() along a dimension: rows in the order of their first column, then of the next."""
    bool_of("unique", "sorted", sorted)
    rows, axis = _rows_of("unique", input, dim)
    order = _core.arange(rows.shape[0], device=input.device)
    keys = rows.to(_core.uint8) if rows.dtype is _core.bool else rows
    for column in reversed(range(rows.shape[1])):
        order = order[_core.argsort(keys[order, column], stable=True)]
    number, first = _runs(rows[order])
    wanted = (
        bool_of("unique", "return_inverse", return_inverse),
        bool_of("unique", "return_counts", return_counts),
    )
    inverse = _core.zeros_like(number)
    inverse[order] = number
    values = _core.index_select(input, axis or 0, order[first])
    return _with_parts(values, inverse, first, number.numel(), wanted)


def _rows_of(function: str, x: Tensor, dim: Any) -> tuple[Tensor, int | None]:
    """What is compared as rows of a matrix, and the dimension; None where it is of elements."""
    if dim is None:
        return x.reshape(-1, 1), None
    axis = dim_of(function, "dim", dim, x.ndim)
    size = x.shape[axis]
    width = x.numel() // size if size else 0
    return x.movedim(axis, 0).reshape(size, width), axis


def _runs(rows: Tensor) -> tuple[Tensor, Tensor]:
    """The number of the run that each row is in, and where the runs begin."""
    count = rows.shape[0]
    starts = _core.ones(count, dtype=_core.bool, device=rows.device)
    if count > 1:
        starts[1:] = (rows[1:] != rows[:-1]).any(1)
    return _core.cumsum(starts, 0) - 1, starts.nonzero().flatten()


def _with_parts(
    values: Tensor, inverse: Tensor, first: Tensor, count: int, wanted: tuple[bool, bool]
) -> Any:
    if not any(wanted):
        return values
    parts = [values]
    if wanted[0]:
        parts.append(inverse)
    if wanted[1]:
        end = _core.full((1,), count, dtype=_core.int64, device=first.device)
        parts.append(_core.diff(first, append=end))
    return tuple(parts)


def bucketize(input: Any, boundaries: Any, out_int32: Any = False, right: Any = False) -> Tensor:
    """Places among boundaries."""
    ends = tensor_of("bucketize", "boundaries", boundaries)
    if ends.ndim != 1:
        raise ShapeError(f"bucketize: boundaries must be 1-d, they are {tuple(ends.shape)}")
    return _core.searchsorted(ends, input, right=right, out_int32=out_int32)
