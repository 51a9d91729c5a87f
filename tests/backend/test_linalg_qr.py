"""QR of large matrices, by blocks of columns, beside LAPACK's of NumPy."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import gpukit

EPS = {"float32": 1.2e-7, "float64": 2.3e-16, "complex64": 1.2e-7, "complex128": 2.3e-16}
# Multiples of the block and of the leaf, one beside them, tall, wide, both.
SHAPES = [(96, 96), (192, 192), (97, 97), (200, 137), (700, 150), (137, 200), (150, 550)]


@pytest.fixture(autouse=True, params=[1, 3])
def threads(request: pytest.FixtureRequest) -> Iterator[None]:
    before = gpukit.get_num_threads()
    gpukit.set_num_threads(request.param)
    yield
    gpukit.set_num_threads(before)


def drawn(dtype: str, *shape: int) -> np.ndarray:
    rng = np.random.default_rng(list(shape))
    values = rng.standard_normal(shape)
    if dtype.startswith("complex"):
        values = values + 1j * rng.standard_normal(shape)
    return values.astype(dtype)


def error(difference: np.ndarray, beside: np.ndarray) -> float:
    return float(np.linalg.norm(difference) / np.linalg.norm(beside))


def exact(dtype: str) -> str:
    return "complex128" if dtype.startswith("complex") else "float64"


def check(a: np.ndarray, q: np.ndarray, r: np.ndarray, mode: str) -> None:
    """Q R = A, Q is orthogonal, R a triangle; both close to LAPACK's, and as exact."""
    dtype, wide = a.dtype.name, exact(a.dtype.name)
    their_q, their_r = (x.astype(wide) for x in np.linalg.qr(a, mode))
    q, r, a = q.astype(wide), r.astype(wide), a.astype(wide)
    assert q.shape == their_q.shape and r.shape == their_r.shape
    assert not np.tril(r, -1).any()
    unit = np.eye(q.shape[1])
    # NumPy computes float32 in double: its own errors are those of its roundings at the end.
    bound = 4 * np.sqrt(max(a.shape)) * EPS[dtype]
    assert error(q @ r - a, a) < bound
    assert error(q.conj().T @ q - unit, unit) < bound
    # Square random matrices have a condition of thousands, and the last columns its multiple.
    columns = min(a.shape) // 2
    assert error(q[:, :columns] - their_q[:, :columns], unit) < 20 * bound
    assert error(r[:columns] - their_r[:columns], their_r) < 20 * bound


@pytest.mark.parametrize("dtype", list(EPS))
@pytest.mark.parametrize("shape", SHAPES)
def test_factors(dtype: str, shape: tuple[int, int]) -> None:
    a = drawn(dtype, *shape)
    for mode in ("reduced", "complete"):
        q, r = gpukit.linalg.qr(gpukit.tensor(a), mode)
        check(a, q.numpy(), r.numpy(), mode)
    alone = gpukit.linalg.qr(gpukit.tensor(a), "r")[1].numpy()
    reduced = gpukit.linalg.qr(gpukit.tensor(a))[1].numpy()
    np.testing.assert_array_equal(alone, reduced)


@pytest.mark.parametrize("dtype", list(EPS))
def test_reflectors_are_those_of_lapack(dtype: str) -> None:
    a = drawn(dtype, 300, 150)
    h, tau = (x.numpy() for x in gpukit.geqrf(gpukit.tensor(a)))
    raw, their_tau = np.linalg.qr(a.astype(exact(dtype)), "raw")
    assert error(h - raw.T, raw) < 1000 * EPS[dtype]
    assert error(tau - their_tau, their_tau) < 1000 * EPS[dtype]
    # Fewer reflectors than columns: the others are those of the unit matrix, moved by all.
    some = gpukit.linalg.householder_product(gpukit.tensor(h), gpukit.tensor(tau[:110])).numpy()
    every = gpukit.linalg.householder_product(gpukit.tensor(h), gpukit.tensor(tau)).numpy()
    unit = np.eye(150)
    assert error(some.conj().T @ some - unit, unit) < 100 * EPS[dtype]
    assert error(some[:, :110] - every[:, :110], unit) < 100 * EPS[dtype]


@pytest.mark.parametrize("batch", [(2,), (3, 3)])
def test_batches(batch: tuple[int, ...]) -> None:
    a = drawn("float64", *batch, 150, 135)
    q, r = gpukit.linalg.qr(gpukit.tensor(a))
    for i in np.ndindex(*batch):
        check(a[i], q[i].numpy(), r[i].numpy(), "reduced")


@pytest.mark.parametrize("kind", ["zeros", "zero columns", "rank one", "triangle", "tiny", "huge"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_matrices_without_full_rank_and_at_the_ends_of_the_range(dtype: str, kind: str) -> None:
    a = drawn(dtype, 150, 150)
    scale = 1.0
    if kind == "zeros":
        a[:] = 0
    if kind == "zero columns":
        a[:, 60:90] = 0
    if kind == "rank one":
        a = np.outer(a[0], a[1])
    if kind == "triangle":
        a = np.triu(a)
    if kind in {"tiny", "huge"}:
        scale = float(np.finfo(dtype).max) ** (0.9 if kind == "huge" else -0.8)
    a = (a * scale).astype(dtype)
    q, r = (x.numpy() for x in gpukit.linalg.qr(gpukit.tensor(a)))
    unit = np.eye(150)
    assert error(q.T.astype("float64") @ q - unit, unit) < 100 * EPS[dtype]
    difference = (q.astype("float64") @ (r.astype("float64") / scale)) - a / scale
    assert np.linalg.norm(difference) <= 100 * EPS[dtype] * np.linalg.norm(a / scale)


def test_nan_stays_in_the_columns_from_its_own_on() -> None:
    a = drawn("float32", 150, 150)
    a[7, 80] = np.nan
    q, r = (x.numpy() for x in gpukit.linalg.qr(gpukit.tensor(a)))
    assert np.isfinite(r[:, :80]).all() and np.isnan(r[:, 80:]).any(0).all()
    assert np.isnan(q).any()


@pytest.mark.parametrize("shape", [(140, 120), (120, 140)])
def test_gradient(shape: tuple[int, int]) -> None:
    """The gradient of a sum over Q and R beside differences along a direction."""
    a, direction = drawn("float64", *shape), drawn("float64", *shape[::-1]).T
    a[: min(shape), : min(shape)] += 40 * np.eye(min(shape))

    def value(x: gpukit.Tensor) -> gpukit.Tensor:
        q, r = gpukit.linalg.qr(x)
        return (q * q.sin()).sum() + (r * r.cos()).sum()

    x = gpukit.tensor(a, requires_grad=True)
    value(x).backward()
    step = 1e-6
    ends = [float(value(gpukit.tensor(a + sign * step * direction))) for sign in (1, -1)]
    expected = (ends[0] - ends[1]) / (2 * step)
    assert x.grad is not None
    assert abs(float((x.grad.numpy() * direction).sum()) - expected) < 1e-4 * abs(expected)


@pytest.mark.parametrize("dtype", list(EPS))
@pytest.mark.parametrize("shape", [(100, 100), (400, 150), (3, 200, 120)])
@pytest.mark.parametrize("size", ["moderate", "tiny", "huge"])
def test_least_squares_by_gels(dtype: str, shape: tuple[int, ...], size: str) -> None:
    a, b = drawn(dtype, *shape), drawn(dtype, *shape[:-1], 260)
    ends, largest = np.finfo(dtype), float(max(abs(a.real).max(), abs(a.imag).max()))
    scales = {"moderate": 1.0, "tiny": 20 * float(ends.tiny), "huge": float(ends.max) / 2 / largest}
    scale = scales[size]
    x = gpukit.linalg.lstsq(
        gpukit.tensor((a * scale).astype(dtype)), gpukit.tensor(b), driver="gels"
    ).solution.numpy()
    wide = exact(dtype)
    expected = np.linalg.pinv(a.astype(wide)) @ b.astype(wide)
    assert error(x.astype(wide) * scale - expected, expected) < 1e4 * EPS[dtype]


def test_gels_of_a_matrix_with_a_zero_column_is_refused() -> None:
    a = drawn("float64", 150, 120)
    a[:, 70] = 0
    with pytest.raises(gpukit.linalg.LinAlgError):
        gpukit.linalg.lstsq(gpukit.tensor(a), gpukit.tensor(a[:, :2]), driver="gels")
