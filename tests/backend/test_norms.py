"""gpukit.linalg's norms of vectors and matrices, against NumPy on every device."""

from __future__ import annotations

import numpy as np
import pytest

import gpukit
from support.arrays import fetch, put, sample

ORDERS = ["fro", 1, -1, float("inf"), -float("inf")]


@pytest.mark.parametrize("ord", ORDERS)
@pytest.mark.parametrize("dim", [(-2, -1), (0, 1), (2, 0), (1, -3)])
@pytest.mark.parametrize("keepdim", [False, True])
def test_norms_of_matrices(device, ord, dim, keepdim):
    array = sample("float64", (3, 4, 5))
    want = np.linalg.norm(array, ord, axis=dim, keepdims=keepdim)
    for function in (gpukit.linalg.matrix_norm, gpukit.linalg.norm):
        got = function(put(array, device), ord, dim, keepdim)
        assert got.shape == want.shape
        np.testing.assert_allclose(fetch(got), want, rtol=1e-12)


@pytest.mark.parametrize("ord", [None, 1, 2, 0, 3.5, float("inf"), -float("inf")])
def test_norms_of_vectors(device, ord):
    array = sample("float64", (4, 5))
    got = gpukit.linalg.norm(put(array, device), ord, 1)
    np.testing.assert_allclose(fetch(got), np.linalg.norm(array, ord, axis=1), rtol=1e-12)
    got = gpukit.linalg.norm(put(array[0], device), ord)
    np.testing.assert_allclose(fetch(got), np.linalg.norm(array[0], ord), rtol=1e-12)


@pytest.mark.parametrize("ord", ORDERS)
def test_order_without_dim_means_a_matrix(ord):
    array = sample("float64", (4, 5))
    assert gpukit.linalg.norm(gpukit.tensor(array), ord).item() == pytest.approx(
        np.linalg.norm(array, ord)
    )


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda x: gpukit.linalg.matrix_norm(x, 3), ValueError, "3"),
        (lambda x: gpukit.linalg.norm(x[None], 1), gpukit.ShapeError, "vector_norm"),
        (lambda x: gpukit.linalg.norm(x, "fro", 1), ValueError, "two dimensions"),
        (lambda x: gpukit.linalg.matrix_norm(x, 1, (0, 0)), ValueError, "different"),
        (lambda x: gpukit.linalg.matrix_norm(x, 1, (0, 2)), IndexError, "2"),
        (lambda x: gpukit.linalg.matrix_norm(x[:0], 1, (1, 0)), gpukit.ShapeError, "choose"),
    ],
)
def test_norms_refused(call, error, words):
    with pytest.raises(error, match=words):
        call(gpukit.ones(2, 3))


def test_gradient_of_a_matrix_norm():
    x = gpukit.tensor([[1.0, -2.0], [3.0, 4.0]], requires_grad=True)
    gpukit.linalg.norm(x, 1).backward()
    assert x.grad.tolist() == [[0, -1], [0, 1]]
