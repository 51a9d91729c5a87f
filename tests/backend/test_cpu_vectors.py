"""Products with one row or one column on the CPU: every dtype, layout and remainder of a loop."""

from __future__ import annotations

import numpy as np
import pytest

import gpukit
from support.arrays import fetch

# Of one rounding, of the result's dtype and of the dtype that sums are made in.
ROUNDING = {"float16": 2.0**-11, "bfloat16": 2.0**-8, "float32": 2.0**-24, "float64": 2.0**-53}
SUMMED = {"float16": 2.0**-24, "bfloat16": 2.0**-24, "float32": 2.0**-24, "float64": 2.0**-53}
SMALLEST = {"float16": 2.0**-24}
DTYPES = list(ROUNDING)


def normal(dtype, *shape, seed=0):
    """A tensor of a dtype, and its values as NumPy knows them best."""
    numbers = np.random.default_rng(seed).standard_normal(shape)
    tensor = gpukit.tensor(numbers).to(getattr(gpukit, dtype))
    return tensor, fetch(tensor.double()).astype(np.longdouble)


def close(result, dtype, a, b, alpha=1.0, before=0.0):
    exact = alpha * (a @ b) + before
    terms = abs(alpha) * (abs(a) @ abs(b)) + abs(before)
    allowed = ROUNDING[dtype] * np.abs(exact) + SMALLEST.get(dtype, 0)
    allowed = allowed + 1.01 * (a.shape[-1] + 3) * SUMMED[dtype] * terms
    assert str(result.dtype).endswith(dtype)
    assert (np.abs(fetch(result.double()) - exact) <= allowed).all()


# Steps of the loops are 2 to 32 elements, 4 rows, runs of 4096.
LENGTHS = [1, 2, 3, 4, 5, 8, 15, 16, 17, 31, 33, 64, 100, 257]


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_length(dtype):
    a, x = normal(dtype, 260, 260)
    row, y = normal(dtype, 1, 260, seed=1)
    for k in LENGTHS:
        for n in LENGTHS:
            for matrix in (a[:k, :n], a.T[:k, :n]):
                values = x[:k, :n] if matrix.stride()[1] == 1 else x.T[:k, :n]
                close(row[:, :k] @ matrix, dtype, y[:, :k], values)
                close(matrix.T @ row[0, :k], dtype, values.T, y[0, :k])


# From 2^17 elements on, two threads share.
LARGE = [(4099, 70), (500, 503), (3, 50_001), (50_001, 3), (200_000, 1)]


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("dtype", DTYPES)
def test_shares_of_threads(dtype, threads):
    before = gpukit.get_num_threads()
    gpukit.set_num_threads(threads)
    try:
        for k, n in LARGE:
            (row, y), (b, x) = normal(dtype, 1, k), normal(dtype, k, n, seed=1)
            for matrix in (b, b.T.contiguous().T):
                close(row @ matrix, dtype, y, x)
                close(matrix.T @ row.T, dtype, x.T, y.T)
    finally:
        gpukit.set_num_threads(before)


@pytest.mark.parametrize("dtype", DTYPES)
def test_steps_of_vectors_and_results(dtype):
    (b, x), (v, y) = normal(dtype, 70, 90), normal(dtype, 70, 3, seed=1)
    close(v[:, 1] @ b, dtype, y[:, 1], x)
    close(b.T @ v[:, 2:], dtype, x.T, y[:, 2:])
    close(v[:1, :1].expand(1, 70) @ b, dtype, np.repeat(y[:1, :1], 70, 1), x)
    tall, t = normal(dtype, 3000, 2, seed=3)
    close(v[:1, :1] @ tall.T[1:], dtype, y[:1, :1], t.T[1:])
    close(tall[:, 1:] @ v[:1, :1], dtype, t[:, 1:], y[:1, :1])
    gaps, z = normal(dtype, 70, 180, seed=2)
    close(v[:, 0] @ gaps[:, ::2], dtype, y[:, 0], z[:, ::2])
    shifted = gpukit.cat([b.reshape(-1)[:1], b.reshape(-1)])[1:].reshape(70, 90)
    close(v[:, 0] @ shifted, dtype, y[:, 0], x)


@pytest.mark.parametrize("dtype", DTYPES)
def test_scaled_products_are_added(dtype):
    (a, x), (b, y), (c, z) = (normal(dtype, *s) for s in ((1, 500), (500, 37), (1, 37)))
    close(gpukit.addmm(c, a, b, beta=0.5, alpha=-3), dtype, x, y, -3, 0.5 * z)
    close(gpukit.addmm(c.T, b.T, a.T, beta=2), dtype, y.T, x.T, 1, 2 * z.T)
    close(gpukit.addmm(c * float("nan"), a, b, beta=0), dtype, x, y)


@pytest.mark.parametrize("dtype", DTYPES)
def test_batches(dtype):
    for batch, k, n in ((5, 300, 7), (100, 20, 30), (3, 400, 401)):
        (a, x), (b, y) = normal(dtype, batch, 1, k), normal(dtype, batch, k, n, seed=1)
        close(a @ b, dtype, x, y)
        close(b.mT @ a.mT, dtype, y.swapaxes(1, 2), x.swapaxes(1, 2))


@pytest.mark.parametrize("dtype", DTYPES)
def test_what_is_not_finite_stays_in_its_column(dtype):
    for k, n in ((37, 45), (700, 401)):
        matrix = np.ones((k, n))
        matrix[k - 1, n - 1], matrix[3, 7], matrix[k - 2, 0] = np.inf, np.nan, -np.inf
        exact = matrix.sum(axis=0)
        b = gpukit.tensor(matrix).to(getattr(gpukit, dtype))
        ones = gpukit.ones(1, k, dtype=getattr(gpukit, dtype))
        for stored in (b, b.T.contiguous().T):
            got = fetch((ones @ stored).double())[0]
            special = ~np.isfinite(exact)
            np.testing.assert_array_equal(got[special], exact[special])
            assert np.isfinite(got[~special]).all()


def test_long_sums_stay_exact():
    terms = 1_000_000
    x, ones = gpukit.full((1, terms), 0.1), gpukit.ones(terms, 2)
    got = fetch(x @ ones)
    np.testing.assert_allclose(got, terms * float(np.float32(0.1)), rtol=2e-4)
