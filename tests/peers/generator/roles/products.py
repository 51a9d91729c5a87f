"""Factors of products and equations."""

from __future__ import annotations

from typing import Any

from ..values import broadcastable, draw_dtype
from .drafts import Draft, Splat, mostly, mostly_dtype, role


@role
def factor(draft: Draft) -> Any:
    """A second matrix (or vector, or stack) for a product."""
    rng, shape = draft.rng, draft.shape
    inner = shape[-1] if shape else 3
    choice = rng.random()
    if choice < 0.25:
        other: tuple[int, ...] = (inner,)
    elif choice < 0.75 or len(shape) < 3:
        other = (inner, rng.choice((1, 2, 3, 17)))
    else:
        other = (*(rng.choice((size, 1)) for size in shape[:-2]), inner, rng.choice((1, 2, 4)))
    return draft.array(mostly(draft, other), mostly_dtype(draft))


@role
def columns(draft: Draft) -> Any:
    """A matrix with as many rows as the first has columns."""
    inner = draft.shape[-1] if draft.shape else 3
    return draft.array(mostly(draft, (inner, draft.rng.choice((0, 1, 2, 5)))), mostly_dtype(draft))


@role
def batch_columns(draft: Draft) -> Any:
    """A batch of such matrices."""
    return draft.array(mostly(draft, (draft.shape[0], draft.shape[-1], 3)), mostly_dtype(draft))


@role
def inner(draft: Draft) -> Any:
    """A vector as long as the last dimension."""
    return draft.array(mostly(draft, draft.shape[-1:]), mostly_dtype(draft))


@role
def any_vector(draft: Draft) -> Any:
    """A vector of another length."""
    return draft.array((draft.rng.choice((0, 1, 3, 5)),), mostly_dtype(draft))


@role
def added(draft: Draft) -> Any:
    """The first argument of addmm: broadcasts to the product of the two after it."""
    rng = draft.rng
    draft.start((rng.choice((0, 1, 2, 3)), rng.choice((1, 2, 4))))
    draft.drawn["inner"] = rng.choice((0, 1, 2, 5))
    return draft.array(mostly(draft, broadcastable(rng, draft.shape)))


@role
def mat1(draft: Draft) -> Any:
    """addmm's left matrix."""
    return draft.array(mostly(draft, (draft.shape[0], draft.drawn["inner"])), mostly_dtype(draft))


@role
def mat2(draft: Draft) -> Any:
    """addmm's right matrix."""
    return draft.array(mostly(draft, (draft.drawn["inner"], draft.shape[1])), mostly_dtype(draft))


EQUATIONS = {
    1: ("i->i", "i->", "ij->ji", "ij->", "ij->i", "ii->i", "ii", "...->...", "i...->...", "ijk->kji", "ij->j", "i->ij", "iji->j"),
    2: ("i,i->", "i,j->ij", "ij,jk->ik", "ij,kj", "bij,bjk->bik", "...ij,...jk->...ik", "ij,ij->", "ij,j", ",ij->ij", "i,i", "ij,jk->"),
}  # fmt: skip


@role
def equation(draft: Draft) -> Any:
    """einsum's text and operands of fitting shapes."""
    rng = draft.rng
    count = rng.choice((1, 2, 2))
    text = rng.choice(EQUATIONS[count])
    draft.dtype = draw_dtype(rng, draft.kind)
    sizes = {letter: rng.choice((0, 1, 2, 3, 4)) for letter in "bijk"}
    arrays = []
    for part in text.split("->")[0].split(","):
        letters = part.replace("...", "")
        shape = (
            *(rng.choice((1, 2)) for _ in range(2 * part.startswith("...") // 2)),
            *(sizes[x] for x in letters),
        )
        arrays.append(draft.array(mostly(draft, shape)))
    return Splat([text, *arrays])


@role
def contraction(draft: Draft) -> Any:
    """tensordot's dims."""
    count = len(draft.shape)
    if draft.rng.random() < 0.5:
        return draft.rng.randint(0, count)
    dims = draft.rng.sample(range(count), draft.rng.randint(0, count))
    return (dims, list(dims))
