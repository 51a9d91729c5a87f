"""Filled tensors on every device."""

from __future__ import annotations

import numpy as np
import pytest

import gpukit
from support.arrays import ALL, FLOATING, NUMBERS, assert_near, assert_same, fetch, put, sample


def test_constants(device):
    for dtype in ALL:
        assert_same(gpukit.zeros(2, 3, dtype=dtype, device=device), np.zeros((2, 3), dtype))
        assert_same(gpukit.ones((2, 3), dtype=dtype, device=device), np.ones((2, 3), dtype))
        assert_same(gpukit.full((3,), 1, dtype=dtype, device=device), np.full((3,), 1, dtype))
    assert gpukit.zeros(0, 3, device=device).shape == (0, 3)
    assert gpukit.ones((), device=device).item() == 1.0
    assert gpukit.full((2,), 2.5, device=device).dtype == gpukit.float32
    assert gpukit.full((2,), 2**53 + 1, device=device).tolist() == [2**53 + 1] * 2


ARANGES = [
    (5,),
    (2, 8),
    (2, 9, 3),
    (9, 2, -3),
    (0,),
    (3, 3),
    (0, 1, 0.25),
    (1, 0, -0.3),
    (-2.5, 2.5),
]


@pytest.mark.parametrize("arguments", ARANGES)
def test_arange(arguments, device):
    want = np.arange(*arguments)
    got = gpukit.arange(*arguments, device=device)
    assert_same(got, want.astype(np.float32) if want.dtype.kind == "f" else want)
    for dtype in ("float64", "float32"):
        assert_same(gpukit.arange(*arguments, dtype=dtype, device=device), want.astype(dtype))


def test_arange_of_every_dtype(device):
    for dtype in NUMBERS:
        assert_same(
            gpukit.arange(1, 60, 7, dtype=dtype, device=device), np.arange(1, 60, 7).astype(dtype)
        )
    big = 2**62
    assert gpukit.arange(big, big + 3, device=device).tolist() == [big, big + 1, big + 2]


@pytest.mark.parametrize(
    ("arguments", "word"),
    [((0, 5, 0), "step"), ((0, 5, -1), "sign of step"), ((5, 0), "sign of step")],
)
def test_arange_refuses(arguments, word, device):
    with pytest.raises(ValueError, match=word):
        gpukit.arange(*arguments, device=device)


@pytest.mark.parametrize(
    "arguments", [(0, 1, 5), (-1, 1, 11), (3, 3, 4), (5, -5, 7), (0, 1, 1), (0, 1, 0)]
)
def test_linspace(arguments, device):
    for dtype in FLOATING:
        got = fetch(gpukit.linspace(*arguments, dtype=dtype, device=device))
        assert_near(
            got, np.linspace(*arguments).astype(dtype), 2e-3 if dtype == "float16" else 1e-6
        )
        if len(got) > 1:
            assert got[-1] == np.dtype(dtype).type(arguments[1])


def test_eye(device):
    for shape in ((3,), (2, 4), (4, 2), (0,)):
        assert_same(gpukit.eye(*shape, device=device), np.eye(*shape, dtype=np.float32))
    assert_same(gpukit.eye(3, dtype="int64", device=device), np.eye(3, dtype=np.int64))


def test_triangles(device):
    for dtype in ("float32", "int64", "bool"):
        x = sample(dtype, (2, 4, 5))
        for diagonal in (-6, -1, 0, 2, 6):
            assert_same(
                gpukit.tril(put(x, device), diagonal), np.tril(x, diagonal), f"tril {diagonal}"
            )
            assert_same(
                gpukit.triu(put(x, device), diagonal), np.triu(x, diagonal), f"triu {diagonal}"
            )
    x = sample("float32", (4, 5))
    assert_same(gpukit.tril(put(x, device).T), np.tril(x.T))
    with pytest.raises(gpukit.ShapeError, match="tril"):
        gpukit.tril(gpukit.ones(3, device=device))


def test_likes(device):
    x = put(sample("float64"), device)
    for made in (
        gpukit.zeros_like(x),
        gpukit.ones_like(x),
        gpukit.empty_like(x),
        gpukit.full_like(x, 3),
    ):
        assert made.shape == x.shape
        assert made.dtype == x.dtype
        assert made.device == x.device
    assert_same(gpukit.full_like(x, 3), np.full_like(sample("float64"), 3))
    assert gpukit.rand_like(x).shape == gpukit.randn_like(x).shape == x.shape
