"""isclose, allclose and equal."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import gpukit
from support.arrays import assert_same, put, quiet, sample, special


def test_isclose(device):
    x = sample("float64", (5, 5))
    for dtype in ("float32", "float64"):
        a = x.astype(dtype)
        for step in (1e-9, 1e-6, 1e-5, 1e-4):
            b = (x * (1 + step)).astype(dtype)
            assert_same(
                gpukit.isclose(put(a, device), put(b, device)), np.isclose(a, b), f"{dtype} {step}"
            )
    left, right = np.meshgrid(special("float32"), special("float32"))
    for equal_nan in (False, True):
        want = quiet(partial(np.isclose, equal_nan=equal_nan), left, right)
        got = gpukit.isclose(put(left, device), put(right, device), equal_nan=equal_nan)
        assert_same(got, want, f"equal_nan={equal_nan}")


def test_isclose_of_integers(device):
    x, y = np.array([1, 2, 200], dtype=np.uint8), np.array([2, 2, 199], dtype=np.uint8)
    for options in ({}, {"atol": 1.0, "rtol": 0.0}):
        assert_same(
            gpukit.isclose(put(x, device), put(y, device), **options), np.isclose(x, y, **options)
        )


def test_allclose_and_equal(device):
    x = put(np.array([1.0, np.nan]), device)
    assert gpukit.allclose(x, x) is False
    assert gpukit.allclose(x, x, equal_nan=True) is True
    assert gpukit.equal(x, x) is False
    y = put(sample("float32"), device)
    assert gpukit.equal(y, y.clone()) is True
    assert gpukit.equal(y, y + 1e-3) is False
    assert gpukit.equal(y, y[:2]) is False
    assert gpukit.equal(y[:0], y[:0]) is True
    with pytest.raises(ValueError, match="rtol is -1"):
        gpukit.allclose(y, y, rtol=-1)
