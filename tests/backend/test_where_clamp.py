"""where, clamp and clip."""

from __future__ import annotations

import numpy as np
import pytest

import gpukit
from support.arrays import ALL, NUMBERS, assert_same, fetch, layouts, put, sample


def test_where(device):
    condition = sample("bool", (3, 4))
    for dtype in ALL:
        x, y = sample(dtype, (3, 4)), sample(dtype, (4,), seed=2)
        got = gpukit.where(put(condition, device), put(x, device), put(y, device))
        assert_same(got, np.where(condition, x, y), dtype)


def test_where_with_numbers_and_promotion(device):
    condition = put(np.array([True, False]), device)
    x = put(np.array([1.5, 2.5], dtype=np.float32), device)
    assert_same(gpukit.where(condition, x, 0), np.array([1.5, 0], dtype=np.float32))
    assert_same(gpukit.where(condition, 7.0, x), np.array([7, 2.5], dtype=np.float32))
    whole = put(np.array([1, 2]), device)
    assert gpukit.where(condition, whole, x).dtype == gpukit.float32
    with pytest.raises(gpukit.DTypeError, match="condition != 0"):
        gpukit.where(whole, x, x)


def test_where_layouts(device):
    for layout, array, tensor in layouts(sample("float32", (4, 6)), device):
        assert_same(gpukit.where(tensor > 0, tensor, -tensor), np.abs(array), layout)


def test_clamp(device):
    for dtype in NUMBERS:
        x = sample(dtype)
        for low, high in ((1, 5), (None, 3), (2, None), (5, 2)):
            assert_same(
                gpukit.clamp(put(x, device), low, high), np.clip(x, low, high).astype(dtype), dtype
            )
    x = sample("float32")
    assert_same(gpukit.clip(put(x, device), -0.5, 0.5), x.clip(-0.5, 0.5))
    assert_same(put(x, device).clamp(min=0), x.clip(0, None))


def test_clamp_keeps_not_a_number_and_bounds_in_range(device):
    x = put(np.array([np.nan, -np.inf, np.inf, 2], dtype=np.float32), device)
    np.testing.assert_array_equal(fetch(x.clamp(-1, 1)), np.array([np.nan, -1, 1, 1], np.float32))
    small = put(np.array([0, 7, 255], dtype=np.uint8), device)
    assert fetch(small.clamp(-5, 255)).tolist() == [0, 7, 255]
    with pytest.raises(gpukit.RangeError, match="clamp: max 300"):
        small.clamp(-5, 300)
    assert put(np.array([1, 9]), device).clamp(max=2.5).dtype == gpukit.float32
    with pytest.raises(ValueError, match=r"min .*max"):
        x.clamp()
