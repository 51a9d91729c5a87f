"""Parts of a tensor: cut off, written into a copy, numbered; called as composed.py says."""

from __future__ import annotations

from typing import Any

from gpukit import _core
from gpukit._arguments import bool_of, dim_of, int_from, int_of, ints_of, tensor_of
from gpukit._core import Tensor
from gpukit._dtypes import INTEGER
from gpukit._operators.rearranged import tensor_split
from gpukit.errors import ArgumentError, BoundsError, DTypeError, ShapeError

# ---- cut off ----


def _split(function: str, input: Any, given: Any, axis: int, least: int) -> tuple[Tensor, ...]:
    x = tensor_of(function, "input", input)
    if x.ndim < least:
        raise ShapeError(
            f"{function}: the tensor is {tuple(x.shape)}; {least} dimensions or more are needed"
        )
    if not isinstance(given, (list, tuple, Tensor)):
        count = int_from(function, "indices_or_sections", given, 1)
        if x.shape[axis] % count:
            raise ShapeError(
                f"{function}: dimension {axis} has {x.shape[axis]} elements, which {count} parts "
                "do not divide. Use tensor_split"
            )
    return tensor_split(x, given, axis)


def hsplit(input: Any, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Columns."""
    x = tensor_of("hsplit", "input", input)
    return _split("hsplit", x, indices_or_sections, 0 if x.ndim == 1 else 1, 1)


def vsplit(input: Any, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Rows."""
    return _split("vsplit", input, indices_or_sections, 0, 2)


def dsplit(input: Any, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Along the third dimension."""
    return _split("dsplit", input, indices_or_sections, 2, 3)


def split_with_sizes(input: Any, split_sizes: Any, dim: Any = 0) -> tuple[Tensor, ...]:
    """Parts of these sizes."""
    x = tensor_of("split_with_sizes", "input", input)
    return _core.split(x, ints_of("split_with_sizes", "split_sizes", split_sizes), dim)


# ---- other shapes ----


def adjoint(input: Any) -> Tensor:
    """Transposed and conjugated."""
    return tensor_of("adjoint", "input", input).mH


def diagflat(input: Any, offset: Any = 0) -> Tensor:
    """A diagonal of all elements."""
    x = tensor_of("diagflat", "input", input)
    return _core.diag(x.flatten(), int_of("diagflat", "offset", offset))


def sum_to_size(input: Any, size: Any) -> Tensor:
    """The gradient of a broadcast."""
    x = tensor_of("sum_to_size", "input", input)
    if not size:
        raise TypeError("sum_to_size: argument 'size' is missing")
    if len(size) == 1 and isinstance(size[0], (list, tuple)):
        size = size[0]
    shape = ints_of("sum_to_size", "size", tuple(size))
    ahead = x.ndim - len(shape)
    fits = ahead >= 0 and all(
        n in {1, m} for n, m in zip(shape, x.shape[max(ahead, 0) :], strict=True)
    )
    if not fits:
        raise ShapeError(f"sum_to_size: size {shape} does not broadcast to {tuple(x.shape)}")
    dims = [i for i, m in enumerate(x.shape) if i < ahead or (shape[i - ahead] == 1 and m != 1)]
    return x.sum(dims).reshape(shape) if dims else x.reshape(shape)


# ---- written into a copy ----


def _written(function: str, part: Tensor, src: Any) -> None:
    source = tensor_of(function, "src", src)
    if source.shape != part.shape:
        raise ShapeError(
            f"{function}: src is {tuple(source.shape)}, that part of input {tuple(part.shape)}"
        )
    part.copy_(source)


def select_scatter(input: Any, src: Any, dim: Any, index: Any) -> Tensor:
    """One slice."""
    copy = tensor_of("select_scatter", "input", input).clone()
    _written("select_scatter", copy.select(dim, index), src)
    return copy


def slice_scatter(
    input: Any, src: Any, dim: Any = 0, start: Any = None, end: Any = None, step: Any = 1
) -> Tensor:
    """Several slices."""
    copy = tensor_of("slice_scatter", "input", input).clone()
    axis = dim_of("slice_scatter", "dim", dim, copy.ndim)
    first, last = (
        None if value is None else int_of("slice_scatter", name, value)
        for name, value in (("start", start), ("end", end))
    )
    pace = int_from("slice_scatter", "step", step, 1)
    part = copy[(slice(None),) * axis + (slice(first, last, pace),)]
    _written("slice_scatter", part, src)
    return copy


def as_strided_scatter(
    input: Any, src: Any, size: Any, stride: Any, storage_offset: Any = None
) -> Tensor:
    """The elements of a layout."""
    x = tensor_of("as_strided_scatter", "input", input)
    first = x.storage_offset() if storage_offset is None else storage_offset
    steps = zip(x.shape, x.stride(), strict=True)
    end = x.storage_offset() + sum((n - 1) * step for n, step in steps) + 1
    # The layout stays, and so does what lies between the elements.
    copy = x.as_strided((end if x.numel() else 0,), (1,), 0).clone()
    _written("as_strided_scatter", copy.as_strided(size, stride, first), src)
    return copy.as_strided(x.shape, x.stride(), x.storage_offset())


def narrow_copy(input: Any, dim: Any, start: Any, length: Any) -> Tensor:
    """A part in memory of its own."""
    return tensor_of("narrow_copy", "input", input).narrow(dim, start, length).clone()


def diagonal_scatter(input: Any, src: Any, offset: Any = 0, dim1: Any = 0, dim2: Any = 1) -> Tensor:
    """A diagonal."""
    copy = tensor_of("diagonal_scatter", "input", input).clone()
    _written("diagonal_scatter", _core.diagonal(copy, offset, dim1, dim2), src)
    return copy


def put(input: Any, index: Any, source: Any, accumulate: Any = False) -> Tensor:
    """Flat indices."""
    return tensor_of("put", "input", input).clone().put_(index, source, accumulate)


def index_reduce(
    input: Any, dim: Any, index: Any, source: Any, reduce: Any, include_self: Any = True
) -> Tensor:
    """Slices joined at indices."""
    return _joined("index_reduce", input, dim, index, source, reduce, include_self)


def index_reduce_(
    input: Tensor, dim: Any, index: Any, source: Any, reduce: Any, include_self: Any = True
) -> Tensor:
    """Slices joined at indices, in place."""
    kept = input.clone() if input.requires_grad else input
    return input.copy_(_joined("index_reduce_", kept, dim, index, source, reduce, include_self))


def _joined(
    function: str, input: Any, dim: Any, index: Any, source: Any, reduce: Any, include_self: Any
) -> Tensor:
    x, slices = tensor_of(function, "input", input), tensor_of(function, "source", source)
    places = tensor_of(function, "index", index)
    if not x.ndim:
        one, part = x.reshape(1), slices.reshape(-1)
        return _joined(function, one, dim, places, part, reduce, include_self).reshape(())
    axis = dim_of(function, "dim", dim, x.ndim)
    if not isinstance(reduce, str) or reduce not in {"prod", "mean", "amax", "amin"}:
        raise ArgumentError(
            f"{function}: reduce must be 'prod', 'mean', 'amax' or 'amin', got {reduce!r}"
        )
    expected = (*x.shape[:axis], places.numel(), *x.shape[axis + 1 :])
    if places.ndim > 1 or tuple(slices.shape) != expected:
        raise ShapeError(
            f"{function}: source is {tuple(slices.shape)}, index {tuple(places.shape)}; a 1-d "
            f"index and a source of {expected} are needed"
        )
    if slices.dtype is not x.dtype:
        raise DTypeError(
            f"{function}: source is {slices.dtype.name}, the tensor {x.dtype.name}; they must be "
            "one. Use source.to(x.dtype)"
        )
    rows = places.long().reshape([-1 if i == axis else 1 for i in range(x.ndim)])
    own = bool_of(function, "include_self", include_self)
    return _core.scatter_reduce(
        x, axis, rows.expand(slices.shape), slices, reduce, include_self=own
    )


# ---- numbers of places ----


def unravel_index(indices: Any, shape: Any) -> tuple[Tensor, ...]:
    """By division, from the last dimension on."""
    places = tensor_of("unravel_index", "indices", indices)
    if places.dtype not in INTEGER:
        raise DTypeError(
            f"unravel_index: indices must be integers, they are {places.dtype.name}. Use .long()"
        )
    sizes = [
        int_from("unravel_index", "shape", n, 0) for n in ints_of("unravel_index", "shape", shape)
    ]
    count = 1
    for n in sizes:
        count *= n
    if places.is_cpu and places.numel():
        low, high = int(places.min().item()), int(places.max().item())
        if low < 0 or high >= count:
            raise BoundsError(
                f"unravel_index: indices from {low} to {high} are not all inside of {count} places"
            )
    parts = []
    for n in reversed(sizes):
        parts.append(places % max(n, 1))
        places = places // max(n, 1)
    return tuple(reversed(parts))


def nonzero_static(input: Any, size: Any, fill_value: Any = -1) -> Tensor:
    """Rows cut off or filled up."""
    x = tensor_of("nonzero_static", "input", input)
    count = int_from("nonzero_static", "size", size, 0)
    found = _core.nonzero(x)[:count]
    fill = int_of("nonzero_static", "fill_value", fill_value)
    rest = found.new_full((count - found.shape[0], x.ndim), fill)
    return _core.cat([found, rest])
