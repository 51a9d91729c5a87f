"""Large factorizations and solutions, which several threads share, beside one thread's."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import gpukit

RTOL = {"float32": 1e-3, "float64": 1e-10}


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    before = gpukit.get_num_threads()
    gpukit.set_num_threads(3)
    yield
    gpukit.set_num_threads(before)


def drawn(dtype: str, *shape: int) -> np.ndarray:
    return np.random.default_rng(list(shape)).standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("dtype", list(RTOL))
@pytest.mark.parametrize("shape", [(512, 512), (640, 777), (777, 640), (513, 641)])
def test_lu(dtype: str, shape: tuple[int, int]) -> None:
    a = drawn(dtype, *shape)
    lu, pivots = gpukit.linalg.lu_factor(gpukit.tensor(a))
    p, lower, upper = gpukit.lu_unpack(lu, pivots)
    np.testing.assert_allclose((p @ lower @ upper).numpy(), a, atol=100 * RTOL[dtype])
    assert float(lower.abs().max()) <= 1
    if dtype == "float64":
        gpukit.set_num_threads(1)
        alone = gpukit.linalg.lu_factor(gpukit.tensor(a))
        assert pivots.tolist() == alone.pivots.tolist()
        np.testing.assert_allclose(lu.numpy(), alone.LU.numpy(), 1e-6, 1e-8)


@pytest.mark.parametrize("dtype", list(RTOL))
@pytest.mark.parametrize("n", [512, 700])
def test_systems_and_cholesky(dtype: str, n: int) -> None:
    a = drawn(dtype, n, n) + 2 * np.sqrt(n).astype(dtype) * np.eye(n, dtype=dtype)
    x, atol = gpukit.tensor(a), RTOL[dtype]
    for columns in (1, 256, 300):
        b = drawn(dtype, n, columns)
        right = gpukit.tensor(b)
        np.testing.assert_allclose((x @ gpukit.linalg.solve(x, right)).numpy(), b, atol=atol)
        y = gpukit.linalg.lu_solve(*gpukit.linalg.lu_factor(x), right, adjoint=True)
        np.testing.assert_allclose((x.mT @ y).numpy(), b, atol=atol)
        triangle = gpukit.tensor(np.triu(a) * (1 - 0.95 * np.triu(np.ones((n, n)), 1))).to(x.dtype)
        for by_columns in (False, True):
            matrix = triangle.mT.contiguous().mT if by_columns else triangle
            y = gpukit.linalg.solve_triangular(matrix, right, upper=True)
            np.testing.assert_allclose((triangle @ y).numpy(), b, atol=atol)
    np.testing.assert_allclose((x @ gpukit.linalg.inv(x)).numpy(), np.eye(n), atol=atol)
    square = (a @ a.T / n).astype(dtype)
    for upper in (False, True):
        factor = gpukit.linalg.cholesky(gpukit.tensor(square), upper=upper)
        lower = factor.mT if upper else factor
        assert not np.triu(lower.numpy(), 1).any()
        np.testing.assert_allclose((lower @ lower.mT).numpy(), square, atol=10 * atol)


@pytest.mark.parametrize("dtype", list(RTOL))
@pytest.mark.parametrize("failing", [3, 130, 599])
def test_failures_are_told_as_lapack_does(dtype: str, failing: int) -> None:
    square = np.eye(600, dtype=dtype)
    square[failing, failing] = -1
    assert gpukit.linalg.cholesky_ex(gpukit.tensor(square)).info.item() == failing + 1
    square[failing, failing] = np.nan
    assert gpukit.linalg.cholesky_ex(gpukit.tensor(square)).info.item() == failing + 1
    square[failing] = 0
    square[599] = 0
    assert gpukit.linalg.inv_ex(gpukit.tensor(square)).info.item() == failing + 1
    with pytest.raises(gpukit.linalg.LinAlgError, match=f"pivot {failing + 1} is zero"):
        gpukit.linalg.inv(gpukit.tensor(square))
