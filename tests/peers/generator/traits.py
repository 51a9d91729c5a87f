"""Traits of calls that a documented difference asks for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .arguments import Array, Call, Dtype, NumpyArray, PythonType, viewed, viewed_shape
from .documented import last

WRITES = {"int", "long", "type_as", "copy_", "new_tensor", "__setitem__", "__int__"}


def _values(call: Call) -> list[np.ndarray]:
    found = [array.data.astype(np.float64).ravel() for array in call.arrays() if array.data.size]
    found += [
        np.nan_to_num(np.asarray(value.data, np.float64).ravel(), nan=np.inf)
        for value in plain(call)
        if isinstance(value, NumpyArray) and value.data.size
    ]
    numbers = [value for value in plain(call) if isinstance(value, int | float | np.number)]
    return [*found, np.array([float(value) for value in numbers])] if numbers else found


def plain(call: Call) -> list[Any]:
    """The values of all arguments."""
    return [*call.arguments, *call.keywords.values()]


def given(call: Call, place: int, name: str, default: Any) -> Any:
    """An argument that stands at a place or behind its name."""
    return (
        call.arguments[place] if place < len(call.arguments) else call.keywords.get(name, default)
    )


def dtypes(call: Call) -> set[str]:
    """The dtypes of tensors, and those that are arguments."""
    asked = {value.name for value in plain(call) if isinstance(value, Dtype)}
    return asked | {array.dtype for array in call.arrays()}


def has_nan(call: Call) -> bool:
    """A NaN is among the values."""
    return any(np.isnan(values).any() for values in _values(call))


def has_edges(call: Call) -> bool:
    """NaN, an infinity, or a number near an end of a dtype's range is among the values."""
    for values in _values(call):
        size = np.abs(values)
        with np.errstate(invalid="ignore"):
            if (~np.isfinite(size) | (size > 1e9) | ((size > 0) & (size < 1e-6))).any():
                return True
    return False


def has_empty(call: Call) -> bool:
    """A tensor has no elements."""
    return any(0 in viewed_shape(array) for array in call.arrays())


def selects_nothing(call: Call) -> bool:
    """The key of square brackets leaves no elements: slices, masks and sizes alone say so."""
    if call.form not in {"get", "set"} or has_empty(call):
        return call.form in {"get", "set"}
    whole = viewed(call.arguments[0])

    def inside(part: Any) -> Any:
        if isinstance(part, Array):
            values = viewed(part)
            return values if part.dtype == "bool" else np.zeros(values.shape, np.int64)
        if isinstance(part, NumpyArray):
            return part.data if part.data.dtype == bool else np.zeros(part.data.shape, np.int64)
        if isinstance(part, list):
            return np.zeros(np.shape(part), np.int64)
        return 0 if isinstance(part, int | np.integer) and not isinstance(part, bool) else part

    key = call.arguments[1]
    try:
        return bool(
            whole[tuple(map(inside, key)) if isinstance(key, tuple) else inside(key)].size == 0
        )
    except (IndexError, ValueError):
        return False


def unfit_element(call: Call) -> bool:
    """A whole number, or a tensor of one, is beyond the range of another tensor's dtype."""
    whole = [array for array in call.arrays() if "int" in array.dtype and array.data.size]
    return unfit_number(call) or any(
        int(value) < np.iinfo(other.dtype).min or int(value) > np.iinfo(other.dtype).max
        for array in whole
        if viewed_shape(array) == ()
        for value in (array.data.min(), array.data.max())
        for other in whole
    )


def no_dims(call: Call) -> bool:
    """An empty tuple or list of dimensions is given."""
    return any(isinstance(value, tuple | list) and not value for value in plain(call))


def unfit_number(call: Call) -> bool:
    """A whole number beyond the range of the tensor's dtype is among the arguments."""
    ranges = [np.iinfo(array.dtype) for array in call.arrays() if "int" in array.dtype]
    return any(
        isinstance(value, int | np.integer)
        and not isinstance(value, bool)
        and not info.min <= value <= info.max
        for value in plain(call)
        for info in ranges
    )


def has(*names: str) -> Callable[[Call], bool]:
    """A tensor or a dtype argument of one of these dtypes."""
    return lambda call: not dtypes(call).isdisjoint(names)


def has_false(call: Call) -> bool:
    """False is among the arguments."""
    return any(value is False for value in plain(call))


def numpy_bool(call: Call) -> bool:
    """A bool of NumPy's is among the arguments."""
    return any(isinstance(value, np.bool_) for value in plain(call))


def to_whole(call: Call) -> bool:
    """The result's dtype is a whole number's while a tensor or number is not one."""
    wanted = [value for value in plain(call) if isinstance(value, Dtype | PythonType)]
    whole = any(
        value.kind is int if isinstance(value, PythonType) else "int" in value.name
        for value in wanted
    )
    out = call.keywords.get("out")
    into_whole = isinstance(out, Array) and "int" in out.dtype
    return whole or into_whole or last(call) in WRITES
