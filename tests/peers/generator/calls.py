"""From a row of the catalogue to one call: the same seed and number give the same call."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from .arguments import FLOATS, Array, Call, numpy_dtype
from .catalogue import Row, rows
from .roles import OUT, ROLES, Draft, Splat
from .values import draw_dtype, draw_values


def draw_row(rng: random.Random, among: tuple[Row, ...]) -> Row:
    """A row, the ones with more to draw more often."""
    return rng.choices(among, [row.weight for row in among])[0]


def kills_torch(call: Call) -> str | None:
    """Why this call kills torch's process; None if it does not. gpukit handles these calls."""
    if call.name.rpartition(".")[2] not in DIVISIONS:
        return None
    numbers = [value for value in call.arguments if isinstance(value, int | np.integer)]
    values = [array.data.ravel() for array in call.arrays() if "int" in array.dtype]
    values += [np.array([number]) for number in numbers if abs(int(number)) < 2**63]
    lowest = any((each == np.iinfo(kind).min).any() for each in values for kind in ("i4", "i8"))
    if lowest and any((each == -1).any() for each in values):
        return "the lowest whole number divided by -1 is SIGFPE in torch"
    return None


DIVISIONS = {
    "div", "divide", "div_", "floor_divide", "floor_divide_", "remainder", "remainder_", "floordiv", "mod", "ifloordiv", "imod",
}  # fmt: skip
# torch.triu(x, out=y) writes past the end of y when y is a strided batch.
OUT_IS_CONTIGUOUS = {"triu", "tril"}


def draw_call(seed: int, number: int, among: tuple[Row, ...] | None = None) -> tuple[Call, Row]:
    """The call with this number of the sequence that the seed gives."""
    rng = random.Random(f"{seed}:{number}")
    while True:
        call, row = _draw(rng, among or rows())
        if row.library != "torch" or kills_torch(call) is None:
            return call, row


def _draw(rng: random.Random, among: tuple[Row, ...]) -> tuple[Call, Row]:
    row = draw_row(rng, among)
    draft = Draft(rng, row.kind, rng.choice(row.profiles))
    arguments, keywords = _draw_arguments(row, draft)
    call = Call(row.key, row.form, row.name, row.peer, arguments, keywords, row.library)
    if row.form == "reversed operator":
        call.arguments.reverse()
    if row.differentiable and rng.random() < 0.4:
        for array in call.arrays():
            array.requires_grad = (
                array.dtype in FLOATS and not array.is_index and rng.random() < 0.8
            )
    return call, row


def _draw_arguments(row: Row, draft: Draft) -> tuple[list[Any], dict[str, Any]]:
    rng = draft.rng
    arguments: list[Any] = []
    keywords: dict[str, Any] = {}
    by_name = row.form in {"function", "method"} and row.library == "torch" and rng.random() < 0.35
    named_from = rng.randint(1, len(row.parameters)) if by_name else len(row.parameters)
    for place, parameter in enumerate(row.parameters):
        if parameter.optional and rng.random() < 0.5:
            named_from = min(named_from, place)
            continue
        if parameter.role == "out" and rng.random() < 0.7:
            continue
        value = ROLES[parameter.role](draft)
        draft.drawn[parameter.name] = value
        if isinstance(value, Splat):
            arguments += value.values
        elif place >= named_from or parameter.keyword_only:
            keywords[parameter.name] = value
        else:
            arguments.append(value)
    return arguments, keywords


def wants_out(call: Call) -> bool:
    """Whether `out=` is still to be drawn."""
    return call.keywords.get("out") is OUT


def without_out(call: Call) -> Call:
    """The call as it is without `out=`."""
    return call.with_values(
        call.arguments, {key: value for key, value in call.keywords.items() if value is not OUT}
    )


def with_out(call: Call, rng: random.Random, dtype: str, shape: tuple[int, ...]) -> Call:
    """The call with a tensor for its result: fitting, strided, empty, or of another dtype."""
    way = rng.random()
    name = dtype if way < 0.75 else draw_dtype(rng)
    views: tuple[tuple[Any, ...], ...] = ()
    storage = (0,) if 0.5 < way < 0.6 else shape
    if way < 0.15 and len(shape) > 1 and call.name not in OUT_IS_CONTIGUOUS:
        storage, views = (shape[1], shape[0], *shape[2:]), (("transpose", 0, 1),)
    values = draw_values(rng, name, storage, "plain").astype(numpy_dtype(name))
    return call.with_values(call.arguments, {**call.keywords, "out": Array(name, values, views)})


def on_small_values(call: Call) -> bool:
    """Whether every tensor of the call is small enough to print."""
    return all(array.data.size <= 64 for array in call.arrays())


def largest(call: Call) -> float:
    """The largest finite magnitude among the call's values."""
    found = 1.0
    for array in call.arrays():
        if array.data.size:
            values = np.abs(array.data.astype(np.float64))
            finite = values[np.isfinite(values)]
            found = max(found, float(finite.max()) if finite.size else 0.0)
    for value in (*call.arguments, *call.keywords.values()):
        if isinstance(value, int | float) and np.isfinite(float(value)):
            found = max(found, abs(float(value)))
    return found
