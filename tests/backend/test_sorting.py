"""sort, argsort, topk and unique."""

from __future__ import annotations

import numpy as np
import pytest

import gpukit
from support.arrays import ALL, assert_same, fetch, put, sample


@pytest.mark.parametrize("shape", [(1,), (2,), (31,), (1000,), (5, 33), (3, 4, 5), (0,), (3, 0)])
def test_sort(shape, device):
    for dtype in ("float32", "int64"):
        x = sample(dtype, shape)
        for dim in range(len(shape)):
            values, indices = gpukit.sort(put(x, device), dim)
            order = np.argsort(x, dim, kind="stable")
            assert_same(values, np.sort(x, dim))
            assert_same(indices, order)
            assert_same(gpukit.argsort(put(x, device), dim), order)


def test_every_dtype_both_ways_stable(device):
    for dtype in ALL:
        x = sample(dtype, (100,))
        values, indices = gpukit.sort(put(x, device), descending=True)
        assert_same(values, np.sort(x)[::-1], dtype)
        order = fetch(indices)
        assert (x[order] == fetch(values)).all()
        ties = fetch(values)[1:] == fetch(values)[:-1]
        assert (np.diff(order)[ties] > 0).all(), dtype


def test_not_a_number_is_the_largest(device):
    x = np.array([2, np.nan, -np.inf, np.inf, -1, np.nan], dtype=np.float32)
    assert fetch(gpukit.argsort(put(x, device))).tolist() == [2, 4, 0, 3, 1, 5]
    assert fetch(gpukit.argsort(put(x, device), descending=True)).tolist() == [1, 5, 3, 0, 4, 2]


def test_topk(device):
    x = sample("float32", (4, 20))
    tensor = put(x, device)
    for k in (0, 1, 7, 20):
        values, indices = gpukit.topk(tensor, k)
        assert_same(values, np.sort(x, 1)[:, ::-1][:, :k])
        assert (np.take_along_axis(x, fetch(indices), 1) == fetch(values)).all()
    assert_same(gpukit.topk(tensor, 2, 0, largest=False).values, np.sort(x, 0)[:2])
    with pytest.raises(ValueError, match="topk: k is 21"):
        gpukit.topk(tensor, 21)


def test_unique(device):
    for dtype in ("int64", "float32", "bool", "uint8"):
        x = sample(dtype, (7, 9)).round() if dtype != "bool" else sample(dtype, (7, 9))
        values, inverse, counts = np.unique(x, return_inverse=True, return_counts=True)
        got = gpukit.unique(put(x, device), return_inverse=True, return_counts=True)
        assert_same(got[0], values, dtype)
        assert_same(got[1], inverse.reshape(x.shape), dtype)
        assert_same(got[2], counts, dtype)
    assert gpukit.unique(gpukit.zeros(0, device=device)).shape == (0,)
