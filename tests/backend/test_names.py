"""Functions of torch's names that are composed of others, on every device, beside NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import gpukit
from support.arrays import fetch, put

X = np.random.default_rng(1).normal(size=(3, 4)).astype("float32")


@pytest.mark.parametrize(
    ("call", "want"),
    [
        (lambda x: x.cumsum_(1), X.cumsum(1)),
        (lambda x: x.tril_(), np.tril(X)),
        (lambda x: x.triu_(1), np.triu(X, 1)),
        (lambda x: x.transpose_(0, 1), X.T),
        (lambda x: x.fmod_(0.5), np.fmod(X, np.float32(0.5))),
        (lambda x: x.addr_(x[:, 0].clone(), x[0].clone()), X + np.outer(X[:, 0], X[0])),
        (lambda x: gpukit.inner(x, x), X @ X.T),
        (lambda x: gpukit.frexp(x).mantissa, np.frexp(X)[0]),
        (lambda x: gpukit.frexp(x).exponent, np.frexp(X)[1]),
        (lambda x: gpukit.ldexp(x, gpukit.tensor([3], device=x.device)), np.ldexp(X, 3)),
        (lambda x: gpukit.column_stack((x, x[:, 0])), np.column_stack((X, X[:, 0]))),
        (lambda x: gpukit.hsplit(x, 2)[1], np.hsplit(X, 2)[1]),
        (lambda x: gpukit.select_scatter(x, x[0], 0, 2)[2], X[0]),
        (lambda x: gpukit.float_power(x, 2), X.astype("float64") ** 2),
        (lambda x: gpukit.diagflat(x[0], 1), np.diagflat(X[0], 1)),
        (lambda x: x.sum_to_size(1, 4), X.sum(0, keepdims=True)),
    ],
)
def test_is_numpys(call, want, device):
    got = fetch(call(put(X, device)))
    assert got.dtype == want.dtype
    np.testing.assert_allclose(got, want, rtol=2e-6, atol=1e-6)


def test_an_inverse_transform_gives_the_signal_back(device):
    x = put(np.sin(np.arange(64, dtype="float32")), device)
    window = gpukit.hann_window(16, device=device)
    spectrum = gpukit.stft(x, 16, window=window, return_complex=True)
    assert spectrum.device == x.device and spectrum.shape == (9, 17)
    back = gpukit.istft(spectrum, 16, window=window, length=64)
    np.testing.assert_allclose(fetch(back), fetch(x), atol=2e-6)


@pytest.mark.parametrize("call", ["exponential_", "cauchy_", "log_normal_", "random_"])
def test_drawn_numbers_are_the_generators(call, device):
    drawn = []
    for _ in range(2):
        gpukit.manual_seed(3)
        drawn.append(fetch(getattr(gpukit.empty(50, device=device), call)()))
    np.testing.assert_array_equal(*drawn)
    assert len(set(drawn[0].tolist())) > 40


def test_incomplete_gamma_functions_sum_to_one(device):
    a, x = (put(np.abs(X) * factor + 0.1, device) for factor in (3, 5))
    total = gpukit.igamma(a, x) + gpukit.igammac(a, x)
    np.testing.assert_allclose(fetch(total), np.ones((3, 4)), rtol=1e-6)
    assert np.isnan(fetch(gpukit.igamma(put(X * 0 - 1, device), a))).all()
