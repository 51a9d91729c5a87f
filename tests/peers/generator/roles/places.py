"""Indices: of gather and scatter, and in square brackets."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arguments import Array, NumpyArray
from ..values import broadcastable, draw_dtype, draw_number, draw_shape, draw_values
from .drafts import Draft, mostly, mostly_dtype, role


@role
def index(draft: Draft) -> Any:
    """Places along the dimension drawn before."""
    where = draft.drawn.get("dim")
    size = draft.size(where) if isinstance(where, int) else 1
    return drawn_places(draft, (draft.rng.choice((0, 1, 2, 3, 5)),), size)


def drawn_places(
    draft: Draft, shape: tuple[int, ...], size: int, *, negative: float = 0.03
) -> Array:
    rng = draft.rng
    dtype = rng.choice(("int64",) * 12 + ("int32", "uint8", "float32"))
    count = int(np.prod(shape, dtype=np.int64))
    values = [rng.randrange(size) if size else 0 for _ in range(count)]
    if values and rng.random() < negative:
        values[rng.randrange(count)] = rng.choice((-1, size, size + 5, -size - 1))
    with np.errstate(over="ignore"):
        data = np.array(values, np.int64).astype(dtype).reshape(shape)
    return Array(dtype, data, is_index=True)


@role
def gather_index(draft: Draft) -> Any:
    """Places of the same dimensions, no longer than the tensor beside the chosen one."""
    where = draft.drawn.get("dim")
    at = where % len(draft.shape) if isinstance(where, int) and draft.shape else 0
    shape = tuple(
        draft.rng.choice((0, 1, 2, 4)) if axis == at else draft.rng.randint(min(size, 1), size)
        for axis, size in enumerate(draft.shape)
    )
    if draft.rng.random() < 0.03:
        shape = shape[1:]
    return drawn_places(draft, shape, draft.size(where) if isinstance(where, int) else 1)


@role
def along_index(draft: Draft) -> Any:
    """Places for take_along_dim, which broadcast."""
    where = draft.drawn.get("dim")
    if not isinstance(where, int):
        return drawn_places(
            draft, (draft.rng.choice((0, 1, 3)),), int(np.prod(draft.shape, dtype=np.int64))
        )
    at = where % len(draft.shape) if draft.shape else 0
    shape = tuple(
        draft.rng.choice((1, 2, 4)) if axis == at else draft.rng.choice((size, 1))
        for axis, size in enumerate(draft.shape)
    )
    return drawn_places(draft, shape, draft.size(where))


@role
def flat_index(draft: Draft) -> Any:
    """Places in the flattened tensor, negative ones too."""
    count = int(np.prod(draft.shape, dtype=np.int64))
    return drawn_places(draft, draw_shape(draft.rng, 0, 2), count, negative=0.1)


@role
def scatter_source(draft: Draft) -> Any:
    """A tensor of the index's shape, or a number."""
    if draft.rng.random() < 0.25:
        return draw_number(draft.rng)
    found = draft.drawn.get("index")
    return draft.array(found.data.shape if isinstance(found, Array) else (), mostly_dtype(draft))


@role
def scatter_tensor(draft: Draft) -> Any:
    """A tensor of the index's shape."""
    found = draft.drawn.get("index")
    return draft.array(found.data.shape if isinstance(found, Array) else (), mostly_dtype(draft))


@role
def add_source(draft: Draft) -> Any:
    """What index_add adds: the tensor's shape, with the index's length in its dimension."""
    found, where = draft.drawn.get("index"), draft.drawn.get("dim")
    length = found.data.shape[0] if isinstance(found, Array) and found.data.ndim else 1
    at = where % len(draft.shape) if isinstance(where, int) and draft.shape else 0
    shape = tuple(length if axis == at else size for axis, size in enumerate(draft.shape))
    return draft.array(mostly(draft, shape), mostly_dtype(draft))


@role
def key(draft: Draft) -> Any:
    """An index: ints, slices, None, Ellipsis, masks, tensors, lists, arrays."""
    rng, parts, at = draft.rng, [], 0
    count = len(draft.shape)
    if rng.random() < 0.12 and count:
        taken = rng.randint(1, count)
        shape = mostly(draft, draft.shape[:taken])
        mask = Array("bool", draw_values(rng, "bool", shape, "plain"), is_index=True)
        return mask if rng.random() < 0.6 else (mask,)
    ellipsis = False
    while at < count and rng.random() < 0.85:
        choice = rng.random()
        size = draft.shape[at]
        if choice < 0.08:
            parts.append(None)
            continue
        if choice < 0.14 and not ellipsis:
            ellipsis = True
            parts.append(Ellipsis)
            at = max(at, count - rng.randint(0, count - at))
            continue
        parts.append(_one_index(draft, size))
        at += 1
    if rng.random() < 0.03:
        parts.append(rng.choice((True, False, None, "x", 1.5, Ellipsis)))
    if len(parts) == 1 and rng.random() < 0.7:
        return parts[0]
    return tuple(parts)


def _one_index(draft: Draft, size: int) -> Any:
    rng, choice = draft.rng, draft.rng.random()

    def one() -> int:
        return rng.randrange(-size, size) if size and rng.random() < 0.97 else size

    if choice < 0.3:
        return np.int64(one()) if rng.random() < 0.1 else one()
    if choice < 0.62:

        def bound() -> Any:
            return rng.choice((None, None, 0, 1, 2, -1, size, size + 3, -size - 2))

        return slice(
            bound(),
            bound(),
            rng.choice((None, None, None, 1, 2, 3, -1, 0) if rng.random() < 0.3 else (None, 1, 2)),
        )
    if choice < 0.72 and size:
        return Array("bool", draw_values(rng, "bool", (size,), "plain"), is_index=True)
    length = rng.choice((0, 1, 2, 3))
    values = [one() for _ in range(length)]
    if choice < 0.82:
        return values
    shape = rng.choice(((length,), (1, length), (length, 1)))
    if rng.random() < 0.15:
        shape, values = (), [one()]
    data = np.array(values, np.int64).reshape(shape)
    if rng.random() < 0.15:
        return NumpyArray(data)
    dtype = rng.choice(("int64",) * 8 + ("int32", "uint8", "int16", "float32"))
    return Array(
        dtype, data.astype(dtype) if dtype != "uint8" else np.abs(data).astype(dtype), is_index=True
    )


@role
def assigned(draft: Draft) -> Any:
    """A value to assign: a number, or a tensor that often fits."""
    rng = draft.rng
    if rng.random() < 0.5:
        return draw_number(rng)
    found = _indexed_shape(draft)
    shape = broadcastable(rng, found) if rng.random() < 0.95 else draw_shape(rng)
    if rng.random() < 0.05:
        return NumpyArray(draw_values(rng, rng.choice(("float32", "int64")), shape, "plain"))
    return draft.array(shape, draft.dtype if rng.random() < 0.6 else draw_dtype(rng))


def _indexed_shape(draft: Draft) -> tuple[int, ...]:
    def plain(value: Any) -> Any:
        if isinstance(value, Array | NumpyArray):
            return value.data
        return tuple(map(plain, value)) if isinstance(value, tuple) else value

    try:
        return np.empty(draft.shape, bool)[plain(draft.drawn["key"])].shape
    except (IndexError, ValueError, TypeError):
        return draft.shape
