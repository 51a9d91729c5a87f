"""Matrix products on the CPU: every size around the splits, every layout, and no library at all."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import gpukit
from support.arrays import fetch, put


def close(result, a, b):
    exact = a.astype(np.float64) @ b.astype(np.float64)
    scale = np.abs(a.astype(np.float64)) @ np.abs(b.astype(np.float64))
    limits = np.finfo(a.dtype)
    allowed = 8 * float(limits.eps) * scale + float(limits.smallest_subnormal)
    assert (np.abs(fetch(result) - exact) <= allowed).all()


# Around the sizes from which a transposed right side is copied into rows first.
@pytest.mark.parametrize("m", [1, 15, 16, 63, 64, 1024])
@pytest.mark.parametrize(("n", "k"), [(63, 20), (64, 20), (256, 17), (10, 256), (1, 64), (65, 1)])
def test_products_with_a_transposed_right_side(m, n, k):
    rng = np.random.default_rng(m + n + k)
    a = rng.standard_normal((m, k)).astype(np.float32)
    b = rng.standard_normal((n, k)).astype(np.float32)
    close(gpukit.tensor(a) @ gpukit.tensor(b).T, a, b.T)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_every_size_up_to_three_hundred(threads):
    before = gpukit.get_num_threads()
    gpukit.set_num_threads(threads)
    rng = np.random.default_rng(threads)
    try:
        for n in [*range(1, 70), *range(96, 132), 143, 144, 145, 191, 255, 256, 289, 300]:
            a, b = (rng.standard_normal((n, n)).astype(np.float32) for _ in range(2))
            close(put(a, "cpu") @ put(b, "cpu"), a, b)
    finally:
        gpukit.set_num_threads(before)


SHAPES = [
    (1, 300, 200),
    (300, 1, 200),
    (200, 300, 1),
    (3, 1000, 700),
    (1000, 3, 700),
    (257, 255, 511),
    (65, 33, 130),
    (1, 1, 5000),
]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_narrow_and_wide_shapes_in_every_layout(shape, dtype):
    m, n, k = shape
    rng = np.random.default_rng(5)
    a, b = rng.standard_normal((m, k)).astype(dtype), rng.standard_normal((k, n)).astype(dtype)
    turned_a, turned_b = put(a.T.copy(), "cpu").T, put(b.T.copy(), "cpu").T
    gaps = put(np.repeat(b, 2, axis=1), "cpu")[:, ::2]
    for left in (put(a, "cpu"), turned_a):
        for right in (put(b, "cpu"), turned_b, gaps):
            close(left @ right, a, b)


# Long sums over rows, as a layer's weights get them: own blocks, some of them turned.
OVER_ROWS = [(10, 256, 1024), (256, 20, 1024), (17, 61, 1300), (8, 8, 20000), (127, 128, 257)]


@pytest.mark.parametrize("shape", OVER_ROWS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sums_over_rows(shape, dtype):
    m, n, k = shape
    rng = np.random.default_rng(m)
    a, b = rng.standard_normal((k, m)).astype(dtype), rng.standard_normal((k, n)).astype(dtype)
    wide = np.zeros((k, m + n + 3), dtype)
    wide[:, 1 : m + 1], wide[:, m + 2 : m + n + 2] = a, b
    parts = put(wide, "cpu")
    for left, right in (
        (put(a, "cpu").T, put(b, "cpu")),
        (parts[:, 1 : m + 1].T, parts[:, m + 2 : m + n + 2]),
        (put(a, "cpu").T, put(b.T.copy(), "cpu").T),
    ):
        close(left @ right, a.T, b)
    c = rng.standard_normal((m, n)).astype(dtype)
    got = gpukit.addmm(put(c, "cpu"), put(a, "cpu").T, put(b, "cpu"), beta=-2, alpha=0.5)
    want = -2 * c.astype(np.float64) + 0.5 * (a.T.astype(np.float64) @ b.astype(np.float64))
    np.testing.assert_allclose(fetch(got), want, atol=k * 20 * np.finfo(dtype).eps)


def test_sums_over_rows_have_the_same_bits_on_any_number_of_threads():
    rng = np.random.default_rng(3)
    before = gpukit.get_num_threads()
    try:
        for m, n, k in OVER_ROWS:
            a, b = (put(rng.standard_normal((k, s)).astype("f4"), "cpu") for s in (m, n))
            results = []
            for threads in (1, 2, 3, 2):
                gpukit.set_num_threads(threads)
                results.append(fetch(a.T @ b))
            assert all((result == results[0]).all() for result in results)
    finally:
        gpukit.set_num_threads(before)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_sums_over_rows_keep_what_is_not_finite(value):
    a, b = np.ones((1024, 20), np.float32), np.ones((1024, 100), np.float32)
    a[700, 19], b[30, 99] = value, -value
    got = fetch(put(a, "cpu").T @ put(b, "cpu"))
    with np.errstate(invalid="ignore"):
        want = a.T @ b
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int32", "int64"])
def test_integer_products_wrap_around(dtype):
    rng = np.random.default_rng(2)
    a = rng.integers(0, 100, (40, 70)).astype(dtype)
    b = rng.integers(0, 100, (70, 30)).astype(dtype)
    exact = (a.astype(np.int64) @ b.astype(np.int64)).astype(dtype)
    np.testing.assert_array_equal(fetch(put(a, "cpu") @ put(b, "cpu")), exact)


OWN_KERNEL = """
import numpy as np, gpukit
rng = np.random.default_rng(0)
for dtype in (np.float32, np.float64):
    for m, n, k in [(1, 1, 1), (5, 7, 3), (64, 64, 64), (130, 257, 300), (600, 33, 520),
                    (1024, 10, 257), (9, 300, 700), (300, 13, 31), (41, 67, 1030)]:
        a = rng.standard_normal((m, k)).astype(dtype)
        b = rng.standard_normal((k, n)).astype(dtype)
        exact = a.astype(float) @ b.astype(float)
        scale = abs(a.astype(float)) @ abs(b.astype(float))
        for left in (gpukit.tensor(a), gpukit.tensor(a.T.copy()).T):
            error = abs((left @ gpukit.tensor(b)).numpy() - exact)
            assert (error <= 16 * np.finfo(dtype).eps * scale).all(), (dtype, m, n, k)
print("right")
"""


@pytest.mark.parametrize("choice", ["own", "/nonexistent/libblas.so"])
def test_without_a_library_the_own_kernel_serves(choice):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", OWN_KERNEL],
        check=False,
        env={**os.environ, "GPUKIT_BLAS": choice},
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == "right", done.stderr
