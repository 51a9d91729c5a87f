"""gpukit.fft's transforms beside numpy.fft: drawn calls, sizes of each plan, wrong calls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gpukit
from gpukit.bench.work import count_work
from support.arrays import fetch

ONE = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
MANY = ("fftn", "ifftn", "rfftn", "irfftn", "fft2", "ifft2", "rfft2", "irfft2")
REAL = {"rfft", "ihfft", "rfftn", "rfft2"}
NORMS = (None, "forward", "backward", "ortho")
# Powers of two and of the other radices, mixed ones, primes with and without a radix.
SIZES = (1, 2, 3, 4, 5, 7, 8, 11, 12, 13, 15, 16, 17, 30, 34, 49, 60, 61, 64, 77, 97, 100, 121, 128)
LONG = (169, 243, 256, 343, 480, 509, 625, 1000, 1009, 1024, 1026, 2002, 4096, 4098, 5000, 8192)
LONGER = (8191, 10_007, 16_384, 18_432, 20_000, 2 * 8191, 65_536, 3 * 2**15)


def drawn(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Any:
    """Numbers of the normal distribution, of whole parts where the dtype has no others."""
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.startswith("int"):
        return rng.integers(-9, 9, shape).astype(dtype)
    x = rng.normal(size=shape)
    return (x + 1j * rng.normal(size=shape) if dtype.startswith("complex") else x).astype(dtype)


def wide(x: Any) -> Any:
    """The same numbers in double precision, in which NumPy computes then."""
    return x.astype(np.complex128 if np.iscomplexobj(x) else np.float64)


def check_near(got: Any, expected: Any, single: bool) -> None:
    """The dtype, the shape, and the root of the mean square error beside that of the values."""
    kinds = ("complex64", "float32") if single else ("complex128", "float64")
    assert str(got.dtype) == kinds[0 if np.iscomplexobj(expected) else 1]
    assert got.shape == expected.shape
    if not expected.size:
        return
    error = np.sqrt(np.mean(np.abs(got - expected) ** 2))
    eps = 6e-8 if single else 1.2e-16
    steps = 3 + np.log2(max(expected.size, 2))
    assert error <= eps * steps * np.sqrt(np.mean(np.abs(expected) ** 2)) + 1e-300


def view_of(rng: np.random.Generator, x: Any, device: Any) -> tuple[Any, Any]:
    """A tensor and the same view of an array: whole, transposed, with steps, reversed, expanded."""
    tensor = gpukit.tensor(x, device=device)
    kind = rng.integers(0, 5)
    if kind == 1 and x.ndim > 1:
        order = list(rng.permutation(x.ndim))
        return tensor.permute(*map(int, order)), x.transpose(order)
    if kind == 2:
        return tensor[..., ::2], x[..., ::2]
    if kind == 3:
        return tensor.flip(-1), np.flip(x, -1)
    if kind == 4:
        return tensor.expand(2, *x.shape), np.broadcast_to(x, (2, *x.shape))
    return tensor, x


def call_of(rng: np.random.Generator, name: str, x: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arguments for gpukit and the same for NumPy."""
    norm = NORMS[rng.integers(0, 4)]
    if name in ONE:
        axis = int(rng.integers(-x.ndim, x.ndim))
        size = int(rng.integers(1, 20)) if rng.random() < 0.6 else None
        if size is None and name in {"irfft", "hfft"} and x.shape[axis] == 1:
            size = 1
        return {"n": size, "dim": axis, "norm": norm}, {"n": size, "axis": axis, "norm": norm}
    two = name.endswith("2")
    count = 2 if two else int(rng.integers(1, x.ndim + 1))
    axes = [int(a) for a in rng.permutation(x.ndim)[:count]]
    sizes = [int(n) for n in rng.integers(1, 12, count)]
    if rng.random() < 0.4 and not (name.startswith("irfft") and x.shape[axes[-1]] == 1):
        sizes = None
    if not two and sizes is None and rng.random() < 0.3 and x.shape[-1] > 1:
        return {"norm": norm}, {"norm": norm}
    return {"s": sizes, "dim": axes, "norm": norm}, {"s": sizes, "axes": axes, "norm": norm}


@pytest.mark.parametrize("name", ONE + MANY)
def test_drawn_calls(name, device):
    rng = np.random.default_rng([len(name), *name.encode()])
    dtypes = ("float32", "float64", "int32", "bool")
    if name not in REAL:
        dtypes += ("complex64", "complex128", "complex64", "complex128")
    for _ in range(30):
        least = 2 if name.endswith("2") else 1
        shape = tuple(int(n) for n in rng.integers(1, 7, rng.integers(least, 4)))
        dtype = dtypes[rng.integers(0, len(dtypes))]
        tensor, x = view_of(rng, drawn(rng, shape, dtype), device)
        ours, theirs = call_of(rng, name, x)
        expected = getattr(np.fft, name)(wide(x), **theirs)
        got = getattr(gpukit.fft, name)(tensor, **ours)
        assert got.device == device
        check_near(fetch(got), expected, dtype not in {"float64", "complex128"})


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_sizes(dtype, device):
    rng = np.random.default_rng(3)
    lines = 3 if device.type == "cpu" else 2
    for size in SIZES + LONG + LONGER:
        # Eighteen short lines are more than stand side by side; one long line stands alone.
        x = drawn(rng, (18 if size < 200 else lines if size < 9000 else 1, size), dtype)
        tensor, single = gpukit.tensor(x, device=device), dtype == "complex64"
        check_near(fetch(gpukit.fft.fft(tensor)), np.fft.fft(wide(x)), single)
        check_near(fetch(gpukit.fft.ifft(tensor.T, dim=0)), np.fft.ifft(wide(x).T, axis=0), single)
        real = wide(x).real
        half = gpukit.fft.rfft(tensor.real)
        check_near(fetch(half), np.fft.rfft(real), single)
        check_near(fetch(gpukit.fft.irfft(half, n=size)), real, single)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_batches_of_lines(dtype):
    """Lines that follow each other are transformed one by one or side by side, by their size."""
    rng = np.random.default_rng(5)
    for size in (32, 128, 250, 255, 256, 257, 512, 1000, 1001, 1024, 1232, 2002, 2048, 2049, 8192):
        x = (rng.normal(size=(5, size)) + 1j * rng.normal(size=(5, size))).astype(dtype)
        want, atol = np.fft.fft(x), 3e-5 if dtype == "complex64" else 1e-12
        atol *= np.sqrt(size)
        for given in (gpukit.tensor(x), gpukit.tensor(x.T.copy()).mT):
            np.testing.assert_allclose(fetch(gpukit.fft.fft(given)), want, atol=atol)
            back = gpukit.fft.ifft(given, norm="forward")
            np.testing.assert_allclose(fetch(back), np.fft.ifft(x, norm="forward"), atol=atol)
        across = gpukit.fft.fft(gpukit.tensor(x.T.copy()), dim=0)
        np.testing.assert_allclose(fetch(across), want.T, atol=atol)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_powers_of_two_in_turn(dtype):
    """Lines of whole rows, of rows with gaps, shorter and longer ones, and in place."""
    rng = np.random.default_rng(6)
    for power in range(6, 18):
        size, lines = 2**power, 40 if power < 13 else 3
        both = rng.normal(size=(lines, size + 3)) + 1j * rng.normal(size=(lines, size + 3))
        x = both.astype(dtype)
        rows = gpukit.tensor(x)[:, 1 : size + 1]
        want = np.fft.fft(x[:, 1 : size + 1].astype("complex128"))
        single = dtype == "complex64"
        check_near(fetch(gpukit.fft.fft(rows)), want, single)
        whole = rows.clone()
        check_near(fetch(gpukit.fft.fft(whole, n=size - 1)), np.fft.fft(x[:, 1:size]), single)
        check_near(
            fetch(gpukit.fft.fft(whole[:, :-5], n=size)),
            np.fft.fft(x[:, 1 : size - 4], size),
            single,
        )
        gpukit.fft.fft(whole, out=whole)
        check_near(fetch(whole), want, single)
        gpukit.fft.ifft(whole, out=whole)
        check_near(fetch(whole), x[:, 1 : size + 1], single)


def test_threads_share_a_long_line():
    """With the same bits as one thread, in place too."""
    rng = np.random.default_rng(9)
    before = gpukit.get_num_threads()
    try:
        for dtype, size in (("complex64", 2**17), ("complex64", 2**19), ("complex128", 2**18)):
            x = drawn(rng, (size,), dtype)
            gpukit.set_num_threads(1)
            want = fetch(gpukit.fft.fft(gpukit.tensor(x)))
            check_near(want, np.fft.fft(wide(x)), dtype == "complex64")
            gpukit.set_num_threads(3)
            own = gpukit.tensor(x)
            np.testing.assert_array_equal(fetch(gpukit.fft.fft(own)), want)
            gpukit.fft.fft(own, out=own)
            np.testing.assert_array_equal(fetch(own), want)
    finally:
        gpukit.set_num_threads(before)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_lines_side_by_side(dtype):
    """As many columns as lanes, fewer and more; with gaps, cut, padded, and in place."""
    rng = np.random.default_rng(8)
    single = dtype == "complex64"
    for size in (1, 7, 8, 9, 14, 49, 64, 120, 512, 1001):
        for columns in (2, 5, 16, 37):
            both = drawn(rng, (2, size, columns + 3), dtype)
            x = both[:, :, 2 : columns + 2]
            given = gpukit.tensor(both)[:, :, 2 : columns + 2]
            check_near(fetch(gpukit.fft.fft(given, dim=1)), np.fft.fft(wide(x), axis=1), single)
            for n in (size + 1, max(1, size - 1)):
                got = fetch(gpukit.fft.ifft(given, n=n, dim=1))
                check_near(got, np.fft.ifft(wide(x), n, axis=1), single)
            own = given.clone()
            gpukit.fft.ifft(own, dim=1, norm="ortho", out=own)
            check_near(fetch(own), np.fft.ifft(wide(x), axis=1, norm="ortho"), single)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_all_numbers_of_real_lines(dtype, device):
    """By each plan for lines in turn, and side by side."""
    rng = np.random.default_rng(7)
    for shape in ((1, 512), (5, 256), (3, 1000), (2, 3000), (1, 4096), (1, 2**14)):
        x = rng.normal(size=shape).astype(dtype)
        given, single = gpukit.tensor(x, device=device), dtype == "float32"
        check_near(fetch(gpukit.fft.fft(given)), np.fft.fft(wide(x)), single)
        check_near(fetch(gpukit.fft.ifft(given)), np.fft.ifft(wide(x)), single)
        check_near(fetch(gpukit.fft.fft(given, dim=0)), np.fft.fft(wide(x), axis=0), single)


def test_empty_and_padded(device):
    empty = gpukit.zeros(0, 4, dtype=gpukit.complex64, device=device)
    assert gpukit.fft.fft(empty).shape == (0, 4)
    assert gpukit.fft.fftn(empty, s=(3, 4)).abs().sum().item() == 0
    assert gpukit.fft.rfft(gpukit.zeros(2, 0, device=device), n=5).tolist() == [[0j] * 3] * 2
    assert gpukit.fft.irfft(gpukit.zeros(2, 0, 3, device=device)).shape == (2, 0, 4)
    scalar = gpukit.fft.fftn(gpukit.tensor(2.0, device=device))
    assert scalar.dtype is gpukit.complex64 and scalar.item() == 2


def test_imaginary_parts_without_a_use_are_ignored(device):
    x = np.array([1 + 5j, 2 + 1j, 3 + 7j])
    got = fetch(gpukit.fft.irfft(gpukit.tensor(x, device=device)))
    np.testing.assert_allclose(got, np.fft.irfft(x), rtol=1e-14)


def test_numbers_that_are_not_finite(device):
    x = np.array([1.0, np.nan, 2.0, 0.0])
    got, want = fetch(gpukit.fft.fft(gpukit.tensor(x, device=device))), np.fft.fft(x)
    assert (np.isnan(got) | ~np.isnan(want)).all()  # devices may have more, factors of 1 - 0i
    if device.type == "cpu":
        np.testing.assert_array_equal(np.isnan(got.real), np.isnan(want.real))


def test_out(device):
    x = gpukit.arange(6, device=device).float()
    out = gpukit.empty(6, dtype=gpukit.complex64, device=device)
    assert gpukit.fft.fft(x, out=out) is out
    np.testing.assert_allclose(fetch(out), np.fft.fft(np.arange(6.0)), atol=1e-5)
    with pytest.raises(gpukit.errors.DTypeError, match="out"):
        gpukit.fft.fft(x, out=gpukit.empty(6, device=device))


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        ("fft(x, n=0)", ValueError, "fft.fft: there are 0 numbers .* give n, 1 or more"),
        ("fft(x, n=-1)", ValueError, "there are -1 numbers"),
        ("fft(xp.zeros(0))", ValueError, "there are 0 numbers"),
        ("irfft(xp.ones(1))", ValueError, "fft.irfft: there are 0 numbers"),
        ("fft(x, dim=2)", IndexError, "fft.fft: dim"),
        ("fft(xp.tensor(1.0))", IndexError, "fft.fft"),
        ("fft(x, norm='both')", ValueError, "norm must be .*'ortho', got 'both'"),
        ("fft(x, norm=1)", TypeError, "norm"),
        ("fft(x, n=2.5)", TypeError, "n must be"),
        ("fft(x.half())", TypeError, "fft.fft: input is float16; .* Convert with .float()"),
        ("fftn(x, dim=(0, 0))", ValueError, "fft.fftn: dim names dimension 0 twice"),
        ("fftn(x, s=(2,), dim=(0, 1))", ValueError, "s and dim have 1 and 2 items"),
        ("fftn(x, s=(2, 2, 2))", ValueError, "fft.fftn: s has 3 sizes"),
        ("rfft(x + 1j)", TypeError, "fft.rfft: input is complex64; it must be real"),
        ("ihfft(x + 1j)", TypeError, "must be real"),
        ("rfftn(x, dim=())", ValueError, "no dimension to transform"),
        ("fft2(xp.ones(3))", IndexError, "fft.fft2"),
        ("fft(1)", TypeError, "input"),
    ],
)
def test_wrong_calls(call, kind, text, device):
    x = gpukit.ones(2, 3, device=device)
    with pytest.raises(kind, match=text):
        eval(f"fft.{call}", {"fft": gpukit.fft, "x": x, "xp": gpukit})


def test_threads_share_plans():
    import threading

    rng = np.random.default_rng(5)
    arrays = [drawn(rng, (4, n), "complex128") for n in (60, 61, 64, 100) * 4]
    failures = []

    def work() -> None:
        for x in arrays:
            got = fetch(gpukit.fft.fft(gpukit.tensor(x)))
            if not np.allclose(got, np.fft.fft(x)):
                failures.append(x.shape)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_work_is_counted():
    x = gpukit.ones(1024, dtype=gpukit.complex64)
    work = count_work(x.device, lambda: gpukit.fft.fft(x))
    assert work.total_flops == 5 * 1024 * 10
