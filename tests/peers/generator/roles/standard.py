"""Arguments as the array API standard allows them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arguments import FLOATS, Array, Dtype
from ..values import broadcastable, draw_dtype, draw_shape, draw_values
from .drafts import ROLES, Draft, constant, role

ROLES.update(
    whole_correction=constant(0, 1, 2.0, 0.5),
    small_shift=constant(0, 1, -1, 3, -7),
    small_number=constant(0, 1, 2.5, -3, 7.0),
    last_dims=constant(-1, -2, -3),
)


@role
def api_dtype(draft: Draft) -> Any:
    """A dtype of the standard."""
    return Dtype(draw_dtype(draft.rng, "api any"))


@role
def api_float_dtype(draft: Draft) -> Any:
    """float32 or float64."""
    return Dtype(draw_dtype(draft.rng, "api float"))


@role
def api_number(draft: Draft) -> Any:
    """A number of the tensor's kind that its dtype holds."""
    rng = draft.rng
    if draft.dtype == "bool":
        return rng.choice((True, False))
    if draft.dtype in FLOATS:
        return rng.choice((0.0, 1.0, -2.5, 0.1, 3, float("inf"), float("nan"), 1e10))
    return rng.choice(
        (0, 1, 2, 3, 5, 127) if draft.dtype.startswith("u") else (0, 1, 2, -1, -7, 127)
    )


@role
def api_operand(draft: Draft) -> Any:
    """A tensor of the same kind that broadcasts, or a number of that kind."""
    rng = draft.rng
    if rng.random() < 0.25:
        return api_number(draft)
    return draft.array(broadcastable(rng, draft.shape), api_partner(draft))


def api_partner(draft: Draft) -> str:
    """A dtype that the standard lets mix with the call's."""
    if draft.dtype == "bool":
        return "bool"
    if draft.dtype in FLOATS:
        return draft.rng.choice(("float32", "float64"))
    if draft.dtype == "uint64" or draft.rng.random() < 0.5:
        return draft.dtype if draft.dtype.startswith("u") or draft.rng.random() < 0.5 else "int64"
    return draft.rng.choice(("uint8", "uint16", "uint32", "int8", "int16", "int32", "int64"))


@role
def api_tensor(draft: Draft) -> Any:
    """A tensor that broadcasts."""
    return draft.array(broadcastable(draft.rng, draft.shape))


@role
def api_shift(draft: Draft) -> Any:
    """By how many bits: fewer than the dtype has."""
    name = draft.dtype
    values = draw_values(draft.rng, "uint8", broadcastable(draft.rng, draft.shape), "positive")
    return Array(name, (values % 8).astype(name))


@role
def api_condition(draft: Draft) -> Any:
    """A mask, which sets the call's shape."""
    draft.start(draw_shape(draft.rng))
    return draft.array(draft.shape, "bool")


@role
def api_same(draft: Draft) -> Any:
    """A tensor of the same shape and dtype."""
    return draft.array(draft.shape)


@role
def api_tensors(draft: Draft) -> Any:
    """Several of one shape and dtype."""
    first = draft.start(draw_shape(draft.rng, 0, 4))
    return [first, *(draft.array(draft.shape) for _ in range(draft.rng.choice((0, 1, 2))))]


@role
def api_joined(draft: Draft) -> Any:
    """Several that differ in one dimension's size, of dtypes that mix."""
    first = draft.start(draw_shape(draft.rng, 1, 4))
    at = draft.rng.randrange(len(draft.shape))
    draft.drawn["joined"] = at
    rest = []
    for _ in range(draft.rng.choice((0, 1, 2))):
        sizes = [
            draft.rng.choice((0, 1, 3)) if axis == at else size
            for axis, size in enumerate(draft.shape)
        ]
        rest.append(draft.array(tuple(sizes)))
    return [first, *rest]


@role
def api_sorted(draft: Draft) -> Any:
    """A sorted vector."""
    draft.start(draw_shape(draft.rng, 1, 1))
    return Array(draft.dtype, np.sort(draw_values(draft.rng, draft.dtype, draft.shape, "plain")))


@role
def api_index(draft: Draft) -> Any:
    """A vector of places."""
    size = min(draft.shape) if draft.shape else 1
    values = [draft.rng.randrange(size) for _ in range(draft.rng.choice((0, 1, 4)))] if size else []
    return Array(draft.rng.choice(("int64", "int32")), np.array(values, np.int64), is_index=True)


@role
def api_factor(draft: Draft) -> Any:
    """A second factor of the same dtype."""
    inner = draft.shape[-1]
    return draft.array(
        draft.rng.choice(((inner,), (inner, 1), (inner, 4), (*draft.shape[:-2][:0], inner, 3)))
    )


@role
def expanded_whole(draft: Draft) -> Any:
    """A shape to broadcast to, without -1."""
    sizes = [size if size != 1 else draft.rng.choice((1, 3)) for size in draft.shape]
    return (*(draft.rng.choice((1, 2)) for _ in range(draft.rng.choice((0, 1)))), *sizes)


@role
def whole_size(draft: Draft) -> Any:
    """A shape."""
    return draw_shape(draft.rng)
