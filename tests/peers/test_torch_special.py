"""gpukit.special beside torch.special: values at ordinary and extreme numbers, dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import gpukit

ONE = (
    *("digamma", "entr", "erf", "erfc", "erfcx", "erfinv", "exp2", "expit", "expm1", "gammaln"),
    *("i0", "i0e", "i1", "i1e", "log1p", "log_ndtr", "logit", "ndtr", "ndtri", "psi", "round"),
    "sinc",
)
TWO = ("xlogy", "xlog1py", "zeta")
EXTREMES = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -2.5, 1e-30, 40.0, -40.0, np.inf, -np.inf, np.nan]
DRAWN = np.random.default_rng(3).uniform(-4, 4, 200)


def values(dtype: str) -> np.ndarray:
    return np.concatenate([EXTREMES, DRAWN, DRAWN / 8]).astype(dtype)


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_function_of_one_operand(name: str, dtype: str) -> None:
    x = values(dtype)
    if name in {"i0", "i1"}:  # torch has NaN of infinities
        x = x[~np.isinf(x)]
    got = getattr(gpukit.special, name)(gpukit.tensor(x)).numpy()
    want = getattr(torch.special, name)(torch.tensor(x)).numpy()
    assert got.dtype == want.dtype
    near = {"rtol": 3e-6, "atol": 3e-6} if dtype == "float32" else {"rtol": 1e-11, "atol": 1e-14}
    np.testing.assert_allclose(got, want, **near)


@pytest.mark.parametrize("name", TWO)
def test_function_of_two_operands(name: str) -> None:
    x = values("float64")
    other = x[::-1].copy()
    if name == "zeta":  # torch sums term by term: keep off large negative numbers
        x, other = np.abs(DRAWN) + 1, DRAWN[::-1].copy()
    got = getattr(gpukit.special, name)(gpukit.tensor(x), gpukit.tensor(other)).numpy()
    want = getattr(torch.special, name)(torch.tensor(x), torch.tensor(other)).numpy()
    np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-14)


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_polygamma(n: int) -> None:
    x = DRAWN
    got = gpukit.special.polygamma(n, gpukit.tensor(x)).numpy()
    want = torch.special.polygamma(n, torch.tensor(x)).numpy()
    np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-12)


def test_multigammaln() -> None:
    x = np.abs(DRAWN) + 1.5
    got = gpukit.special.multigammaln(gpukit.tensor(x), 4).numpy()
    want = torch.special.multigammaln(torch.tensor(x), 4).numpy()
    np.testing.assert_allclose(got, want, rtol=1e-12)


def samples(name: str, xp: Any, x: Any) -> Any:
    """A call of a function of samples."""
    points = xp.cumsum(x.abs() + 0.1, 1)
    return {
        "histogram": lambda: xp.histogram(x, 7, range=(-2.0, 3.0)),
        "histogram density": lambda: xp.histogram(x, 5, weight=x.abs(), density=True),
        "nanquantile": lambda: xp.nanquantile(xp.where(x > 2, float("nan"), x), 0.4, 1),
        "nanquantile several": lambda: xp.nanquantile(x, xp.tensor([0.1, 1.0]), keepdim=True),
        "trapezoid": lambda: xp.trapezoid(x, points, dim=1),
        "trapz": lambda: xp.trapz(x, dx=0.5),
        "cumulative_trapezoid": lambda: xp.cumulative_trapezoid(x, points),
        "gradient": lambda: xp.gradient(x, spacing=0.5, edge_order=2),
        "gradient points": lambda: xp.gradient(x, spacing=[points[0]], dim=1),
        "gradient by default": lambda: xp.gradient(x, spacing=None, dim=0),
    }[name]()


@pytest.mark.parametrize(
    "name",
    [
        "histogram",
        "histogram density",
        "nanquantile",
        "nanquantile several",
        "trapezoid",
        "trapz",
        "cumulative_trapezoid",
        "gradient",
        "gradient points",
        "gradient by default",
    ],
)
def test_samples_in_float32(name: str) -> None:
    x = DRAWN[:40].reshape(5, 8).astype(np.float32)
    got, want = (samples(name, xp, xp.tensor(x)) for xp in (gpukit, torch))
    if not isinstance(got, tuple):
        got, want = (got,), (want,)
    assert len(got) == len(want)
    for one, other in zip(got, want, strict=True):
        assert str(one.dtype).split(".")[-1] == str(other.dtype).split(".")[-1]
        np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=2e-5, atol=2e-5)


POLYNOMIALS = [
    *(f"{start}chebyshev_polynomial_{kind}" for start in ("", "shifted_") for kind in "tuvw"),
    *("hermite_polynomial_h", "hermite_polynomial_he"),
    *("laguerre_polynomial_l", "legendre_polynomial_p"),
]


@pytest.mark.parametrize("name", POLYNOMIALS)
def test_polynomials(name: str) -> None:
    x = DRAWN / 3
    degrees = np.arange(len(x)) % 9 - 1
    for dtype in ("float64", "float32"):
        got = getattr(gpukit.special, name)(gpukit.tensor(x.astype(dtype)), gpukit.tensor(degrees))
        want = getattr(torch.special, name)(torch.tensor(x), torch.tensor(degrees)).numpy()
        near = 1e-11 if dtype == "float64" else 2e-4
        np.testing.assert_allclose(got.numpy(), want, rtol=near, atol=near * 10)
    got = getattr(gpukit.special, name)(gpukit.tensor(x), 5).numpy()
    want = getattr(torch.special, name)(torch.tensor(x), 5).numpy()
    np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-11)


def test_modified_bessel_functions_are_i0_and_i1() -> None:
    x = DRAWN
    for name in ("modified_bessel_i0", "modified_bessel_i1"):
        got = getattr(gpukit.special, name)(gpukit.tensor(x)).numpy()
        want = getattr(torch.special, name)(torch.tensor(x)).numpy()
        np.testing.assert_allclose(got, want, rtol=1e-12)
