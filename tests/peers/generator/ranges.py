"""Traits of a call's numbers beside the range and the digits of its dtypes."""

from __future__ import annotations

import math

import numpy as np

from .arguments import FLOATS, Array, Call, numpy_dtype, rounded_to_bfloat16, viewed, viewed_shape
from .comparison import EPSILON, NORMAL
from .traits import dtypes, given, plain

HALVES = {"float16", "bfloat16"}


def _magnitudes(array: Array) -> np.ndarray:
    return np.abs(viewed(array).astype(np.float64)).ravel()


def _top(call: Call) -> float:
    """The largest number of the narrowest floating dtype, which is float32 beside whole numbers."""
    names = dtypes(call) & set(FLOATS) or {"float32"}
    return min(float(np.finfo(numpy_dtype(name)).max) for name in names)


def leaves_range(call: Call) -> bool:
    """A product of some of the elements may be beyond the range of a floating dtype of the call."""
    names = dtypes(call) & set(FLOATS)
    smallest = max((NORMAL[name] for name in names), default=0.0)
    for array in call.arrays() if names else ():
        size = _magnitudes(array)
        if not np.isfinite(size).all():
            return True
        logs = np.log2(size[size > 0])
        up, down = logs[logs > 0].sum(), logs[logs < 0].sum()
        if up >= math.log2(_top(call)) or down <= math.log2(smallest):
            return True
    return False


def alpha_leaves_range(call: Call) -> bool:
    """An element or a number is beyond the range of a floating dtype, or its product with alpha."""
    factor = max(abs(float(call.keywords.get("alpha", 1))), 1.0)
    sizes = [size for array in call.arrays() for size in _magnitudes(array)]
    sizes += [abs(float(value)) for value in plain(call) if isinstance(value, int | float)]
    return any(math.isfinite(size) and size * factor >= _top(call) for size in sizes)


def _unheld(value: np.ndarray, halves: set[str]) -> bool:
    """One of the half types does not hold the values."""
    with np.errstate(over="ignore"):
        held = {
            "float16": value.astype(np.float16).astype(np.float64),
            "bfloat16": rounded_to_bfloat16(value.astype(np.float32)).astype(np.float64),
        }
    return any(not np.array_equal(value, held[name], equal_nan=True) for name in halves)


def halves_beside_one(call: Call) -> bool:
    """A tensor of one element, which a half type beside it does not hold."""
    halves = dtypes(call) & HALVES
    return any(
        array.dtype not in HALVES
        and np.prod(viewed_shape(array)) == 1
        and _unheld(viewed(array).astype(np.float64).ravel(), halves)
        for array in call.arrays()
    )


def halves_beside_number(call: Call) -> bool:
    """A number, which a half type beside it does not hold."""
    numbers = [float(value) for value in plain(call) if isinstance(value, float)]
    return _unheld(np.array(numbers), dtypes(call) & HALVES)


def beyond_halves(call: Call) -> bool:
    """A number that float16 does not hold stands beside half types."""
    numbers = [value for value in plain(call) if isinstance(value, int | float)]
    return "float16" in dtypes(call) and any(abs(value) > 65504 for value in numbers)


def beyond_digits(call: Call) -> bool:
    """A number is so large that a floating dtype of the call does not tell odd from even."""
    digits = max((EPSILON[name] for name in dtypes(call) & set(FLOATS)), default=0.0)
    return any(abs(value) * digits >= 1 for value in plain(call) if isinstance(value, int | float))


def subnormal(call: Call) -> bool:
    """An element is subnormal."""
    return any(
        ((size > 0) & (size < NORMAL[array.dtype])).any()
        for array in call.arrays()
        if array.dtype in FLOATS
        for size in (_magnitudes(array),)
    )


def lowest(call: Call) -> bool:
    """The lowest whole number of a signed dtype is among the elements."""
    return any(
        array.dtype.startswith("int") and (array.data == np.iinfo(array.dtype).min).any()
        for array in call.arrays()
    )


def at_the_tolerance(call: Call) -> bool:
    """Two elements differ by as much as `isclose` allows, up to roundings of the call's dtypes."""
    one, other = (viewed(array).astype(np.float64) for array in call.arrays()[:2])
    digits = max(EPSILON.get(name, EPSILON["float32"]) for name in dtypes(call))
    with np.errstate(all="ignore"):
        allowed = given(call, 3, "atol", 1e-8) + given(call, 2, "rtol", 1e-5) * np.abs(other)
        slack = digits * (np.abs(one) + np.abs(other) + allowed)
        return bool((np.abs(np.abs(one - other) - allowed) <= slack).any())


def corrected(call: Call) -> bool:
    """The correction is 2 or more, and not less than the number of elements."""
    correction = call.keywords.get("correction", 1)
    if not isinstance(correction, int | float) or correction < 2:
        return False
    shape = viewed_shape(call.arrays()[0])
    dim = given(call, 1, "dim", None)
    dims = range(len(shape)) if dim is None else dim if isinstance(dim, tuple | list) else (dim,)
    return bool(correction >= math.prod(shape[each] for each in dims if shape))
