"""cast, clone, contiguous and copy_: every pair of dtypes, layouts and devices."""

from __future__ import annotations

import numpy as np
import pytest

import gpukit
from support.arrays import ALL, INTEGERS, assert_same, fetch, layouts, put, sample


@pytest.mark.parametrize("source", ALL)
def test_every_dtype_to_every_dtype(source, device):
    x = np.abs(sample(source)) if source != "bool" else sample(source)
    tensor = put(x, device)
    for target in ALL:
        assert_same(tensor.to(target), x.astype(target), f"{source} to {target}", tolerance=0)
        assert tensor.to(getattr(gpukit, target)).device == tensor.device


def test_bfloat16_rounds_to_nearest_even(device):
    x = np.array([1.0, 1.00390625, 1.01171875, -3.1415927, 65536.0, np.inf], dtype=np.float32)
    got = fetch(put(x, device).to("bfloat16").to("float32"))
    assert got.tolist() == [1.0, 1.0, 1.015625, -3.140625, 65536.0, np.inf]


def test_not_a_number_becomes_zero_and_true(device):
    x = put(np.array([np.nan, 1.9, -1.9, 0.0], dtype=np.float32), device)
    assert fetch(x.to("int32")).tolist() == [0, 1, -1, 0]
    assert fetch(x.to("bool")).tolist() == [True, True, True, False]


def test_to_the_same_dtype_is_the_same_tensor(device):
    x = put(sample("float32"), device)
    assert x.to("float32") is x
    assert x.contiguous() is x
    assert x.clone() is not x


def test_layouts(device):
    for layout, array, tensor in layouts(sample("float32", (4, 6)), device):
        clone = tensor.clone()
        assert clone.is_contiguous(), layout
        assert_same(clone, array, layout)
        assert_same(tensor.contiguous(), array, layout)
        assert_same(tensor.to("float64"), array.astype(np.float64), layout)


@pytest.mark.parametrize("shape", [(256, 20), (33, 47), (16, 15), (17, 16), (64, 31), (5, 3)])
@pytest.mark.parametrize("dtype", ["float32", "int32", "float64"])
def test_transposed_copies_of_any_height(shape, dtype, device):
    x = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    assert_same(put(x, device).T.contiguous(), x.T, tolerance=0)


def test_copy_into_a_tensor(device):
    x = put(np.zeros((2, 3), np.float32), device)
    values = np.arange(3)
    assert x.copy_(put(values, device)) is x
    assert_same(x, np.tile(values, (2, 1)).astype(np.float32))
    x.T.copy_(put(np.arange(6).reshape(3, 2), device))
    assert_same(x, np.arange(6).reshape(3, 2).T.astype(np.float32))
    with pytest.raises(gpukit.ShapeError, match="copy_"):
        x.copy_(put(np.zeros(4, np.float32), device))


@pytest.mark.parametrize("dtype", ["float32", "float16", "int64", "uint8"])
def test_copy_between_devices(dtype, device):
    source = np.abs(sample("float64", (3, 4)))
    for near, far in ((device, "cpu"), ("cpu", device)):
        target = gpukit.zeros(4, 6, dtype=dtype, device=near)
        target[:, ::2].copy_(put(source, far).T)
        want = np.zeros((4, 6), dtype)
        want[:, ::2] = source.T
        assert_same(target, want)
        line = gpukit.zeros(3, 4, dtype=dtype, device=near)
        line.copy_(put(source[1], far))
        assert_same(line, np.tile(source[1], (3, 1)).astype(dtype))


def test_overlapping_copies_read_first(device):
    for shift in (1, 2):
        x = np.arange(8)
        forward, back = put(x, device), put(x, device)
        forward[shift:].copy_(forward[:-shift])
        back[:-shift].copy_(back[shift:])
        assert fetch(forward).tolist() == [*range(shift), *range(8 - shift)]
        assert fetch(back).tolist() == [*range(shift, 8), *range(8 - shift, 8)]
    mirrored = put(np.arange(6), device)
    mirrored.copy_(mirrored[::-1])
    assert fetch(mirrored).tolist() == [5, 4, 3, 2, 1, 0]


def test_saturating_edges_of_the_half_type(device):
    x = put(np.array([65504.0, 65520.0, 1e-8, 6e-8], dtype=np.float32), device)
    with np.errstate(over="ignore"):
        assert_same(
            x.half(),
            np.array([65504.0, 65520.0, 1e-8, 6e-8], dtype=np.float32).astype(np.float16),
            tolerance=0,
        )


def test_integer_conversions_wrap(device):
    x = np.array([-1, 127, 128, 256, 300], dtype=np.int64)
    for dtype in INTEGERS:
        assert_same(put(x, device).to(dtype), x.astype(dtype), dtype)
