"""Operands, numbers, dimensions and dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arguments import DTYPES, Array, Dtype, NumpyArray, PythonType
from ..values import broadcastable, draw_array, draw_dtype, draw_number, draw_shape, draw_values
from .drafts import OUT, Draft, mostly, mostly_dtype, role


@role
def operand(draft: Draft) -> Any:
    """A tensor that broadcasts, or a number."""
    rng = draft.rng
    if rng.random() < 0.27:
        return draw_number(rng, plain=draft.profile == "summed")
    dtype = draft.dtype if rng.random() < 0.5 else draw_dtype(rng, draft.kind)
    shape = broadcastable(rng, draft.shape) if rng.random() < 0.97 else draw_shape(rng)
    if rng.random() < 0.05:  # the first one is the smaller
        shape = (2, *draft.shape)[:8]
    return draft.array(shape, dtype)


@role
def tensor_operand(draft: Draft) -> Any:
    """A tensor that broadcasts; a number one time in thirty."""
    rng = draft.rng
    if rng.random() < 0.03:
        return draw_number(rng)
    dtype = draft.dtype if rng.random() < 0.6 else draw_dtype(rng, draft.kind)
    shape = broadcastable(rng, draft.shape) if rng.random() < 0.97 else draw_shape(rng)
    return draft.array(shape, dtype)


@role
def same(draft: Draft) -> Any:
    """A tensor of the same shape and dtype, at times not."""
    return draft.array(mostly(draft, draft.shape), mostly_dtype(draft))


@role
def number(draft: Draft) -> Any:
    """A number or a 0-d tensor."""
    if draft.rng.random() < 0.1:
        return draft.array(())
    return draw_number(draft.rng, plain=draft.profile == "summed")


@role
def fill(draft: Draft) -> Any:
    """A Python number."""
    return draw_number(draft.rng)


@role
def plain_number(draft: Draft) -> Any:
    """A small Python number."""
    return draw_number(draft.rng, plain=True)


@role
def alpha(draft: Draft) -> Any:
    """A factor: whole, fractional, bool or too large."""
    return draft.rng.choice((1, 2, 3, -1, 0, 0.5, 2.0, True, 100, 300, -2.5))


@role
def limit(draft: Draft) -> Any:
    """A bound of clamp: None, a number or a tensor."""
    if draft.rng.random() < 0.2:
        return None
    if draft.rng.random() < 0.3:
        return draft.array(broadcastable(draft.rng, draft.shape), mostly_dtype(draft))
    return draw_number(draft.rng, plain=draft.rng.random() < 0.7)


@role
def condition(draft: Draft) -> Any:
    """A bool tensor, which sets the call's shape."""
    draft.start(draw_shape(draft.rng))
    dtype = draft.rng.choice(("bool",) * 9 + ("uint8", "float32"))
    return draft.array(draft.shape, dtype)


@role
def mask(draft: Draft) -> Any:
    """A bool tensor that broadcasts to the call's shape."""
    return draft.array(
        broadcastable(draft.rng, draft.shape), draft.rng.choice(("bool",) * 15 + ("uint8",))
    )


@role
def dim(draft: Draft) -> Any:
    """One dimension."""
    return draft.dim()


@role
def dim_or_none(draft: Draft) -> Any:
    """One dimension or None."""
    return None if draft.rng.random() < 0.15 else draft.dim()


@role
def dims_or_dim(draft: Draft) -> Any:
    """None, one dimension, or several."""
    choice = draft.rng.random()
    if choice < 0.1:
        return None
    if choice < 0.55:
        return draft.dim()
    return draft.rng.choice((tuple, list))(draft.dims())


@role
def two_dims(draft: Draft) -> Any:
    """Two dimensions of a matrix norm."""
    return (draft.dim(), draft.dim())


@role
def dims(draft: Draft) -> Any:
    """Several dimensions."""
    return draft.dims()


@role
def dtype(draft: Draft) -> Any:
    """A dtype, at times Python's int, float or bool, or None."""
    if draft.rng.random() < 0.08:
        return draft.rng.choice((None, PythonType(int), PythonType(float), PythonType(bool)))
    return Dtype(draw_dtype(draft.rng))


@role
def float_dtype(draft: Draft) -> Any:
    """Mostly a floating dtype."""
    return Dtype(
        draw_dtype(draft.rng, "float") if draft.rng.random() < 0.85 else draw_dtype(draft.rng)
    )


@role
def random_dtype(draft: Draft) -> Any:
    """float32 or float64."""
    return Dtype(draft.rng.choice(("float32", "float64", "float32", "float16")))


@role
def data(draft: Draft) -> Any:
    """Nested lists, numbers or a NumPy array: what makes a tensor."""
    rng = draft.rng
    choice = rng.random()
    if choice < 0.25:
        return draw_number(rng)
    if choice < 0.5:
        name = rng.choice([name for name in DTYPES if name != "bfloat16"])
        return NumpyArray(draw_values(rng, name, draw_shape(rng, 0, 3), "special"))
    if choice < 0.6:
        return rng.choice(
            (
                [],
                [[]],
                [[], []],
                [[1], [2, 3]],
                [1, [2]],
                "12",
                None,
                [None],
                [True, 2, 3.5],
                (1, 2.0),
            )
        )
    name = rng.choice(("bool", "int64", "int8", "float64"))
    return draw_values(rng, name, draw_shape(rng, 0, 3), "special").tolist()


@role
def sequence(draft: Draft) -> Any:
    """A sorted vector (or rows), for searchsorted."""
    array = draft.start(draw_shape(draft.rng, 1, 2))
    plain = draw_values(draft.rng, draft.dtype, draft.shape, "plain")
    del array
    return Array(draft.dtype, np.sort(plain, axis=-1))


@role
def searched(draft: Draft) -> Any:
    """What is searched: the same leading sizes, or anything for a vector."""
    if len(draft.shape) == 1:
        if draft.rng.random() < 0.2:
            return draw_number(draft.rng, plain=True)
        return draft.array(draw_shape(draft.rng, 0, 2), mostly_dtype(draft))
    return draft.array((*draft.shape[:-1], draft.rng.choice((0, 1, 4))), mostly_dtype(draft))


@role
def counts(draft: Draft) -> Any:
    """Whole numbers to count."""
    name = draw_dtype(draft.rng, "integral")
    draft.shape, draft.dtype = (draft.rng.choice((0, 1, 5, 40)),), name
    profile = "positive" if draft.rng.random() < 0.95 else "plain"
    return draw_array(draft.rng, name, draft.shape, profile)


@role
def weights(draft: Draft) -> Any:
    """Weights of the same shape."""
    return draft.array(mostly(draft, draft.shape), draw_dtype(draft.rng, "mostly float"))


@role
def k(draft: Draft) -> Any:
    """topk's count."""
    return draft.rng.randint(0, max(draft.shape, default=1))


@role
def out(draft: Draft) -> Any:
    """Replaced once the result's shape and dtype are known."""
    return OUT


@role
def unit(draft: Draft) -> Any:
    """Probabilities."""
    draft.profile = "unit"
    return draft.start(draw_shape(draft.rng, 0, 3))


@role
def positives(draft: Draft) -> Any:
    """Weights of multinomial."""
    draft.profile = "positive"
    return draft.start(draw_shape(draft.rng, 1, 2))


@role
def where_operand(draft: Draft) -> Any:
    """A tensor that broadcasts with the condition, or a number."""
    return operand(draft)


@role
def low(draft: Draft) -> Any:
    """A lower bound or start."""
    return draft.rng.choice((0, 1, -3, 2.0, 0.5, -1.5, 7, 100, 0.0))


@role
def high(draft: Draft) -> Any:
    """An upper bound or end."""
    return draft.rng.choice((0, 1, 5, 10, 2.5, -4, 7.0, 11, 300, 1.25))


@role
def step(draft: Draft) -> Any:
    """A step of arange."""
    return draft.rng.choice((1, 2, 3, -1, 0.5, 0.1, -0.25, 1.0, 0))


@role
def float_like(draft: Draft) -> Any:
    """A tensor of a floating dtype."""
    draft.kind = "float"
    return draft.start(draw_shape(draft.rng))
