"""float32 functions of the CPU: within 2 ulp of the exact answer, at any length and place."""

from __future__ import annotations

import math

import numpy as np
import pytest

import gpukit
from support.arrays import fetch, put

erf = np.vectorize(math.erf, otypes=[np.float64])


def logistic(x):
    return np.where(x < 0, np.exp(x) / (1 + np.exp(x)), 1 / (1 + np.exp(-np.abs(x))))


# name: (exact form in float64, lowest and highest argument)
FUNCTIONS = {
    "exp": (np.exp, -110, 95),
    "expm1": (np.expm1, -20, 95),
    "log": (np.log, 0, 10),
    "log1p": (np.log1p, -1, 10),
    "log2": (np.log2, 0, 10),
    "log10": (np.log10, 0, 10),
    "sin": (np.sin, -1000, 1000),
    "cos": (np.cos, -1000, 1000),
    "tan": (np.tan, -1000, 1000),
    "asin": (np.arcsin, -1, 1),
    "acos": (np.arccos, -1, 1),
    "atan": (np.arctan, -10, 10),
    "sinh": (np.sinh, -90, 90),
    "cosh": (np.cosh, -90, 90),
    "tanh": (np.tanh, -10, 10),
    "asinh": (np.arcsinh, -100, 100),
    "acosh": (np.arccosh, 1, 100),
    "atanh": (np.arctanh, -1, 1),
    "sqrt": (np.sqrt, 0, 10),
    "rsqrt": (lambda x: 1 / np.sqrt(x), 0, 10),
    "reciprocal": (np.reciprocal, -10, 10),
    "sigmoid": (logistic, -100, 100),
    "erf": (erf, -5, 5),
}
EDGES = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 3.4e38, -3.4e38, 88.7, -103.9, 1e10]
EDGES += [89.4, 89.5, -89.41, 1.0, -1.0, 1.0000001, 0.99999994, 1.0001, 2e19, 1e-20, 3e-42]


def ulps(result, exact):
    """Distance in units of the last place of the exact value; equal specials count 0."""
    with np.errstate(all="ignore"):
        rounded = exact.astype(np.float32)
        _, exponent = np.frexp(exact)
        unit = np.ldexp(1.0, np.maximum(exponent - 24, -149))
        distance = np.abs(result.astype(np.float64) - exact) / unit
    same = (result == rounded) | (np.isnan(result) & np.isnan(rounded))
    return np.where(same, 0.0, np.where(np.isfinite(distance), distance, np.inf))


def arguments(low, high, count=50_000):
    rng = np.random.default_rng(7)
    any_bits = rng.integers(0, 2**32, count, dtype=np.uint32).view(np.float32)
    inside = rng.uniform(low, high, count).astype(np.float32)
    near = rng.uniform(-1, 1, count).astype(np.float32)
    return np.concatenate([any_bits, inside, near, np.array(EDGES, np.float32)])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_float32_functions_are_within_two_ulp(name):
    exact, low, high = FUNCTIONS[name]
    x = arguments(low, high)
    with np.errstate(all="ignore"):
        expected = exact(x.astype(np.float64))
    error = ulps(fetch(getattr(gpukit, name)(put(x, "cpu"))), expected)
    worst = int(np.argmax(error))
    assert error[worst] <= 2.0, f"{name}({x[worst]!r}) is {error[worst]:.2f} ulp off"


# name: exact form in float64
PAIRS = {
    "pow": np.power,
    "atan2": np.arctan2,
    "hypot": np.hypot,
}


@pytest.mark.parametrize("name", PAIRS)
def test_float32_functions_of_two_are_within_two_ulp(name):
    x, y = arguments(-20, 20), np.random.default_rng(1).permutation(arguments(-20, 20))
    with np.errstate(all="ignore"):
        expected = PAIRS[name](x.astype(np.float64), y.astype(np.float64))
    error = ulps(fetch(getattr(gpukit, name)(put(x, "cpu"), put(y, "cpu"))), expected)
    worst = int(np.argmax(error))
    assert error[worst] <= 2.0, f"{name}({x[worst]!r}, {y[worst]!r}): {error[worst]:.2f} ulp"


def test_logaddexp_is_within_three_ulp_of_its_larger_operand():
    x, y = arguments(-20, 20), np.random.default_rng(1).permutation(arguments(-20, 20))
    with np.errstate(all="ignore"):
        expected = np.logaddexp(x.astype(np.float64), y.astype(np.float64))
        error = np.abs(fetch(gpukit.logaddexp(put(x, "cpu"), put(y, "cpu"))) - expected)
        largest = np.maximum(np.maximum(np.abs(x), np.abs(y)), np.abs(expected))
        unit = np.spacing(largest.astype(np.float32)).astype(np.float64)
        assert np.nanmax(np.where(np.isfinite(expected), error / unit, 0)) <= 2.5


@pytest.mark.parametrize("name", [*FUNCTIONS, "gelu", "relu", "floor"])
def test_an_element_does_not_depend_on_its_neighbours(name):
    rng = np.random.default_rng(3)
    x = put(rng.uniform(0.1, 3, 200).astype(np.float32), "cpu")
    function = getattr(gpukit, name)
    whole = fetch(function(x))
    for start, stop in [(0, 1), (1, 4), (3, 20), (5, 38), (150, 200)]:
        assert fetch(function(x[start:stop])).tobytes() == whole[start:stop].tobytes()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sums_of_many_terms_keep_their_digits(dtype):
    x = np.full(3_000_001, 0.1, dtype)
    exact = math.fsum(float(v) for v in x[:1]) * x.size
    result = float(gpukit.tensor(x).sum())
    assert abs(result - exact) <= 4 * np.finfo(dtype).eps * exact


def test_the_norm_of_huge_and_tiny_numbers_neither_overflows_nor_vanishes():
    for scale in (1e30, 1e-30):
        x = np.array([3, 4], np.float32) * np.float32(scale)
        assert float(gpukit.tensor(x).norm()) == pytest.approx(5 * scale, rel=1e-6)


@pytest.mark.parametrize("size", [3, 100, 5000, 300_000])
@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin"])
def test_the_first_nan_wins_wherever_it_stands(name, size):
    x = np.random.default_rng(0).standard_normal(size).astype(np.float32)
    for place in (0, size // 3, size - 1):
        y = x.copy()
        y[place :: max(1, size // 2)] = np.nan
        result = fetch(getattr(gpukit.tensor(y), name)())
        np.testing.assert_array_equal(result, getattr(np, name)(y))
    y = x.copy()
    y[size // 2] = np.inf
    np.testing.assert_array_equal(fetch(getattr(gpukit.tensor(y), name)()), getattr(np, name)(y))


def test_equal_extremes_give_the_first_position():
    x = np.zeros(400_000, np.int32)
    x[[70_000, 170_000, 390_000]] = 5
    assert int(gpukit.tensor(x).argmax()) == 70_000
    assert int(gpukit.tensor(x).argmin()) == 0
