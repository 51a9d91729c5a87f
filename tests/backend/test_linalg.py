"""Factorizations and what is made of them, against NumPy on every device."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import types
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import gpukit
from support.arrays import fetch, put

RTOL = {"float32": 2e-4, "float64": 1e-10, "complex64": 2e-4, "complex128": 1e-10}
WIDE = {"float32": "float64", "complex64": "complex128"}


def squares(batch: tuple[int, ...], n: int, dtype: str = "float64") -> np.ndarray:
    rng = np.random.default_rng([n, *batch])
    made = rng.standard_normal((*batch, n, n)) + 2 * np.eye(n)
    if dtype.startswith("complex"):
        made = made + 1j * rng.standard_normal((*batch, n, n))
    return made.astype(dtype)


def positive(batch: tuple[int, ...], n: int, dtype: str = "float64") -> np.ndarray:
    a = squares(batch, n, WIDE.get(dtype, dtype))
    return (a @ a.swapaxes(-1, -2).conj() + np.eye(n)).astype(dtype)


@pytest.mark.parametrize("dtype", list(RTOL))
@pytest.mark.parametrize(("batch", "n"), [((), 1), ((), 5), ((3,), 4), ((2, 3), 2), ((), 20)])
def test_systems(device, dtype, batch, n):
    a, b = squares(batch, n, dtype), squares(batch, n, dtype)[..., :, :2].copy()
    x = put(a, device)

    def close(got, want):
        assert got.device == x.device
        assert got.dtype.name in {x.dtype.name, x.real.dtype.name}
        np.testing.assert_allclose(fetch(got), want, RTOL[dtype], RTOL[dtype] * 10)

    wide = a.astype(WIDE.get(dtype, dtype))
    close(gpukit.linalg.solve(x, put(b, device)), np.linalg.solve(wide, b))
    close(gpukit.linalg.inv(x), np.linalg.inv(wide))
    close(gpukit.linalg.det(x), np.linalg.det(wide))
    close(gpukit.linalg.slogdet(x).sign, np.linalg.slogdet(wide)[0])
    close(gpukit.linalg.slogdet(x).logabsdet, np.linalg.slogdet(wide)[1])
    p, lower, upper = gpukit.linalg.lu(x)
    close(p @ lower @ upper, wide)
    close(
        gpukit.linalg.lu_solve(*gpukit.linalg.lu_factor(x), put(b, device), adjoint=True),
        np.linalg.solve(wide.swapaxes(-1, -2).conj(), b),
    )
    spd = positive(batch, n, dtype)
    close(gpukit.linalg.cholesky(put(spd, device)), np.linalg.cholesky(spd.astype(wide.dtype)))
    factor = gpukit.linalg.cholesky(put(spd, device), upper=True)
    close(factor.mH @ factor, spd)
    close(
        gpukit.linalg.solve_triangular(x, put(b, device), upper=True),
        np.linalg.solve(np.triu(wide), b),
    )
    close(gpukit.linalg.matrix_power(x, -2), np.linalg.matrix_power(np.linalg.inv(wide), 2))


def test_gradients_are_those_of_the_cpu(device):
    a, b = squares((2,), 4), squares((2,), 4)[..., :3]
    found = []
    for place in ("cpu", device):
        x, y = put(a, place).requires_grad_(), put(b, place).requires_grad_()
        total = gpukit.linalg.solve(x, y).sum() + gpukit.linalg.det(x).sum()
        total = total + gpukit.linalg.inv(x).square().sum() + gpukit.linalg.slogdet(x)[1].sum()
        total = total + gpukit.linalg.cholesky(x @ x.mT + gpukit.eye(4, device=place)).sum()
        grads = gpukit.autograd.grad(total, [x, y], create_graph=True)
        grads[0].square().sum().backward()
        found.append([fetch(each.detach()) for each in (*grads, x.grad, y.grad)])
    for mine, cpus in zip(*found, strict=True):
        np.testing.assert_allclose(cpus, mine, 1e-8, 1e-8)


def test_failures_are_told_on_every_device(device):
    singular = put(np.array([[[1.0, 2.0], [3.0, 4.0]], [[1.0, 2.0], [2.0, 4.0]]]), device)
    for call in (gpukit.linalg.inv, gpukit.linalg.lu_factor):
        with pytest.raises(gpukit.linalg.LinAlgError, match="matrix 1 of the batch"):
            call(singular)
    assert gpukit.linalg.inv_ex(singular).info.tolist() == [0, 2]
    assert gpukit.linalg.det(singular).tolist()[1] == 0
    with pytest.raises(gpukit.linalg.LinAlgError, match="order 2"):
        gpukit.linalg.cholesky(put(np.array([[1.0, 2.0], [2.0, 1.0]]), device))


def test_what_a_device_lacks_names_the_cpu(device):
    x = put(np.eye(40), device)
    calls = [gpukit.linalg.svd, gpukit.linalg.eigh, gpukit.linalg.qr, gpukit.linalg.inv]
    for call in calls:
        if x.is_cpu:
            call(x)
            continue
        with pytest.raises(NotImplementedError, match=r"x\.cpu\(\)") as caught:
            call(x)
        assert caught.value.details["device"] == str(x.device)


@pytest.mark.parametrize("dtype", list(RTOL))
@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (2, 4, 4), (70, 40)])
def test_factors_on_the_cpu(dtype, shape):
    rng = np.random.default_rng(1)
    a = rng.standard_normal(shape)
    if dtype.startswith("complex"):
        a = a + 1j * rng.standard_normal(shape)
    a = a.astype(dtype)
    x, tol = gpukit.tensor(a), RTOL[dtype] * 100
    for full in (True, False):
        u, s, vh = gpukit.linalg.svd(x, full_matrices=full)
        k = min(shape[-2:])
        np.testing.assert_allclose(fetch(s), np.linalg.svd(a)[1], tol, tol)
        again = (u[..., :k] * s.unsqueeze(-2)) @ vh[..., :k, :]
        np.testing.assert_allclose(fetch(again), a, tol, tol)
        q, r = gpukit.linalg.qr(x, "complete" if full else "reduced")
        np.testing.assert_allclose(fetch(q @ r), a, tol, tol)
        wanted = np.linalg.qr(a, "complete" if full else "reduced")
        np.testing.assert_allclose(fetch(r), wanted[1], tol, tol)
    wide = a.astype(WIDE.get(dtype, dtype))
    gram = wide @ wide.swapaxes(-1, -2).conj()
    values, vectors = gpukit.linalg.eigh(gpukit.tensor(gram))
    np.testing.assert_allclose(fetch(values), np.linalg.eigvalsh(gram), 1e-9, 1e-9)
    np.testing.assert_allclose(
        fetch((vectors * values.unsqueeze(-2)) @ vectors.mH), gram, 1e-9, 1e-9
    )
    np.testing.assert_allclose(fetch(gpukit.linalg.pinv(x)), np.linalg.pinv(a), tol, tol)


def test_least_squares_of_every_driver():
    rng = np.random.default_rng(2)
    a, b = rng.standard_normal((2, 6, 3)), rng.standard_normal((2, 6, 2))
    want = [np.linalg.lstsq(a[i], b[i], rcond=None) for i in range(2)]
    for driver in ("gels", "gelsy", "gelsd", "gelss"):
        got = gpukit.linalg.lstsq(gpukit.tensor(a), gpukit.tensor(b), driver=driver)
        np.testing.assert_allclose(fetch(got.solution), [w[0] for w in want], 1e-9)
        if driver != "gels":
            assert got.rank.tolist() == [3, 3]
        if driver in {"gelsd", "gelss"}:
            np.testing.assert_allclose(fetch(got.singular_values), [w[3] for w in want], 1e-9)


def test_only_one_triangle_is_read():
    a = positive((), 4)
    nan = np.where(np.tri(4, dtype=bool), a, np.nan)
    lower, upper = gpukit.tensor(nan), gpukit.tensor(nan.T.copy())
    want = np.linalg.cholesky(a)
    np.testing.assert_allclose(fetch(gpukit.linalg.cholesky(lower)), want)
    np.testing.assert_allclose(fetch(gpukit.linalg.cholesky(upper, upper=True)), want.T)
    np.testing.assert_allclose(fetch(gpukit.linalg.eigvalsh(lower)), np.linalg.eigvalsh(a))
    np.testing.assert_allclose(fetch(gpukit.linalg.eigvalsh(upper, "U")), np.linalg.eigvalsh(a))


@pytest.mark.parametrize("bad", [0, 3, -1, 2**31 - 1])
def test_pivots_of_no_row_are_refused(device, bad):
    lu = put(np.eye(2), device)
    pivots = put(np.array([1, bad], "int32"), device)
    with pytest.raises((ValueError, IndexError), match=r"pivots|rows|range"):
        gpukit.linalg.lu_solve(lu, pivots, lu).tolist()
    with pytest.raises(ValueError, match="pivots"):
        gpukit.lu_unpack(lu, pivots)


def test_threads_share_the_library():
    a = squares((40,), 12)
    want = np.linalg.inv(a)

    def work(_: int) -> bool:
        x = gpukit.tensor(a)
        values = gpukit.linalg.svdvals(x)
        return bool(np.allclose(fetch(gpukit.linalg.inv(x)), want)) and values.shape == (40, 12)

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(12)))


def test_without_the_library_an_error_says_how_to_install_it():
    program = (
        "import gpukit\n"
        "try:\n    gpukit.linalg.inv(gpukit.eye(2))\n"
        "except NotImplementedError as error:\n    print(error.fix)\n"
    )
    environment = {**os.environ, "GPUKIT_BLAS": "own"}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=True
    )
    assert done.stdout.splitlines()[-1] == "pip install scipy-openblas32"


def test_the_array_apis_functions():
    xp = gpukit.array_api
    a, b = squares((3,), 3), squares((3,), 3)
    x, y = xp.asarray(a), xp.asarray(b)
    want = np.linalg.solve(a, b[0])
    np.testing.assert_allclose(fetch(xp.linalg.solve(x, y[0])), want, atol=1e-12)
    np.testing.assert_allclose(fetch(xp.linalg.matrix_norm(x)), np.linalg.norm(a, axis=(1, 2)))
    np.testing.assert_allclose(
        fetch(xp.linalg.trace(x, offset=1)), np.trace(a, 1, axis1=1, axis2=2)
    )
    assert xp.linalg.matrix_rank(x, rtol=1e-6).tolist() == [3, 3, 3]
    assert xp.linalg.eigh(x).eigenvalues.shape == (3, 3)
    assert xp.linalg.cross(x, y[0, 0]).shape == (3, 3, 3)
    with pytest.raises(gpukit.DTypeError, match="floating"):
        xp.linalg.inv(xp.asarray([[1]]))


@pytest.mark.parametrize("dtype", list(RTOL))
@pytest.mark.parametrize(("batch", "n"), [((), 1), ((2,), 5), ((), 40)])
def test_eigenvalues_of_any_matrix(dtype, batch, n):
    a = squares(batch, n, dtype)
    values, vectors = (fetch(part) for part in gpukit.linalg.eig(gpukit.tensor(a)))
    assert values.dtype == vectors.dtype == np.result_type(dtype, "complex64")
    tol = RTOL[dtype] * n
    np.testing.assert_allclose(a @ vectors, vectors * values[..., None, :], tol, tol)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=-2), 1, tol)
    wide = a.astype(WIDE.get(dtype, dtype))
    for found in (values, fetch(gpukit.linalg.eigvals(gpukit.tensor(a)))):
        wanted = np.linalg.eigvals(wide)
        distances = np.abs(found[..., :, None] - wanted[..., None, :])
        assert distances.min(-1).max() < tol * 10
        assert distances.min(-2).max() < tol * 10


def formulas() -> int:
    """How many derivatives of gpukit's own are alive."""
    gc.collect()
    found = (each for each in gc.get_objects() if type(each) is types.FunctionType)
    return sum(each.__qualname__.endswith("<locals>.derivative") for each in found)


@pytest.mark.parametrize("name", ["eigh", "eig", "svd", "qr", "slogdet", "det", "lu_factor"])
def test_recorded_results_are_released(name):
    before = formulas()
    x = gpukit.tensor(squares((), 3), requires_grad=True)
    results = getattr(gpukit.linalg, name)(x @ x.mT)
    results = results if isinstance(results, tuple) else (results,)
    total = sum((part.abs().sum() for part in results if part.requires_grad), x.sum())
    total.backward(retain_graph=True)
    assert formulas() > before
    del results, total
    assert formulas() == before


@pytest.mark.parametrize("order", ["fro", "nuc", 1, float("inf")])
def test_conditions_have_derivatives(order):
    x = gpukit.tensor(squares((2,), 3), requires_grad=True)
    assert gpukit.autograd.gradcheck(lambda a: gpukit.linalg.cond(a, order), (x,))
    assert gpukit.autograd.gradgradcheck(lambda a: gpukit.linalg.cond(a, order), (x,))
    assert gpukit.linalg.cond(gpukit.zeros(2, 2), order).item() == float("inf")
