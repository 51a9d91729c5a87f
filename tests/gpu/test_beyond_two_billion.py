"""More than 2^31 elements on a real GPU: offsets do not fit 32 bits."""

from __future__ import annotations

import pytest

import gpukit

COUNT = (1 << 31) + 1025


@pytest.fixture(autouse=True)
def _room():
    free, _ = gpukit.cuda.mem_get_info(0)
    needed = 4 * COUNT
    assert free > needed, f"this test needs {needed} B of GPU memory, {free} are free"
    yield
    gpukit.cuda.empty_cache()


def test_the_last_element_is_reached():
    x = gpukit.zeros(COUNT, dtype="int8", device="cuda:0")
    x[-1] = 7
    y = x + x
    assert y[-1].item() == 14
    assert y.sum().item() == 14
    assert y.argmax().item() == COUNT - 1


def test_strided_views_beyond_the_limit():
    x = gpukit.zeros(COUNT, dtype="int8", device="cuda:0")
    x[1::2] += 1
    assert x.sum().item() == COUNT // 2
    assert x[::2].max().item() == 0
