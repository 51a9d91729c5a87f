"""Batches of small matrices, which the CPU computes one a lane, beside NumPy and single ones."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import gpukit

RTOL = {"float32": 1e-4, "float64": 1e-11}
# As many as the lanes of a vector, one less, one more, a few.
SIZES = [2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 40]
ROWS = [1, 2, 3, 8, 13, 31, 32, 33]


def drawn(dtype: str, *shape: int) -> np.ndarray:
    return np.random.default_rng(list(shape)).standard_normal(shape).astype(dtype)


def is_near(got: Any, want: np.ndarray, scale: float = 1.0) -> None:
    rtol = RTOL[got.dtype.name]
    np.testing.assert_allclose(got.numpy(), want, rtol, rtol * scale)


@pytest.mark.parametrize("dtype", list(RTOL))
@pytest.mark.parametrize("n", ROWS)
def test_factors_and_systems(dtype: str, n: int) -> None:
    for batch in SIZES:
        a = drawn(dtype, batch, n, n)
        x = gpukit.tensor(a)
        lu, pivots = gpukit.linalg.lu_factor(x)
        p, lower, upper = gpukit.lu_unpack(lu, pivots)
        is_near(p @ lower @ upper, a, n)
        assert float(lower.abs().max()) <= 1  # the largest of a column is its pivot
        if dtype == "float64":  # float32 may round to other pivots
            single = [gpukit.linalg.lu_factor(x[i]).pivots.tolist() for i in range(batch)]
            assert pivots.tolist() == single
        regular = a + 3 * n * np.eye(n, dtype=dtype)
        for columns in (1, 3, 64, 65):
            b = drawn(dtype, batch, n, columns)
            y, right = gpukit.tensor(regular), gpukit.tensor(b)
            is_near(gpukit.linalg.solve(y, right), np.linalg.solve(regular, b))
            parts = gpukit.linalg.lu_factor(y)
            want = np.linalg.solve(regular.swapaxes(1, 2), b)
            is_near(gpukit.linalg.lu_solve(*parts, right, adjoint=True), want)
        is_near(gpukit.linalg.inv(gpukit.tensor(regular)), np.linalg.inv(regular))


@pytest.mark.parametrize("dtype", list(RTOL))
@pytest.mark.parametrize("n", [1, 2, 7, 8, 16, 17, 32])
def test_pivots_of_any_row(dtype: str, n: int) -> None:
    """Pivots of one's own may name each row, those above too."""
    rng = np.random.default_rng(n)
    for batch, columns in ((2, 1), (5, 8), (16, 3), (33, 1), (21, 65)):
        lu = drawn(dtype, batch, n, n) / n + 3 * np.eye(n, dtype=dtype)
        pivots = rng.integers(1, n + 1, (batch, n)).astype("int32")
        b = drawn(dtype, batch, n, columns)
        order = np.tile(np.arange(n), (batch, 1))  # P b = b[order]
        for i, k in np.ndindex(batch, n):
            order[i, [k, pivots[i, k] - 1]] = order[i, [pivots[i, k] - 1, k]]
        exchanged = np.eye(n)[order]
        factors = np.tril(lu, -1) + np.eye(n), np.triu(lu)
        whole = exchanged.swapaxes(1, 2) @ factors[0] @ factors[1]
        given = [gpukit.tensor(x) for x in (lu, pivots, b)]
        is_near(gpukit.linalg.lu_solve(*given), np.linalg.solve(whole, b))
        back = gpukit.linalg.lu_solve(*given, adjoint=True)
        is_near(back, np.linalg.solve(whole.swapaxes(1, 2), b))


@pytest.mark.parametrize("dtype", list(RTOL))
@pytest.mark.parametrize("shape", [(3, 7), (7, 3), (1, 5), (32, 2), (2, 32)])
def test_factors_that_are_not_square(dtype: str, shape: tuple[int, int]) -> None:
    a = drawn(dtype, 21, *shape)
    p, lower, upper = gpukit.linalg.lu(gpukit.tensor(a))
    is_near(p @ lower @ upper, a, shape[0])


@pytest.mark.parametrize("dtype", list(RTOL))
@pytest.mark.parametrize("n", ROWS)
def test_triangles(dtype: str, n: int) -> None:
    a = drawn(dtype, 19, n, n) + 2 * n * np.eye(n, dtype=dtype)
    b = drawn(dtype, 19, n, 2)
    for upper in (False, True):
        for unit in (False, True):
            part = (np.triu if upper else np.tril)(a)
            if unit:
                part = part / (2 * n)  # so that the solutions stay small
                part[:, range(n), range(n)] = 1
            by_rows = gpukit.tensor(part)
            for x in (by_rows, by_rows.mT.contiguous().mT):
                got = gpukit.linalg.solve_triangular(
                    x, gpukit.tensor(b), upper=upper, unitriangular=unit
                )
                is_near(got, np.linalg.solve(part, b))
        square = a @ a.swapaxes(1, 2)
        factor = gpukit.linalg.cholesky(gpukit.tensor(square), upper=upper)
        lower = np.linalg.cholesky(square)
        is_near(factor, lower.swapaxes(1, 2) if upper else lower, n)
        outside = np.tril(factor.numpy(), -1) if upper else np.triu(factor.numpy(), 1)
        assert not outside.any()


@pytest.mark.parametrize("dtype", list(RTOL))
def test_what_fails_is_told_of_its_matrix_alone(dtype: str) -> None:
    a = drawn(dtype, 18, 5, 5)
    square = a @ a.swapaxes(1, 2) + np.eye(5, dtype=dtype)
    a[3], a[17, :, 2] = 0, 0
    square[4, 2, 2], square[5, 0, 0] = -1, np.nan
    info = gpukit.linalg.inv_ex(gpukit.tensor(a)).info
    assert info.nonzero().flatten().tolist() == [3, 17]
    single = [gpukit.linalg.inv_ex(gpukit.tensor(each)).info.item() for each in a]
    assert info.tolist() == single
    b = drawn(dtype, 18, 5, 2)
    found = gpukit.linalg.solve_ex(gpukit.tensor(a), gpukit.tensor(b))
    assert found.info.tolist() == single
    regular = [i for i in range(18) if not single[i]]
    is_near(gpukit.tensor(a[regular]) @ found.result[regular], b[regular], 1e3)
    with pytest.raises(gpukit.linalg.LinAlgError, match="matrix 3 of the batch"):
        gpukit.linalg.solve(gpukit.tensor(a), gpukit.tensor(b))
    factors = gpukit.linalg.cholesky_ex(gpukit.tensor(square))
    assert {i: code for i, code in enumerate(factors.info.tolist()) if code} == {4: 3, 5: 1}
    good = [i for i in range(18) if i not in {4, 5}]
    is_near(factors.L[good], np.linalg.cholesky(square[good]))
    with pytest.raises(gpukit.linalg.LinAlgError, match="matrix 3 of the batch"):
        gpukit.linalg.inv(gpukit.tensor(a))
    with pytest.raises(gpukit.linalg.LinAlgError, match="matrix 4 of the batch"):
        gpukit.linalg.cholesky(gpukit.tensor(square))
    a[3] = np.nan
    a[17] = np.eye(5)
    unknown = gpukit.linalg.solve(gpukit.tensor(a), gpukit.ones(18, 5, 1, dtype=dtype)).isnan()
    assert unknown.any(-2).flatten().nonzero().flatten().tolist() == [3]


def test_copies_of_small_transposed_matrices() -> None:
    for dtype in ("float64", "float32", "float16", "int8", "complex64", "complex128"):
        for batch, rows, columns in ((5, 2, 3), (3, 15, 128), (4, 128, 1), (7, 8, 8), (2, 3, 129)):
            a = (10 * drawn("float64", batch, rows, columns)).astype(dtype)
            np.testing.assert_array_equal(
                gpukit.tensor(a).mT.contiguous().numpy(), a.swapaxes(1, 2)
            )
            x = gpukit.tensor(a[None].repeat(2, 0))[1:].mT
            np.testing.assert_array_equal(x.clone().numpy()[0], a.swapaxes(1, 2))


def hard(dtype: str, batch: int, m: int, n: int) -> dict[str, np.ndarray]:
    """Batches on which rotations and reflectors may fail."""
    k, limits = min(m, n), np.finfo(dtype)
    drawn_ones = drawn("float64", batch, m, n)
    unit = np.broadcast_to(np.eye(m, n), (batch, m, n))
    left = np.linalg.qr(drawn("float64", batch, m, m))[0][:, :, :k]
    right = np.linalg.qr(drawn("float64", batch, n, n))[0][:, :, :k]
    mixed = drawn_ones.copy()
    mixed[::3], mixed[1::3] = 0, unit[1::3]
    part = max(1, k // 2)
    equal = np.where(np.arange(k) < part, 1, 1 + 10 * float(limits.eps))
    made = {
        "drawn": drawn_ones,
        "zero": 0 * drawn_ones,
        "identity": unit,
        "huge": drawn_ones * (float(limits.max) / 1000 / k),
        "tiny": drawn_ones * (float(limits.tiny) * 100),
        "denormal": drawn_ones * (float(limits.tiny) / 100),
        "graded columns": drawn_ones * np.geomspace(1, 1e-30, n),
        "graded rows": drawn_ones * np.geomspace(1e-30, 1, m)[:, None],
        "some rank": drawn("float64", batch, m, part) @ drawn("float64", batch, part, n),
        "ones": np.ones((batch, m, n)),
        "one column": drawn_ones * (np.arange(n) == n // 2),
        "mixed": mixed,
        "nearly equal": (left * equal) @ right.swapaxes(1, 2),
        "ill-conditioned": (left * np.geomspace(1, 1e-14, k)) @ right.swapaxes(1, 2),
    }
    return {name: a.astype(dtype) for name, a in made.items()}


def lengths(a: np.ndarray) -> np.ndarray:
    """Frobenius' norms, which do not leave the range."""
    largest = np.maximum(abs(a).max((1, 2), initial=0), 1e-300)
    return largest * np.sqrt(np.square(a / largest[:, None, None]).sum((1, 2)))


def check_near(what: str, got: np.ndarray, want: np.ndarray, scale: np.ndarray, dtype: str) -> None:
    """Equal but for a few roundings of each element of a row."""
    limits = np.finfo(dtype)
    bound = (
        4
        * (8 + max(got.shape[1:]))
        * (float(limits.eps) * scale + float(limits.smallest_subnormal))
    )
    assert (lengths(got.astype("float64") - want) <= bound).all(), what


def check_orthonormal(what: str, got: np.ndarray, dtype: str) -> None:
    wide = got.astype("float64")
    unit = np.eye(got.shape[2])
    check_near(what, wide.swapaxes(1, 2) @ wide, unit, np.ones(len(got)), dtype)


@pytest.mark.parametrize("dtype", list(RTOL))
@pytest.mark.parametrize("n", [1, 2, 3, 8, 13, 16, 32])
def test_eigenvalues(dtype: str, n: int) -> None:
    for name, a in hard(dtype, 21, n, n).items():
        symmetric = np.tril(a) + np.tril(a, -1).swapaxes(1, 2)
        scale = lengths(symmetric.astype("float64"))
        for uplo, other in (("L", np.triu_indices(n, 1)), ("U", np.tril_indices(n, -1))):
            given = symmetric.copy()
            given[:, other[0], other[1]] = np.nan  # is not read
            x = gpukit.tensor(given)
            w, v = (part.numpy() for part in gpukit.linalg.eigh(x, uplo))
            wide = v.astype("float64")
            product = wide * w.astype("float64")[:, None]
            check_near(name, symmetric.astype("float64") @ wide, product, scale, dtype)
            check_orthonormal(name, v, dtype)
            assert (w[:, 1:] >= w[:, :-1]).all(), name
            alone = gpukit.linalg.eigvalsh(x, uplo).numpy()
            check_near(name, alone[:, None], w[:, None], scale, dtype)


@pytest.mark.parametrize("dtype", list(RTOL))
@pytest.mark.parametrize(
    "shape", [(1, 1), (2, 2), (3, 3), (8, 8), (13, 13), (32, 32), (9, 4), (4, 9), (31, 32), (40, 2)]
)
def test_singular_values(dtype: str, shape: tuple[int, int]) -> None:
    k = min(shape)
    for name, a in hard(dtype, 21, *shape).items():
        wide = a.astype("float64")
        x, scale = gpukit.tensor(a), lengths(wide)
        for full in (False, True):
            parts = [p.numpy() for p in gpukit.linalg.svd(x, full_matrices=full)]
            u, s, vh = parts
            assert u.shape == (21, shape[0], shape[0] if full else k)
            assert vh.shape == (21, shape[1] if full else k, shape[1])
            product = (u[:, :, :k].astype("float64") * s[:, None]) @ vh[:, :k].astype("float64")
            check_near(name, product, wide, scale, dtype)
            check_orthonormal(name, u, dtype)
            check_orthonormal(name, vh.swapaxes(1, 2), dtype)
            assert (s[:, 1:] <= s[:, :-1]).all() and (s >= 0).all(), name
        check_near(name, gpukit.linalg.svdvals(x).numpy()[:, None], s[:, None], scale, dtype)
        want = np.linalg.svd(wide, compute_uv=False)
        check_near(name, s[:, None], want[:, None], scale, dtype)


@pytest.mark.parametrize("dtype", list(RTOL))
@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (8, 8), (32, 32), (9, 4), (4, 9), (100, 3)])
def test_orthogonal_factors(dtype: str, shape: tuple[int, int]) -> None:
    for name, a in hard(dtype, 21, *shape).items():
        x, scale = gpukit.tensor(a), lengths(a.astype("float64"))
        for mode in ("reduced", "complete"):
            q, r = (part.numpy() for part in gpukit.linalg.qr(x, mode))
            check_near(name, q.astype("float64") @ r.astype("float64"), a, scale, dtype)
            check_orthonormal(name, q, dtype)
            assert not np.tril(r, -1).any()
        rows = gpukit.linalg.qr(x, "r").R.numpy()
        np.testing.assert_array_equal(rows, r[:, : min(shape)])
        if name in {"drawn", "huge", "tiny", "identity", "zero"}:  # others have any signs
            single = np.stack([gpukit.linalg.qr(each, "r").R.numpy() for each in x])
            check_near(name, rows, single, scale, dtype)


@pytest.mark.parametrize("dtype", list(RTOL))
def test_values_that_are_not_finite(dtype: str) -> None:
    for value in (np.nan, np.inf, -np.inf):
        a = drawn(dtype, 18, 4, 4)
        a[7, 2, 1] = value
        x = gpukit.tensor(a)
        for function in ("eigh", "eigvalsh", "svd", "svdvals"):
            with pytest.raises(gpukit.linalg.LinAlgError, match="matrix 7 of the batch"):
                getattr(gpukit.linalg, function)(x)
        q, r = gpukit.linalg.qr(x)
        known = [i for i in range(18) if i != 7]
        is_near((q @ r)[known], a[known], 4)
        assert not np.isfinite((q @ r)[7].numpy()).all()


PROGRAM = """
import numpy as np, gpukit
for dtype in ("float32", "float64"):
    a = np.random.default_rng(0).standard_normal((37, 6, 6)).astype(dtype)
    p, l, u = gpukit.linalg.lu(gpukit.tensor(a))
    np.testing.assert_allclose((p @ l @ u).numpy(), a, 1e-4, 1e-4)
    s = a @ a.swapaxes(1, 2) + np.eye(6, dtype=dtype)
    f = gpukit.linalg.cholesky(gpukit.tensor(s))
    np.testing.assert_allclose((f @ f.mT).numpy(), s, 1e-4, 1e-4)
    x = gpukit.linalg.solve(gpukit.tensor(s), gpukit.tensor(a))
    np.testing.assert_allclose(s @ x.numpy(), a, 1e-3, 1e-3)
    q, r = gpukit.linalg.qr(gpukit.tensor(a))
    np.testing.assert_allclose((q @ r).numpy(), a, 1e-4, 1e-4)
    w, v = gpukit.linalg.eigh(gpukit.tensor(s))
    np.testing.assert_allclose((v * w[:, None] @ v.mT).numpy(), s, 1e-4, 1e-4)
    u, z, vh = gpukit.linalg.svd(gpukit.tensor(a))
    np.testing.assert_allclose((u * z[:, None] @ vh).numpy(), a, 1e-4, 1e-4)
    for each in (q, v, u, vh):
        np.testing.assert_allclose((each.mT @ each).numpy(), 0 * s + np.eye(6), 1e-4, 1e-4)
"""


@pytest.mark.parametrize("level", ["baseline", "avx2"])
def test_other_vectors(level: str) -> None:
    environment = {**os.environ, "GPUKIT_SIMD": level}
    subprocess.run([sys.executable, "-c", PROGRAM], check=True, env=environment)
