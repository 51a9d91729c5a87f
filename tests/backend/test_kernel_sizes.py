"""Every kernel family around its edges: warps, blocks, vectors, odd strides and offsets."""

from __future__ import annotations

import numpy as np
import pytest

import gpukit
from support.arrays import fetch, put

SIZES = (0, 1, 31, 32, 33, 1023, 1024, 1025)
LAYOUTS = {
    "contiguous": lambda x: x,
    "offset 1": lambda x: x[1:],
    "step 3": lambda x: x[::3],
    "transposed": lambda x: x[: x.shape[0] // 2 * 2].reshape(2, -1).T,
}
SAME = {
    "copy": lambda m, x: x + 0,
    "add": lambda m, x: x + x,
    "compare": lambda m, x: x > 1,
    "where": lambda m, x: m.where(x > 1, x, -x),
    "maximum": lambda m, x: m.maximum(x, -x),
    "exp": lambda m, x: m.exp(x),
    "tanh": lambda m, x: m.tanh(x),
    "fill": lambda m, x: m.full_like(x, 3),
}
REDUCED = {
    "sum": lambda m, x: m.sum(x),
    "rows": lambda m, x: x.sum(-1),
    "cumsum": lambda m, x: m.cumsum(x, -1),
    "sort": lambda m, x: m.sort(x) if m is np else m.sort(x)[0],
}


def values(size: int) -> np.ndarray:
    return np.random.default_rng(size).uniform(-2, 2, size).astype(np.float32)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_elementwise(device, size, layout):
    x = values(size)
    mine, reference = LAYOUTS[layout](put(x, device)), LAYOUTS[layout](x)
    for name, function in SAME.items():
        got = fetch(function(gpukit, mine))
        np.testing.assert_allclose(got, function(np, reference), 1e-5, 1e-6, err_msg=name)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_reductions(device, size, layout):
    x = values(size)
    mine, reference = LAYOUTS[layout](put(x, device)), LAYOUTS[layout](x)
    for name, function in REDUCED.items():
        got = fetch(function(gpukit, mine))
        np.testing.assert_allclose(got, function(np, reference), 1e-4, 1e-4, err_msg=name)


@pytest.mark.parametrize("size", SIZES[1:5])
def test_products(device, size):
    a, b = values(size * 7).reshape(7, size), values(size * 5).reshape(size, 5)
    got = fetch(put(a, device) @ put(b, device))
    np.testing.assert_allclose(got, a @ b, 1e-4, 1e-4)


@pytest.mark.parametrize("size", SIZES)
def test_gather_and_scatter(device, size):
    x, order = values(size), np.random.default_rng(1).permutation(size)
    mine, index = put(x, device), put(order, device)
    np.testing.assert_array_equal(fetch(mine[index]), x[order])
    target = gpukit.zeros(size, device=device)
    target[index] = mine
    expected = np.zeros_like(x)
    expected[order] = x
    np.testing.assert_array_equal(fetch(target), expected)
