"""Every operation against NumPy over dtypes, shapes and layouts that hypothesis makes up.

In the suite a few cases an operation, always the same ones. The long job draws new ones:
GPUKIT_TEST_LONG=10000 pytest tests/backend/test_properties.py runs ten thousand an operation.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gpukit
from support.arrays import ALL, FLOATING, INTEGERS, NUMBERS, TOLERANCE, UNSIGNED, fetch, put, quiet
from support.mode import LONG_RUN

# Ten thousand cases take minutes on a busy machine.
pytestmark = [pytest.mark.timeout(0)] if LONG_RUN else []

CASES = settings(
    max_examples=LONG_RUN or 12,
    derandomize=not LONG_RUN,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)

# name: (NumPy's form, dtypes, lowest and highest argument)
UNARY: dict[str, tuple[Any, tuple[str, ...], float, float]] = {
    "neg": (np.negative, NUMBERS, -9, 9),
    "abs": (np.abs, NUMBERS, -9, 9),
    "sign": (np.sign, NUMBERS, -9, 9),
    "square": (np.square, NUMBERS, -9, 9),
    "floor": (np.floor, FLOATING, -9, 9),
    "ceil": (np.ceil, FLOATING, -9, 9),
    "round": (np.round, FLOATING, -9, 9),
    "trunc": (np.trunc, FLOATING, -9, 9),
    "exp": (np.exp, FLOATING, -9, 9),
    "expm1": (np.expm1, FLOATING, -9, 9),
    "log": (np.log, FLOATING, 0.01, 9),
    "log1p": (np.log1p, FLOATING, -0.9, 9),
    "log2": (np.log2, FLOATING, 0.01, 9),
    "log10": (np.log10, FLOATING, 0.01, 9),
    "sqrt": (np.sqrt, FLOATING, 0, 9),
    "reciprocal": (np.reciprocal, FLOATING, 0.1, 9),
    "sin": (np.sin, FLOATING, -9, 9),
    "cos": (np.cos, FLOATING, -9, 9),
    "tan": (np.tan, FLOATING, -1.4, 1.4),
    "asin": (np.arcsin, FLOATING, -1, 1),
    "acos": (np.arccos, FLOATING, -1, 1),
    "atan": (np.arctan, FLOATING, -9, 9),
    "sinh": (np.sinh, FLOATING, -5, 5),
    "cosh": (np.cosh, FLOATING, -5, 5),
    "tanh": (np.tanh, FLOATING, -9, 9),
    "asinh": (np.arcsinh, FLOATING, -9, 9),
    "acosh": (np.arccosh, FLOATING, 1, 9),
    "atanh": (np.arctanh, FLOATING, -0.9, 0.9),
    "isnan": (np.isnan, FLOATING, -9, 9),
    "isinf": (np.isinf, FLOATING, -9, 9),
    "isfinite": (np.isfinite, FLOATING, -9, 9),
    "signbit": (np.signbit, FLOATING, -9, 9),
    "logical_not": (np.logical_not, ALL, -9, 9),
    "bitwise_not": (np.bitwise_not, INTEGERS, -9, 9),
}
BINARY: dict[str, tuple[Any, tuple[str, ...]]] = {
    "add": (np.add, NUMBERS),
    "sub": (np.subtract, NUMBERS),
    "mul": (np.multiply, NUMBERS),
    "div": (np.true_divide, FLOATING),
    "floor_divide": (np.floor_divide, NUMBERS),
    "remainder": (np.remainder, NUMBERS),
    "maximum": (np.maximum, ALL),
    "minimum": (np.minimum, ALL),
    "atan2": (np.arctan2, FLOATING),
    "hypot": (np.hypot, FLOATING),
    "copysign": (np.copysign, FLOATING),
    "logaddexp": (np.logaddexp, FLOATING),
    "nextafter": (np.nextafter, ("float32", "float64")),
    "bitwise_and": (np.bitwise_and, ("bool", *INTEGERS)),
    "bitwise_or": (np.bitwise_or, ("bool", *INTEGERS)),
    "bitwise_xor": (np.bitwise_xor, ("bool", *INTEGERS)),
    "eq": (np.equal, ALL),
    "ne": (np.not_equal, ALL),
    "lt": (np.less, ALL),
    "le": (np.less_equal, ALL),
    "gt": (np.greater, ALL),
    "ge": (np.greater_equal, ALL),
    "logical_and": (np.logical_and, ALL),
    "logical_or": (np.logical_or, ALL),
    "logical_xor": (np.logical_xor, ALL),
}
REDUCTIONS: dict[str, tuple[Any, tuple[str, ...], bool]] = {
    "sum": (np.sum, NUMBERS, True),
    "prod": (np.prod, ("float64", "int64"), True),
    "mean": (np.mean, ("float32", "float64"), False),
    "amax": (np.max, ALL, False),
    "amin": (np.min, ALL, False),
    "all": (np.all, ALL, True),
    "any": (np.any, ALL, True),
    "count_nonzero": (np.count_nonzero, ALL, True),
}
ALONG: dict[str, tuple[Any, tuple[str, ...]]] = {
    "argmax": (np.argmax, NUMBERS),
    "argmin": (np.argmin, NUMBERS),
    "cumsum": (np.cumsum, ("int64", "float64")),
    "cumprod": (np.cumprod, ("int64", "float64")),
    "argsort": (lambda x, axis: np.argsort(x, axis, kind="stable"), NUMBERS),
    "flip": (np.flip, ALL),
}


def numbers(draw: Any, dtype: str, shape: tuple[int, ...], low: float, high: float) -> Any:
    """Numbers of a range; floating ones hold zeros of both signs, infinities and NaN at times."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype in INTEGERS:
        return rng.integers(max(low, 0) if dtype in UNSIGNED else low, high + 1, shape).astype(
            dtype
        )
    values = rng.uniform(low, high, shape).astype(dtype)
    if draw(st.booleans()) and values.size:
        for special in draw(st.lists(st.sampled_from([0.0, -0.0, np.inf, -np.inf, np.nan]))):
            values.flat[draw(st.integers(0, values.size - 1))] = special
    return values


def view(draw: Any, array: Any, tensor: Any) -> tuple[Any, Any]:
    """The same view of both: reordered, sliced, with steps, flipped, or with a size of 1 more."""
    if array.ndim and draw(st.booleans()):
        order = draw(st.permutations(range(array.ndim)))
        array, tensor = array.transpose(order), tensor.permute(*order)
    for dim in range(array.ndim):
        kind = draw(st.integers(0, 4))
        if kind == 0:
            start = draw(st.integers(0, array.shape[dim]))
            index = (slice(None),) * dim + (slice(start, None, draw(st.integers(1, 3))),)
            array, tensor = array[index], tensor[index]
        elif kind == 1:
            index = (slice(None),) * dim + (slice(None, None, -1),)
            array, tensor = array[index], tensor[index]
    if draw(st.integers(0, 5)) == 0:
        array, tensor = array[None], tensor[None]
    return array, tensor


@st.composite
def operands(
    draw: Any, device: Any, dtypes: tuple[str, ...], low: float = -9, high: float = 9
) -> Any:
    """A view of an array, and the same view of its tensor on the device."""
    shape = tuple(draw(st.lists(st.integers(0, 6), max_size=4)))
    array = numbers(draw, draw(st.sampled_from(dtypes)), shape, low, high)
    return view(draw, array, put(array, device))


def agree(got: Any, want: Any, *, loose: float = 4) -> None:
    """Same shape and dtype, values within a few units of the last place of the dtype."""
    result = fetch(got)
    assert result.shape == np.shape(want)
    tolerance = loose * TOLERANCE.get(str(result.dtype), 0)
    np.testing.assert_allclose(result, want, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", UNARY)
@CASES
@given(data=st.data())
def test_unary(device, name, data):
    function, dtypes, low, high = UNARY[name]
    array, tensor = data.draw(operands(device, dtypes, low, high))
    agree(getattr(gpukit, name)(tensor), quiet(function, array))


@pytest.mark.parametrize("name", BINARY)
@CASES
@given(data=st.data())
def test_binary(device, name, data):
    function, dtypes = BINARY[name]
    array, tensor = data.draw(operands(device, dtypes))
    dtype, shape = str(array.dtype), list(array.shape)
    for dim in range(len(shape)):
        if data.draw(st.integers(0, 4)) == 0:
            shape[dim] = 1
    kept = data.draw(st.integers(0, len(shape)))
    other = numbers(data.draw, dtype, tuple(shape[kept:]), -9, 9)
    if name in {"floor_divide", "remainder"} and dtype in INTEGERS:
        other = np.where(other == 0, np.ones_like(other), other)
    got = getattr(gpukit, name)(tensor, put(other, device))
    agree(got, quiet(function, array, other))


@pytest.mark.parametrize("name", REDUCTIONS)
@CASES
@given(data=st.data())
def test_reductions(device, name, data):
    function, dtypes, of_nothing = REDUCTIONS[name]
    array, tensor = data.draw(operands(device, dtypes))
    if array.size == 0 and not of_nothing:
        return
    dims = None
    if array.ndim and data.draw(st.booleans()):
        dims = tuple(data.draw(st.sets(st.integers(0, array.ndim - 1), min_size=1)))
    keep = data.draw(st.booleans())
    wide = array.astype(np.float64) if str(array.dtype) in FLOATING and name == "sum" else array
    want = quiet(lambda: function(wide, axis=dims, keepdims=keep))
    got = getattr(gpukit, name)(tensor, dim=dims, keepdim=keep)
    with np.errstate(over="ignore"):
        agree(got, np.asarray(want).astype(fetch(got).dtype), loose=40)


@pytest.mark.parametrize("name", ALONG)
@CASES
@given(data=st.data())
def test_along_a_dimension(device, name, data):
    function, dtypes = ALONG[name]
    array, tensor = data.draw(operands(device, dtypes))
    if not array.size or not array.ndim:
        return
    dim = data.draw(st.integers(-array.ndim, array.ndim - 1))
    got = getattr(gpukit, name)(tensor, dim)
    agree(got, quiet(lambda: function(array, axis=dim)), loose=40)


@CASES
@given(data=st.data())
def test_indexing(device, data):
    array, tensor = data.draw(operands(device, ("int32",)))
    index = []
    for size in array.shape:
        kind = data.draw(st.integers(0, 3))
        if kind == 0 and size:
            index.append(data.draw(st.integers(-size, size - 1)))
        elif kind == 1:
            step = data.draw(st.integers(1, 3))
            start = data.draw(st.one_of(st.none(), st.integers(-7, 7)))
            index.append(slice(start, data.draw(st.one_of(st.none(), st.integers(-7, 7))), step))
        elif kind == 2:
            index.append(slice(None))
        else:
            break
    key = tuple(index)
    agree(tensor[key], array[key])
    mask = data.draw(st.sampled_from([array > 0, array < -20]))
    agree(tensor[put(mask, device)], array[mask])


@CASES
@given(data=st.data())
def test_assignment(device, data):
    array, tensor = data.draw(operands(device, ("float32",)))
    array, tensor = array.copy(), tensor.clone()
    dim_slices = tuple(
        slice(data.draw(st.integers(0, size)), None, data.draw(st.integers(1, 2)))
        for size in array.shape
    )
    array[dim_slices] = 7
    tensor[dim_slices] = 7
    agree(tensor, array)
    mask = array == 7
    array[mask] = -1
    tensor[put(mask, device)] = -1
    agree(tensor, array)


@CASES
@given(data=st.data())
def test_products(device, data):
    n, k, m = (data.draw(st.integers(0, 9)) for _ in range(3))
    batch = tuple(data.draw(st.lists(st.integers(1, 3), max_size=2)))
    dtype = data.draw(st.sampled_from(["float32", "float64", "int64"]))
    a = numbers(data.draw, dtype, (*batch, n, k), -3, 3)
    b = numbers(data.draw, dtype, (k, m), -3, 3)
    a, b = (np.where(np.isfinite(x), x, 1).astype(dtype) for x in (a, b))
    agree(put(a, device) @ put(b, device), a @ b, loose=80)


@CASES
@given(data=st.data())
def test_conversions(device, data):
    array, tensor = data.draw(operands(device, ALL, 0, 9))
    dtype = data.draw(st.sampled_from(ALL))
    if str(array.dtype) in FLOATING and dtype in INTEGERS:
        array = np.where(np.isfinite(array), array, 0).astype(array.dtype)
        tensor = put(array, device)
    agree(tensor.to(gpukit.dtype(dtype)), array.astype(dtype))


@CASES
@given(data=st.data())
def test_shapes(device, data):
    array, tensor = data.draw(operands(device, ("int16",)))
    x = tensor
    agree(x.reshape(-1), array.reshape(-1))
    agree(x.flatten(), array.flatten())
    agree(x.T, array.T)
    agree(x.contiguous(), array)
    agree(gpukit.cat([x, x], 0), np.concatenate([array, array])) if array.ndim else None
    agree(gpukit.stack([x, x], -1), np.stack([array, array], -1))
    if array.ndim >= 2:
        agree(gpukit.tril(x), np.tril(array))
        agree(gpukit.triu(x, 1), np.triu(array, 1))
