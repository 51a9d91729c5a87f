"""The simulated cuBLAS against NumPy, and what it refuses."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from ctypes import byref, c_double, c_float, c_int, c_longlong, c_void_p
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.sim_driver import Address, SimDriver

F32, F64, F16, I8, I32, BF16 = 0, 1, 2, 3, 10, 14
COMPUTE_32F, COMPUTE_64F, COMPUTE_32I = 68, 70, 72
INVALID_VALUE, NOT_SUPPORTED = 7, 15
NUMPY = {F32: "f4", F64: "f8", F16: "f2", I8: "i1", I32: "i4", BF16: "u2"}
SCALAR = {COMPUTE_32F: c_float, COMPUTE_64F: c_double, COMPUTE_32I: c_int}
TOLERANCE = {F32: 1e-5, F64: 1e-13, F16: 1e-3, I32: 0, BF16: 8e-3}


class Blas:
    """A cuBLAS handle on the copy of the simulated driver."""

    def __init__(self, library: Path, driver: SimDriver) -> None:
        self.library = ctypes.CDLL(str(library))
        self.driver = driver
        self.handle = c_void_p()

    def call(self, name: str, *args: Any, status: int = 0) -> None:
        got = getattr(self.library, name)(self.handle, *args)
        assert got == status, f"{name} gave {got}, not {status}"


@pytest.fixture
def blas(driver: SimDriver, sim_folder: Path) -> Iterator[Blas]:
    driver.start("T4,mem=1GiB")
    made = Blas(sim_folder / "libgpukit_simcublas.so", driver)
    assert made.library.cublasCreate_v2(byref(made.handle)) == 0
    yield made
    made.call("cublasDestroy_v2")


def to_bfloat16(values: np.ndarray) -> np.ndarray:
    """The upper halves of float32 numbers that bfloat16 can hold."""
    return (values.astype("f4").view("u4") >> 16).astype("u2")


def random_matrix(rng: np.random.Generator, shape: tuple[int, int], dtype: int) -> np.ndarray:
    """Values that the type holds exactly."""
    if dtype in (I8, BF16):
        return rng.integers(-8, 9, shape).astype("f8")
    return rng.standard_normal(shape).astype(NUMPY[dtype]).astype("f8")


def encode(values: np.ndarray, dtype: int) -> np.ndarray:
    """Column-major bytes of the type."""
    flat = values.ravel("F")
    return to_bfloat16(flat) if dtype == BF16 else flat.astype(NUMPY[dtype])


def decode(values: np.ndarray, dtype: int) -> np.ndarray:
    """Back to numbers."""
    return (values.astype("u4") << 16).view("f4") if dtype == BF16 else values


@pytest.mark.parametrize(("transpose_a", "transpose_b"), [(0, 0), (0, 1), (1, 0), (1, 1)])
@pytest.mark.parametrize(("m", "n", "k"), [(1, 1, 1), (16, 6, 8), (33, 13, 300), (5, 7, 3)])
@pytest.mark.parametrize(
    ("dtype", "output", "compute"),
    [
        (F32, F32, COMPUTE_32F),
        (F64, F64, COMPUTE_64F),
        (F16, F16, COMPUTE_32F),
        (F16, F32, COMPUTE_32F),
        (BF16, BF16, COMPUTE_32F),
        (BF16, F32, COMPUTE_32F),
        (I8, F32, COMPUTE_32F),
    ],
)
def test_products(
    *,
    blas: Blas,
    transpose_a: int,
    transpose_b: int,
    m: int,
    n: int,
    k: int,
    dtype: int,
    output: int,
    compute: int,
) -> None:
    rng = np.random.default_rng(m * n + k)
    a = random_matrix(rng, (k, m) if transpose_a else (m, k), dtype)
    b = random_matrix(rng, (n, k) if transpose_b else (k, n), dtype)
    before = np.full((m, n), 2.0)
    driver = blas.driver
    device_a, device_b = driver.upload(encode(a, dtype)), driver.upload(encode(b, dtype))
    device_c = driver.upload(encode(before, output))
    alpha, beta = SCALAR[compute](0.5), SCALAR[compute](3)
    blas.call(
        "cublasGemmEx", transpose_a, transpose_b, m, n, k, byref(alpha), device_a, dtype,
        a.shape[0], device_b, dtype, b.shape[0], byref(beta), device_c, output, m, compute, -1,
    )  # fmt: skip
    alpha.value = beta.value = 77  # read at the call, not when the stream gets there
    got = decode(driver.download(device_c, m * n, NUMPY[output]), output).reshape(n, m).T
    exact = 0.5 * (a.T if transpose_a else a) @ (b.T if transpose_b else b) + 3 * before
    scale = np.abs(a).max() * np.abs(b).max() * k + 6
    assert np.abs(got - exact).max() <= TOLERANCE[output] * scale


def test_integers_are_exact_and_need_alignment(blas: Blas) -> None:
    driver, rng = blas.driver, np.random.default_rng(3)
    a, b = rng.integers(-128, 128, (32, 64)), rng.integers(-128, 128, (64, 12))
    device_a, device_b = driver.upload(encode(a, I8)), driver.upload(encode(b, I8))
    device_c, one, zero = driver.allocate(4 * 32 * 12), c_int(1), c_int(0)

    def product(leading: int, status: int) -> None:
        blas.call(
            "cublasGemmEx", 0, 0, 32, 12, 64, byref(one), device_a, I8, leading, device_b, I8, 64,
            byref(zero), device_c, I32, 32, COMPUTE_32I, -1, status=status,
        )  # fmt: skip

    product(33, NOT_SUPPORTED)
    product(32, 0)
    got = driver.download(device_c, 32 * 12, "i4").reshape(12, 32).T
    assert np.array_equal(got, a @ b)


def test_batches(blas: Blas) -> None:
    driver, rng = blas.driver, np.random.default_rng(4)
    a = rng.random((10, 8, 8), "f4")
    squares = np.einsum("bij,bjk->bik", a, a)  # without a BLAS
    device_a, device_c = driver.upload(a), driver.allocate(a.nbytes)
    one, zero, stride = c_float(1), c_float(0), c_longlong(64)

    def strided(step: c_longlong, status: int = 0) -> None:
        blas.call(
            "cublasGemmStridedBatchedEx", 0, 0, 8, 8, 8, byref(one), device_a, F32, 8, step,
            device_a, F32, 8, stride, byref(zero), device_c, F32, 8, stride, 10, COMPUTE_32F, -1,
            status=status,
        )  # fmt: skip

    strided(c_longlong(0), status=INVALID_VALUE)
    strided(stride)
    assert np.allclose(driver.download(device_c, a.size, "f4").reshape(a.shape), squares, rtol=1e-5)
    inputs = driver.upload(np.array([device_a.value + 256 * i for i in range(10)], "u8"))
    outputs = driver.upload(np.array([device_c.value + 256 * i for i in range(10)], "u8"))
    driver.fill(device_c, 0, a.size)
    blas.call(
        "cublasGemmBatchedEx", 0, 0, 8, 8, 8, byref(one), inputs, F32, 8, inputs, F32, 8,
        byref(zero), outputs, F32, 8, 10, COMPUTE_32F, -1,
    )  # fmt: skip
    assert np.allclose(driver.download(device_c, a.size, "f4").reshape(a.shape), squares, rtol=1e-5)


@pytest.mark.parametrize("transpose", [0, 1])
def test_matrix_times_vector(blas: Blas, transpose: int) -> None:
    driver, rng = blas.driver, np.random.default_rng(5)
    a, x = rng.random((7, 5), "f4"), rng.random(7 if transpose else 5, "f4")
    device_a, device_x = driver.upload(a.ravel("F")), driver.upload(x)
    count = 5 if transpose else 7
    device_y = driver.upload(np.ones(count, "f4"))
    two, three = c_float(2), c_float(3)
    blas.call(
        "cublasSgemv_v2", transpose, 7, 5, byref(two), device_a, 7, device_x, 1, byref(three),
        device_y, 1,
    )  # fmt: skip
    exact = 2 * ((a.T if transpose else a) @ x) + 3
    assert np.allclose(driver.download(device_y, count, "f4"), exact, rtol=1e-5)


def test_a_nan_in_the_output_does_not_survive_beta_zero(blas: Blas) -> None:
    driver = blas.driver
    device_a = driver.upload(np.eye(4, dtype="f4"))
    fresh = driver.allocate(64)
    sgemm(blas, (4, 4), device_a, fresh)
    assert np.array_equal(driver.download(fresh, 16, "f4").reshape(4, 4), np.eye(4))


def sgemm(blas: Blas, size: tuple[int, int], a: Address, c: Address, status: int = 0) -> None:
    """c = a @ a; size is n and the leading dimension of a."""
    (n, leading), alpha, beta = size, c_float(1), c_float(0)
    blas.call(
        "cublasSgemm_v2", 0, 0, n, n, n, byref(alpha), a, leading, a, n, byref(beta), c, n,
        status=status,
    )  # fmt: skip


def test_wrong_arguments_are_refused(blas: Blas) -> None:
    driver = blas.driver
    a = driver.upload(np.eye(4, dtype="f4"))
    sgemm(blas, (4, 3), a, driver.allocate(64), INVALID_VALUE)
    sgemm(blas, (4, 4), a, driver.allocate(60), INVALID_VALUE)
    sgemm(blas, (-1, 4), a, driver.allocate(64), INVALID_VALUE)
    sgemm(blas, (4, 4), Address(0x1000), driver.allocate(64), INVALID_VALUE)
    assert blas.library.cublasSetMathMode(None, 0) == 1


def test_a_product_waits_for_its_stream(blas: Blas) -> None:
    driver, stream = blas.driver, blas.driver.stream()
    a, out = driver.allocate(64), driver.allocate(64)
    blas.call("cublasSetStream_v2", stream)
    source = driver.pinned(16)
    source[:] = np.eye(4, dtype="f4").ravel()
    driver.write(a, source, stream)
    sgemm(blas, (4, 4), a, out)
    driver.call("cuStreamSynchronize", stream)
    assert np.array_equal(driver.download(out, 16, "f4").reshape(4, 4), np.eye(4))


def test_needs_a_context(driver: SimDriver, sim_folder: Path) -> None:
    library = ctypes.CDLL(str(sim_folder / "libgpukit_simcublas.so"))
    handle = c_void_p()
    assert driver.configure("T4") == ""
    assert library.cublasCreate_v2(byref(handle)) == 1
