"""Functions of one operand, on every device, beside NumPy."""

from __future__ import annotations

import math

import numpy as np
import pytest

import gpukit
from support.arrays import (
    FLOATING,
    INTEGERS,
    SIGNED,
    assert_near,
    assert_same,
    fetch,
    layouts,
    put,
    quiet,
    sample,
    special,
)

erf = np.vectorize(math.erf, otypes=[np.float64])

# name: (NumPy's form in float64, range of arguments)
SMOOTH = {
    "exp": (np.exp, (-9, 9)),
    "expm1": (np.expm1, (-5, 5)),
    "log": (np.log, (1e-3, 100)),
    "log1p": (np.log1p, (-0.9, 100)),
    "log2": (np.log2, (1e-3, 100)),
    "log10": (np.log10, (1e-3, 100)),
    "sqrt": (np.sqrt, (0, 100)),
    "rsqrt": (lambda x: 1 / np.sqrt(x), (1e-3, 100)),
    "reciprocal": (lambda x: 1 / x, (0.1, 100)),
    "sin": (np.sin, (-10, 10)),
    "cos": (np.cos, (-10, 10)),
    "tan": (np.tan, (-1.5, 1.5)),
    "asin": (np.arcsin, (-1, 1)),
    "acos": (np.arccos, (-1, 1)),
    "atan": (np.arctan, (-10, 10)),
    "sinh": (np.sinh, (-5, 5)),
    "cosh": (np.cosh, (-5, 5)),
    "tanh": (np.tanh, (-5, 5)),
    "asinh": (np.arcsinh, (-10, 10)),
    "acosh": (np.arccosh, (1, 10)),
    "atanh": (np.arctanh, (-0.9, 0.9)),
    "erf": (erf, (-4, 4)),
    "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), (-10, 10)),
}
# name: the same for integers, bit for bit
EXACT = {
    "neg": np.negative,
    "abs": np.abs,
    "sign": np.sign,
    "square": np.square,
    "relu": lambda x: np.where(x <= 0, np.zeros_like(x), x),
    "floor": np.floor,
    "ceil": np.ceil,
    "round": np.round,
    "trunc": np.trunc,
}
PREDICATES = {
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
    "signbit": np.signbit,
    "logical_not": np.logical_not,
}


@pytest.mark.parametrize("name", SMOOTH)
def test_smooth_functions(name, device):
    reference, (low, high) = SMOOTH[name]
    for dtype in FLOATING:
        x = np.linspace(low, high, 301).astype(dtype)
        want = reference(x.astype(np.float64))
        got = fetch(getattr(gpukit, name)(put(x, device)))
        assert got.dtype == x.dtype
        ulps = np.abs(got - want) / np.spacing(np.abs(want.astype(dtype))).astype(np.float64)
        assert ulps.max() <= 4, f"{name} {dtype}: {ulps.max():.1f} ulp at {x[ulps.argmax()]}"


def test_gelu(device):
    x = np.linspace(-6, 6, 200).astype(np.float32)
    want = 0.5 * x * (1 + erf(x.astype(np.float64) / math.sqrt(2)))
    np.testing.assert_allclose(fetch(gpukit.gelu(put(x, device))), want, atol=1e-6)


@pytest.mark.parametrize("name", EXACT)
def test_exact_functions(name, device):
    for dtype in (*INTEGERS, *FLOATING):
        x = sample(dtype, (4, 7))
        want = EXACT[name](x).astype(dtype)
        assert_same(getattr(gpukit, name)(put(x, device)), want, f"{name} {dtype}", tolerance=0)


@pytest.mark.parametrize("name", PREDICATES)
def test_predicates(name, device):
    for dtype in (*FLOATING, *SIGNED):
        x = special(dtype) if dtype in FLOATING else sample(dtype)
        assert_same(getattr(gpukit, name)(put(x, device)), PREDICATES[name](x), f"{name} {dtype}")
    if name == "logical_not":
        x = sample("bool")
        assert_same(gpukit.logical_not(put(x, device)), ~x)


SPECIAL_CASES = {
    name: EXACT[name]
    for name in ("neg", "abs", "sign", "square", "floor", "ceil", "round", "trunc")
} | {
    name: SMOOTH[name][0]
    for name in ("exp", "expm1", "log", "log1p", "log2", "sqrt", "sin", "cos", "tanh", "sigmoid")
}


@pytest.mark.parametrize("name", SPECIAL_CASES)
def test_special_values(name, device):
    for dtype in ("float32", "float64"):
        x = special(dtype)
        if name in ("sin", "cos"):
            x = x[np.abs(x) < 1e6]
        want = quiet(SPECIAL_CASES[name], x).astype(dtype)
        got = fetch(getattr(gpukit, name)(put(x, device)))
        assert_near(got, want, 2e-6, f"{name} {dtype}")
        zero = want == 0
        np.testing.assert_array_equal(
            np.signbit(got[zero]), np.signbit(want[zero]), f"{name} {dtype}: sign of zero"
        )


@pytest.mark.parametrize("name", ["exp", "neg", "floor", "isnan", "logical_not"])
def test_layouts(name, device):
    reference = SMOOTH[name][0] if name in SMOOTH else {**EXACT, **PREDICATES}[name]
    for layout, array, tensor in layouts(sample("float32", (4, 6)), device):
        assert_same(getattr(gpukit, name)(tensor), reference(array), f"{name}, {layout}")


def test_integers_become_the_default_floating_dtype(device):
    for dtype in ("bool", "int8", "int64"):
        x = sample(dtype)
        got = gpukit.exp(put(x, device))
        assert got.dtype == gpukit.float32
        np.testing.assert_allclose(fetch(got), np.exp(x.astype(np.float32)), rtol=1e-6)


def test_bitwise_not(device):
    for dtype in ("bool", *INTEGERS):
        x = sample(dtype)
        assert_same(~put(x, device), ~x, dtype)


def test_bool_is_left_alone_where_that_means_something(device):
    x = put(np.array([True, False]), device)
    for name in ("abs", "floor"):
        assert fetch(getattr(gpukit, name)(x)).tolist() == [True, False]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda x: -x.to("bool"), ["neg", "bool", "~X"]),
        (lambda x: gpukit.relu(x.to("bool")), ["relu", "bool"]),
        (lambda x: ~x, ["bitwise_not", "float32", "X.to('int64')"]),
    ],
)
def test_refusals_name_the_fix(call, words, device):
    with pytest.raises(gpukit.DTypeError) as caught:
        call(put(sample("float32"), device))
    for word in words:
        assert word in str(caught.value)


def test_methods_and_in_place_forms(device):
    x = np.array([0.25, 4.0], dtype=np.float32)
    tensor = put(x, device)
    assert_same(tensor.sqrt(), np.sqrt(x))
    assert tensor.relu_() is tensor
    assert_same(tensor, x)
    negative = put(-x, device)
    negative.relu_()
    assert_same(negative, np.zeros_like(x))
