"""Bessel functions beside torch's, and beside exact values from mpmath."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
import torch

import gpukit

EXACT = {
    "bessel_j0": lambda x: mpmath.besselj(0, x),
    "bessel_j1": lambda x: mpmath.besselj(1, x),
    "bessel_y0": lambda x: mpmath.bessely(0, x),
    "bessel_y1": lambda x: mpmath.bessely(1, x),
    "modified_bessel_k0": lambda x: mpmath.besselk(0, x),
    "modified_bessel_k1": lambda x: mpmath.besselk(1, x),
    "scaled_modified_bessel_k0": lambda x: mpmath.exp(x) * mpmath.besselk(0, x),
    "scaled_modified_bessel_k1": lambda x: mpmath.exp(x) * mpmath.besselk(1, x),
    "spherical_bessel_j0": mpmath.sinc,
}
SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, -1.0, 1e-300, 1e-6, 5.0, 2.0, 0.5]


def both(name: str, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    results = [getattr(m.special, name)(m.tensor(x)) for m in (gpukit, torch)]
    assert str(results[0].dtype).rpartition(".")[2] == str(results[1].dtype).rpartition(".")[2]
    return results[0].numpy(), results[1].numpy()


@pytest.mark.parametrize("name", EXACT)
def test_float64_is_exact_to_some_units(name: str) -> None:
    x = np.concatenate([np.geomspace(1e-12, 5, 60), np.linspace(0.1, 60, 120)])
    got = getattr(gpukit.special, name)(gpukit.tensor(x)).numpy()
    want = np.array([float(EXACT[name](mpmath.mpf(each))) for each in x])
    # J and Y have zeros, where an error of x counts: the yardstick is their envelope.
    waves = np.minimum(1.0, np.sqrt(2 / (np.pi * x)))
    scale = np.abs(want) if "_k" in name else np.maximum(np.abs(want), 0.01 * waves)
    assert np.max(np.abs(got - want) / scale) < 1e-12


@pytest.mark.parametrize("name", EXACT)
def test_large_arguments(name: str) -> None:
    x = np.geomspace(60, 1e6, 50)
    got = getattr(gpukit.special, name)(gpukit.tensor(x)).numpy()
    with mpmath.workdps(40):
        want = np.array([float(EXACT[name](mpmath.mpf(each))) for each in x])
    envelope = np.abs(want) if "_k" in name else np.sqrt(2 / (np.pi * x))
    envelope = 1 / x if name == "spherical_bessel_j0" else envelope
    kept = want != 0
    assert np.max(np.abs(got - want)[kept] / envelope[kept]) < 1e-12
    assert (got[want == 0] == 0).all()


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", EXACT)
def test_beside_torch(name: str, dtype: str) -> None:
    x = np.concatenate([np.linspace(-20, 60, 300), np.geomspace(1e-8, 1e3, 100)]).astype(dtype)
    got, want = both(name, x)
    near = 1e-6 if dtype == "float64" and "_k" not in name else 1e-12  # torch's error near 5
    near = 2e-6 if dtype == "float32" else near
    np.testing.assert_allclose(got, want, rtol=near, atol=near)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", EXACT)
def test_special_values(name: str, dtype: str) -> None:
    with np.errstate(over="ignore"):
        x = np.array(SPECIAL[:6] if dtype == "float32" else SPECIAL, dtype)
    got, want = both(name, x)
    np.testing.assert_allclose(got, want, rtol=2e-6, atol=1e-300)
    np.testing.assert_array_equal(np.signbit(got[:2]), np.signbit(want[:2]))


@pytest.mark.parametrize("dtype", ["int32", "uint8", "bool"])
@pytest.mark.parametrize("name", EXACT)
def test_whole_numbers_give_the_default_dtype(name: str, dtype: str) -> None:
    got, want = both(name, np.array([[0, 1], [3, 7]]).astype(dtype))
    np.testing.assert_allclose(got, want, rtol=2e-6, atol=1e-7)


@pytest.mark.parametrize("name", EXACT)
def test_out(name: str) -> None:
    for m in (gpukit, torch):
        out = m.empty(2)
        assert getattr(m.special, name)(m.tensor([1.0, 2.0]), out=out) is out
        assert out[1].item() == pytest.approx(float(EXACT[name](2)), 1e-6)
