"""Inputs, targets and weights of networks and losses."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arguments import Array
from ..values import draw_array, draw_dtype, draw_shape
from .drafts import Draft, mostly, mostly_dtype, role
from .places import drawn_places


@role
def target(draft: Draft) -> Any:
    """A loss's target of the same shape."""
    return draft.array(
        mostly(draft, draft.shape),
        draft.dtype if draft.rng.random() < 0.9 else draw_dtype(draft.rng, "float"),
    )


@role
def unit_target(draft: Draft) -> Any:
    """A target between 0 and 1."""
    return draw_array(draft.rng, draft.dtype, mostly(draft, draft.shape), "unit")


@role
def scores(draft: Draft) -> Any:
    """Rows of scores: (C), (N, C) or (N, C, d)."""
    shape = tuple(draft.rng.choice((1, 2, 3, 5)) for _ in range(draft.rng.choice((1, 2, 2, 2, 3))))
    return draft.start(shape)


@role
def labels(draft: Draft) -> Any:
    """A class a row; at times out of range, ignored, or probabilities."""
    rng, shape = draft.rng, draft.shape
    classes = shape[0] if len(shape) == 1 else shape[1]
    rest = () if len(shape) == 1 else (shape[0], *shape[2:])
    if rng.random() < 0.15 and draft.drawn.get("allows probabilities", True):
        return draw_array(rng, draft.dtype, shape, "unit")
    count = int(np.prod(rest, dtype=np.int64))
    values = [rng.randrange(classes) for _ in range(count)]
    if values and rng.random() < 0.2:
        values[rng.randrange(count)] = rng.choice((-100, classes, -1, classes + 4, 1))
    dtype = rng.choice(("int64",) * 14 + ("int32", "uint8", "float32"))
    return Array(
        dtype,
        np.array(values, np.int64).clip(-100, 200).astype(np.int64).reshape(rest).astype(dtype),
        is_index=True,
    )


@role
def loss_weight(draft: Draft) -> Any:
    """A weight an element."""
    return draw_array(draft.rng, draft.dtype, mostly(draft, draft.shape), "positive")


@role
def class_weight(draft: Draft) -> Any:
    """A weight a class."""
    classes = draft.shape[0] if len(draft.shape) == 1 else draft.shape[1]
    return draw_array(draft.rng, draft.dtype, (classes,), "positive")


@role
def ignored(draft: Draft) -> Any:
    """ignore_index."""
    return draft.rng.choice((-100, 0, 1, -1))


@role
def linear_weight(draft: Draft) -> Any:
    """(out, in)."""
    inner = draft.shape[-1] if draft.shape else 3
    draft.drawn["rows"] = draft.rng.choice((1, 2, 5, 17))
    return draft.array(mostly(draft, (draft.drawn["rows"], inner)), mostly_dtype(draft))


@role
def linear_bias(draft: Draft) -> Any:
    """(out)."""
    return draft.array(mostly(draft, (draft.drawn["rows"],)), mostly_dtype(draft))


@role
def normalized(draft: Draft) -> Any:
    """The last sizes."""
    count = draft.rng.randint(1, max(len(draft.shape), 1))
    sizes = draft.shape[-count:] if draft.shape else (3,)
    draft.drawn["sizes"] = sizes
    return draft.rng.choice((tuple, list))(sizes)


@role
def normalized_weight(draft: Draft) -> Any:
    """A weight of those sizes."""
    return draft.array(mostly(draft, tuple(draft.drawn["sizes"])), mostly_dtype(draft))


@role
def words(draft: Draft) -> Any:
    """Indices into a table of 7 rows."""
    shape = draw_shape(draft.rng, 0, 2)
    draft.shape, draft.dtype = shape, draw_dtype(draft.rng, "float")
    return drawn_places(draft, shape, 7)


@role
def table(draft: Draft) -> Any:
    """A table of 7 rows."""
    return draft.array((7, draft.rng.choice((1, 3))))


@role
def padding(draft: Draft) -> Any:
    """padding_idx."""
    return draft.rng.choice((None, 0, 3, -1, 6, 7))


@role
def labels_only(draft: Draft) -> Any:
    """What one_hot takes."""
    draft.shape = draw_shape(draft.rng, 0, 2)
    return drawn_places(draft, draft.shape, 8)
