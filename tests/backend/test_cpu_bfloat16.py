"""Products of bfloat16 on the CPU, by dot products of pairs or, without them, in float32."""

from __future__ import annotations

import os

import numpy as np
import pytest

import gpukit
from support.arrays import fetch

ROUNDING = 2.0**-8
FLOAT_ROUNDING = 2.0**-24


def half(array):
    """The array rounded to bfloat16: as a tensor, and its values."""
    tensor = gpukit.tensor(np.ascontiguousarray(array, np.float32)).to(gpukit.bfloat16)
    return tensor, values(tensor)


def values(tensor):
    return fetch(tensor.float()).astype(np.float64)


def normal(*shape, seed=0):
    return half(np.random.default_rng(seed).standard_normal(shape))


def wanted(a, b, alpha=1.0, before=0.0):
    """The exact product, and how far off: one rounding, and what a float32 sum may lose."""
    exact = alpha * (a @ b) + before
    lost = (a.shape[-1] + 4) * FLOAT_ROUNDING * (abs(alpha) * (abs(a) @ abs(b)) + abs(before))
    return exact, ROUNDING * np.abs(exact) + (1 + ROUNDING) * lost


def close(result, exact, allowed):
    assert result.dtype == gpukit.bfloat16
    assert (np.abs(values(result) - exact) <= allowed).all()


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_every_size_up_to_three_hundred(threads):
    before = gpukit.get_num_threads()
    gpukit.set_num_threads(threads)
    try:
        (a, x), (b, y) = normal(300, 300), normal(300, 300, seed=1)
        for n in range(threads, 301, 1 if threads == 2 and "GPUKIT_SIMD" not in os.environ else 7):
            size = (slice(n), slice(n))
            close(a[size] @ b[size], *wanted(x[size], y[size]))
    finally:
        gpukit.set_num_threads(before)


# (2500: several passes over the depth; 600: several blocks of rows; 130: of columns.)
SHAPES = [
    (1, 300, 200),
    (300, 1, 201),
    (1, 1, 2500),
    (13, 17, 1),
    (14, 16, 2),
    (15, 33, 1025),
    (29, 130, 2500),
    (600, 31, 65),
    (33, 300, 2048),
    (16, 48, 4096),
]


@pytest.mark.parametrize("shape", SHAPES)
def test_every_layout(shape):
    m, n, k = shape
    (a, x), (b, y) = normal(m, k), normal(k, n, seed=1)
    wide_a, _ = half(np.repeat(x, 2, axis=1))
    shifted = gpukit.cat([a.reshape(-1)[:1], a.reshape(-1)])[1:].reshape(m, k)
    lefts = [a, a.T.contiguous().T, wide_a[:, ::2], shifted]
    wide_b, _ = half(np.repeat(np.repeat(y, 2, axis=0), 2, axis=1))
    rights = [b, b.T.contiguous().T, wide_b[::2, ::2], wide_b[::2][:, ::2].T.contiguous().T]
    right_answer = wanted(x, y)
    for left in lefts:
        for right in rights:
            close(left @ right, *right_answer)


def test_repeated_rows_and_columns():
    (a, x), (b, y) = normal(1, 70), normal(70, 1, seed=1)
    close(a.expand(40, 70) @ b.expand(70, 50), *wanted(np.repeat(x, 40, 0), np.repeat(y, 50, 1)))


def test_outer_products_of_columns():
    (a, x), (b, y) = normal(70, 90), normal(50, 90, seed=1)
    close(a[:, 3:4] @ b.T[5:6], *wanted(x[:, 3:4], y.T[5:6]))
    close(a.T[:, 3:4] @ b[5:6], *wanted(x.T[:, 3:4], y[5:6]))


@pytest.mark.parametrize("shape", [(3, 20, 30, 40), (64, 16, 16, 16), (2, 100, 1, 1030)])
def test_batches(shape):
    batch, m, n, k = shape
    (a, x), (b, y), (c, z) = normal(batch, m, k), normal(batch, k, n, seed=1), normal(k, n, seed=2)
    close(a @ b, *wanted(x, y))
    close(a @ c, *wanted(x, z))
    close(a.mT.contiguous().mT @ b.mT.contiguous().mT, *wanted(x, y))
    close(c.T @ a.mT, *wanted(z.T, x.swapaxes(1, 2)))


@pytest.mark.parametrize("k", [0, 1, 50, 1500])
def test_scaled_products_are_added(k):
    (a, x), (b, y), (c, z) = normal(40, k), normal(k, 50, seed=1), normal(40, 50, seed=2)
    close(gpukit.addmm(c, a, b), *wanted(x, y, before=z))
    close(gpukit.addmm(c, a, b, beta=0.5, alpha=-3), *wanted(x, y, alpha=-3, before=0.5 * z))
    close(gpukit.addmm(c[0], a, b), *wanted(x, y, before=z[0]))
    close(gpukit.addmm(c * float("nan"), a, b, beta=0), *wanted(x, y))


def test_nothing_to_multiply():
    for m, n, k in [(0, 3, 4), (3, 0, 4), (3, 4, 0), (0, 0, 0)]:
        result = half(np.ones((m, k)))[0] @ half(np.ones((k, n)))[0]
        np.testing.assert_array_equal(values(result), np.zeros((m, n)))


@pytest.mark.parametrize("k", [7, 64, 1025])
def test_infinities_and_nan_stay_in_their_rows_and_columns(k):
    x, y = np.ones((30, k)), np.ones((k, 40))
    x[3, k - 1], x[5, 0], y[k - 1, 33], x[9, 2], y[2, 8] = np.inf, np.nan, -np.inf, np.inf, 0
    (a, x), (b, y) = half(x), half(y)
    with np.errstate(invalid="ignore"):
        exact = x @ y
    for left in (a, a.T.contiguous().T):
        got = values(left @ b)
        np.testing.assert_array_equal(np.isfinite(got), np.isfinite(exact))
        np.testing.assert_array_equal(np.isnan(got), np.isnan(exact))
        np.testing.assert_array_equal(got[np.isinf(exact)], exact[np.isinf(exact)])


def test_ties_are_rounded_to_even_once():
    # 1 + 2^-8 is a tie, which goes down to 1; a trace more goes up. Two roundings would lose it.
    a, _ = half(np.array([[1.0, 2.0**-8, 2.0**-16]]))
    b, _ = half(np.array([[1.0, 1.0], [1.0, 1.0], [0.0, 1.0]]))
    np.testing.assert_array_equal(values(a @ b), [[1.0, 1.0 + 2.0**-7]])


def powers(rows, columns, exponent):
    return half(np.full((rows, columns), 2.0**exponent))


TINY = {
    "elements": (powers(40, 40, -130), powers(40, 40, 20)),
    "products": (powers(40, 40, -70), powers(40, 40, -60)),
    "sums": (powers(40, 40, -64), powers(40, 40, -63)),
    "rests": (half(np.eye(40) * 1.5 - np.eye(40, k=1)), powers(40, 40, -126)),
}


# docs/limits.md: the processor's dot products of pairs take what is below 2^-126 as zero; products
# in float32 do not, whatever their vectors.
@pytest.mark.parametrize("case", TINY)
def test_subnormal_numbers_are_zero_where_the_limits_say_so(case):
    (a, x), (b, y) = TINY[case]
    in_pairs = gpukit.info(verify=False).cpu_simd in ("avx512bf16", "amx")
    exact = x @ y
    flushed = np.where(exact < 2.0**-126, 0, exact) if case == "rests" else np.zeros_like(exact)
    np.testing.assert_array_equal(values(a @ b), flushed if in_pairs else exact)


@pytest.mark.parametrize("case", TINY)
def test_rows_and_columns_keep_subnormal_numbers(case):
    (a, x), (b, y) = TINY[case]
    np.testing.assert_array_equal(values(a[:1] @ b), x[:1] @ y)
    np.testing.assert_array_equal(values(a @ b[:, 0]), x @ y[:, 0])


def test_what_is_scaled_or_added_to_may_be_subnormal():
    (a, x), (c, z) = powers(40, 40, -50), powers(40, 40, -130)
    (nothing, _), (one, unit) = half(np.zeros((40, 40))), half(np.eye(40))
    np.testing.assert_array_equal(values(gpukit.addmm(c, nothing, one)), z)
    scaled = gpukit.addmm(nothing, a, one, alpha=2.0**-80)
    np.testing.assert_array_equal(values(scaled), 2.0**-80 * x @ unit)


def test_the_least_normal_number_stays():
    (a, _), (one, _) = powers(40, 40, -63), half(np.eye(40) * 2.0**-63)
    np.testing.assert_array_equal(values(a @ one), np.full((40, 40), 2.0**-126))
