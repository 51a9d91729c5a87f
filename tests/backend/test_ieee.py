"""NaN, infinities, signed zeros and subnormal neighbours: what every operation makes of them.

NumPy is the yardstick, to the sign of zero. Of two zeros `maximum` and `minimum` take the second,
as NumPy does on x86-64; on aarch64 NumPy takes 0 for larger than -0.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import gpukit
from support.arrays import fetch, put, quiet, special

erf = np.vectorize(math.erf, otypes=[np.float64])


def logistic(x):
    return 1 / (1 + np.exp(-x))


UNARY = {
    "neg": np.negative,
    "abs": np.abs,
    "sign": np.sign,
    "square": np.square,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "reciprocal": np.reciprocal,
    "exp": np.exp,
    "expm1": np.expm1,
    "log": np.log,
    "log1p": np.log1p,
    "log2": np.log2,
    "log10": np.log10,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "erf": erf,
    "sigmoid": logistic,
    "floor": np.floor,
    "ceil": np.ceil,
    "round": np.round,
    "trunc": np.trunc,
    "relu": lambda x: np.where(x <= 0, np.zeros_like(x), x),
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
    "signbit": np.signbit,
    "logical_not": np.logical_not,
}
BINARY = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.true_divide,
    "remainder": np.remainder,
    "floor_divide": np.floor_divide,
    "pow": np.power,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "atan2": np.arctan2,
    "hypot": np.hypot,
    "copysign": np.copysign,
    "logaddexp": np.logaddexp,
    "nextafter": np.nextafter,
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
}
DTYPES = ["float16", "float32", "float64"]


def numpys(name, x, y):
    want = quiet(BINARY[name], x, y)
    return np.where((x == 0) & (y == 0), y, want) if name in {"maximum", "minimum"} else want


def same(got, want, inputs, name):
    """Equal within a few ulp of the inputs' dtype, to the sign of zero."""
    tolerance = {"float16": 2e-3, "float32": 1e-6, "float64": 1e-14}[str(inputs[0].dtype)]
    for i in np.ndindex(want.shape):
        x = tuple(float(array[i]) for array in inputs)
        mine, theirs = got[i], want[i]
        assert np.isnan(mine) == np.isnan(theirs), f"{name}{x}: {mine}, NumPy {theirs}"
        # CUDA's hypot is right to 2 ulp: next to the largest number it may overflow.
        if (
            name == "hypot"
            and np.isinf(mine)
            and theirs >= np.finfo(want.dtype).max * (1 - tolerance)
        ):
            continue
        if not np.isnan(theirs):
            assert mine == theirs or abs(mine - theirs) <= tolerance * abs(theirs), (
                f"{name}{x}: {mine}, NumPy {theirs}"
            )
            assert np.signbit(mine) == np.signbit(theirs), f"{name}{x}: {mine}, NumPy {theirs}"


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one(device, name, dtype):
    x = special(dtype)
    if name in {"sin", "cos", "tan"}:
        x = x[~(np.abs(x) > 1e4) | np.isinf(x)]
    wide = x.astype(np.float64)
    want = quiet(UNARY[name], wide)
    want = quiet(want.astype, dtype) if want.dtype == np.float64 else want
    got = fetch(getattr(gpukit, name)(put(x, device)))
    assert got.dtype == want.dtype
    same(got, want, [x], name)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two(device, name, dtype):
    x, y = (grid.copy() for grid in np.meshgrid(special(dtype), special(dtype)))
    want = numpys(name, x, y)
    got = fetch(getattr(gpukit, name)(put(x, device), put(y, device)))
    assert got.dtype == want.dtype
    same(got, want, [x, y], name)
    by_number = [getattr(gpukit, name)(put(x[:, 0], device), float(v)) for v in y[:, 0]]
    for i, result in enumerate(by_number):
        value = np.full_like(x[:, 0], y[i, 0])
        same(fetch(result), numpys(name, x[:, 0], value), [x[:, 0], value], name)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "mean", "var", "std"])
def test_reductions_of_pairs(device, name, dtype):
    x = np.stack(np.meshgrid(special(dtype), special(dtype)), -1).reshape(-1, 2)
    function = {"max": gpukit.amax, "min": gpukit.amin}.get(name) or getattr(gpukit, name)
    got = fetch(function(put(x, device), dim=1))
    if name in {"var", "std"}:
        # Squares beyond the dtype are infinite; in between two ways of rounding may differ.
        x, got = x[np.abs(x).max(1) < 1e15], got[np.abs(x).max(1) < 1e15]
        want = quiet(lambda: getattr(np, name)(x.astype(np.float64), axis=1, ddof=1))
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-30)
        return
    want = quiet(lambda: getattr(np, name)(x, axis=1))
    if name == "mean":  # the sum may be kept wider than the dtype
        got, want = got[np.isfinite(want)], want[np.isfinite(want)]
    np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
    np.testing.assert_allclose(got, want, rtol=1e-6)


@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_places_of_pairs(device, name):
    x = np.stack(np.meshgrid(special("float32"), special("float32")), -1).reshape(-1, 2)
    got = fetch(getattr(gpukit, name)(put(x, device), dim=1))
    np.testing.assert_array_equal(got, getattr(np, name)(x, axis=1))


def test_clamp_keeps_nan_and_obeys_infinite_limits(device):
    x = special("float32")
    for low, high in [(-1.0, 1.0), (-np.inf, 0.5), (0.0, np.inf), (2.0, 2.0)]:
        got = fetch(gpukit.clamp(put(x, device), low, high))
        np.testing.assert_array_equal(got, np.clip(x, np.float32(low), np.float32(high)))
    assert np.isnan(fetch(gpukit.clamp(put(x, device), min=float("nan")))).all()


def test_sort_puts_nan_last_and_keeps_zeros_in_order(device):
    x = np.array([np.nan, 0.0, -np.inf, -0.0, np.inf, 1.0, -np.nan, -1.0], np.float32)
    values, places = gpukit.sort(put(x, device))
    np.testing.assert_array_equal(fetch(values), np.sort(x, kind="stable"))
    np.testing.assert_array_equal(fetch(places), np.argsort(x, kind="stable"))
    assert math.isnan(fetch(gpukit.topk(put(x, device), 1).values)[0])


def test_softmax_of_infinities(device):
    x = put(np.array([[0.0, -np.inf, 1.0], [np.inf, 0, 0], [-np.inf] * 3], np.float32), device)
    rows = fetch(gpukit.softmax(x, 1))
    assert rows[0, 1] == 0
    assert abs(rows[0].sum() - 1) < 1e-6
    assert np.isnan(rows[1:]).any(1).all()
    assert fetch(gpukit.logsumexp(x, 1)).tolist()[1:] == [math.inf, -math.inf]


def test_conversions_of_special_numbers(device):
    x = special("float64")
    for dtype in ("float16", "float32", "bool"):
        np.testing.assert_array_equal(
            fetch(put(x, device).to(gpukit.dtype(dtype))), quiet(x.astype, dtype)
        )
