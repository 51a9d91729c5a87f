"""Shapes, parts and orders of dimensions, and lists of tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arguments import Array
from ..values import broadcastable, draw_dtype, draw_shape
from .drafts import ROLES, Draft, Splat, mostly, mostly_dtype, role, splat
from .operands import same


@role
def order(draft: Draft) -> Any:
    """A permutation of all dimensions, as a tuple or spread out."""
    count = len(draft.shape)
    dims = [
        dim - count if draft.rng.random() < 0.2 else dim
        for dim in draft.rng.sample(range(count), count)
    ]
    if dims and draft.rng.random() < 0.06:
        dims[-1] = draft.rng.choice((dims[0], count))
    return tuple(dims)


@role
def new_shape(draft: Draft) -> Any:
    """A shape with as many elements, or nearly."""
    rng = draft.rng
    left = int(np.prod(draft.shape, dtype=np.int64))
    sizes = []
    for _ in range(rng.randint(0, 4)):
        divisors = [d for d in range(1, min(left, 12) + 1) if left and left % d == 0] or [0, 1, 2]
        sizes.append(rng.choice(divisors))
        left = left // sizes[-1] if sizes[-1] else 0
    if left != 1 or rng.random() < 0.5:
        sizes.append(left)
    if sizes and rng.random() < 0.3:
        sizes[rng.randrange(len(sizes))] = -1
    if sizes and rng.random() < 0.06:
        sizes[rng.randrange(len(sizes))] = rng.choice((-1, -2, 0, 3))
    return tuple(sizes)


@role
def size(draft: Draft) -> Any:
    """A shape for a new tensor, rarely a wrong one."""
    if draft.rng.random() < 0.03:
        return draft.rng.choice(((-1,), (2, -3), (1.5,), ("2",)))
    return draw_shape(draft.rng)


@role
def repeats(draft: Draft) -> Any:
    """How often each dimension is repeated."""
    count = max(0, len(draft.shape) + draft.rng.choice((0, 0, 0, 1, -1)))
    return tuple(draft.rng.choice((0, 1, 1, 2, 3)) for _ in range(count))


@role
def expanded(draft: Draft) -> Any:
    """A shape that the tensor can be expanded to, or nearly."""
    rng = draft.rng
    sizes = [
        rng.choice((size, size, -1)) if size != 1 else rng.choice((1, -1, 3))
        for size in draft.shape
    ]
    if rng.random() < 0.06 and sizes:
        sizes[0] = rng.choice((5, -2, 0))
    return (*(rng.choice((1, 2, 3)) for _ in range(rng.choice((0, 0, 1, 2)))), *sizes)


@role
def start(draft: Draft) -> Any:
    """Where narrow begins."""
    return draft.rng.randint(
        -1, max(draft.size(draft.drawn["dim"]), 0) + (draft.rng.random() < 0.1)
    )


@role
def length(draft: Draft) -> Any:
    """How long narrow is."""
    left = draft.size(draft.drawn["dim"]) - max(draft.drawn["start"], 0)
    return draft.rng.randint(0, max(left, 0)) if draft.rng.random() < 0.93 else left + 1


@role
def place(draft: Draft) -> Any:
    """One index of the dimension drawn before."""
    size = draft.size(draft.drawn["dim"])
    return draft.rng.randint(-size, size - 1) if size and draft.rng.random() < 0.93 else size


@role
def sections(draft: Draft) -> Any:
    """The size of a part, or the sizes of all."""
    rng, where = draft.rng, draft.drawn.get("dim", 0)
    size = draft.size(where) if isinstance(where, int) else 1
    if rng.random() < 0.5:
        return rng.choice((1, 2, 3, size, 0))
    cut = rng.randint(0, size)
    return [cut, size - cut + (rng.random() < 0.05)]


@role
def shifts(draft: Draft) -> Any:
    """Shifts of roll."""
    return draft.rng.choice((0, 1, -1, 3, 1000, -(2**40)))


@role
def tensors(draft: Draft) -> Any:
    """Several tensors of one shape."""
    first = draft.start(draw_shape(draft.rng, 0, 4))
    return [first, *(same(draft) for _ in range(draft.rng.choice((0, 1, 1, 2))))]


@role
def joined(draft: Draft) -> Any:
    """Tensors that differ in one dimension's size."""
    first = draft.start(draw_shape(draft.rng, 1, 4))
    at = draft.rng.randrange(len(draft.shape))
    draft.drawn["joined"] = at
    rest = []
    for _ in range(draft.rng.choice((0, 1, 1, 2))):
        shape = tuple(
            draft.rng.choice((0, 1, 2, 3)) if axis == at else size
            for axis, size in enumerate(draft.shape)
        )
        rest.append(
            draft.array(
                mostly(draft, shape),
                draft.dtype if draft.rng.random() < 0.6 else draw_dtype(draft.rng),
            )
        )
    if draft.rng.random() < 0.05:
        rest.append(draft.array((0,)))
    return draft.rng.choice((list, tuple))([first, *rest])


@role
def joined_dim(draft: Draft) -> Any:
    """The dimension in which they differ."""
    at, count = draft.drawn["joined"], len(draft.shape)
    return draft.rng.choice((at, at - count)) if draft.rng.random() < 0.9 else draft.dim()


@role
def several(draft: Draft) -> Any:
    """Tensors that broadcast together."""
    first = draft.start(draw_shape(draft.rng, 0, 3))
    return Splat([first, *(draft.array(broadcastable(draft.rng, draft.shape)) for _ in range(2))])


@role
def vectors(draft: Draft) -> Any:
    """Vectors for meshgrid."""
    first = draft.start(draw_shape(draft.rng, 0, 1))
    return Splat(
        [
            first,
            *(
                draft.array((draft.rng.choice((0, 1, 2, 3)),))
                for _ in range(draft.rng.choice((0, 1, 2)))
            ),
        ]
    )


@role
def stacked(draft: Draft) -> Any:
    """Tensors of at most two dimensions, for hstack and vstack."""
    first = draft.start(draw_shape(draft.rng, 0, 3))
    return [first, *(same(draft) for _ in range(draft.rng.choice((0, 1, 2))))]


@role
def repeat_counts(draft: Draft) -> Any:
    """repeat_interleave's counts: one number or a number an element."""
    where = draft.drawn.get("dim")
    if draft.rng.random() < 0.6:
        return draft.rng.choice((0, 1, 2, 3))
    length = (
        draft.size(where) if isinstance(where, int) else int(np.prod(draft.shape, dtype=np.int64))
    )
    return Array("int64", np.array([draft.rng.choice((0, 1, 2)) for _ in range(length)], np.int64))


@role
def edge(draft: Draft) -> Any:
    """diff's prepend or append."""
    where = draft.drawn.get("dim")
    at = (where if isinstance(where, int) else -1) % max(len(draft.shape), 1)
    shape = tuple(
        draft.rng.choice((1, 2)) if axis == at else size for axis, size in enumerate(draft.shape)
    )
    return draft.array(mostly(draft, shape), mostly_dtype(draft))


@role
def shapes(draft: Draft) -> Any:
    """Shapes that broadcast, or nearly."""
    shape = draw_shape(draft.rng)
    return Splat(
        [
            shape,
            *(broadcastable(draft.rng, shape) for _ in range(2)),
            *([(3,)] if draft.rng.random() < 0.1 else []),
        ]
    )


for _name in ("order", "new_shape", "size", "repeats", "expanded", "dims"):
    ROLES[_name + "_args"] = splat(_name)
