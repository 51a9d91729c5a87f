"""gpukit.fft beside numpy.fft on every device."""

from __future__ import annotations

import numpy as np
import pytest

import gpukit
from support.arrays import fetch, put


@pytest.mark.parametrize("n", [1, 2, 5, 8, 1001])
@pytest.mark.parametrize("d", [1.0, 0.1, -2, 3])
def test_frequencies(n, d, device):
    for name in ("fftfreq", "rfftfreq"):
        got = getattr(gpukit.fft, name)(n, d, dtype=gpukit.float64, device=device)
        np.testing.assert_allclose(fetch(got), getattr(np.fft, name)(n, d), rtol=1e-15)
        assert getattr(gpukit.fft, name)(n).dtype is gpukit.float32
    assert gpukit.fft.fftfreq(3, requires_grad=True).is_leaf


@pytest.mark.parametrize("dim", [None, 0, -1, (0, 2), [1]])
def test_shifts_turn_halves_round(dim, device):
    x = np.arange(60).reshape(3, 4, 5)
    for name in ("fftshift", "ifftshift"):
        got = getattr(gpukit.fft, name)(put(x, device), dim)
        np.testing.assert_array_equal(fetch(got), getattr(np.fft, name)(x, dim))
    both = gpukit.fft.ifftshift(gpukit.fft.fftshift(put(x, device), dim), dim)
    np.testing.assert_array_equal(fetch(both), x)
    scalar = put(np.array(2.0), device)
    assert fetch(gpukit.fft.fftshift(scalar)) == 2.0
    assert gpukit.fft.fftshift(put(np.zeros((0, 3)), device)).shape == (0, 3)


def test_shifts_are_recorded(device):
    x = put(np.arange(5.0), device).requires_grad_()
    weights = put(np.array([1.0, 2.0, 3.0, 4.0, 5.0]), device)
    (gpukit.fft.fftshift(x) * weights).sum().backward()
    assert x.grad.tolist() == [3.0, 4.0, 5.0, 1.0, 2.0]


def test_wrong_arguments():
    with pytest.raises(ValueError, match="fftfreq: n must be 1 or more, got 0"):
        gpukit.fft.fftfreq(0)
    with pytest.raises(ValueError, match="rfftfreq: d must not be 0"):
        gpukit.fft.rfftfreq(3, 0)
    with pytest.raises(TypeError, match="n must be an int"):
        gpukit.fft.fftfreq(2.5)
    with pytest.raises(IndexError, match="fftshift: dim 3"):
        gpukit.fft.fftshift(gpukit.ones(2, 2), 3)
    with pytest.raises(AttributeError, match="Did you mean 'rfft'"):
        _ = gpukit.fft.rffft
