"""Conversions between all dtypes on the CPU, in every layout, with the rounding IEEE asks for."""

from __future__ import annotations

import numpy as np
import pytest

import gpukit
from support.arrays import ALL, UNSIGNED, assert_same, fetch, put, sample


def same(got, want):
    """Equal to the last bit: conversions and copies have one right answer."""
    assert_same(got, want, tolerance=0.0)


def converted(array, dtype):
    """NumPy's conversion, by way of int64 where C leaves floating to narrow integers open."""
    with np.errstate(all="ignore"):
        if array.dtype.kind == "f" and np.dtype(dtype).kind in "iu":
            return np.trunc(array).astype(np.int64).astype(dtype)
        return array.astype(dtype)


@pytest.mark.parametrize("target", ALL)
@pytest.mark.parametrize("source", ALL)
def test_every_dtype_becomes_every_other(source, target):
    x = sample(source, (37, 53))
    if target in UNSIGNED:
        x = np.abs(x) if source != "bool" else x
    tensor = put(x, "cpu")
    dtype = getattr(gpukit, target)
    same(tensor.to(dtype), converted(x, target))
    same(tensor.T.to(dtype), converted(x.T, target))
    same(tensor[::3, 1::2].to(dtype), converted(x[::3, 1::2], target))
    same(tensor[::-1].to(dtype), converted(x[::-1], target))


def test_float64_to_float16_is_rounded_once():
    rng = np.random.default_rng(0)
    x = rng.standard_normal(100_000) * 10.0 ** rng.integers(-9, 6, 100_000)
    # Just above the middle of two float16 numbers, by less than float32 can show.
    x = np.concatenate([x, [1 + 2**-11 + 2**-40, 1 + 3 * 2**-11 - 2**-40, 65519.999999999]])
    with np.errstate(all="ignore"):
        same(put(x, "cpu").to(gpukit.float16), x.astype(np.float16))


def test_every_float16_becomes_the_right_float32_and_comes_back():
    halves = np.arange(65536, dtype=np.uint16).view(np.float16)
    tensor = put(halves, "cpu")
    with np.errstate(all="ignore"):
        same(tensor.to(gpukit.float32), halves.astype(np.float32))
    back = fetch(tensor.to(gpukit.float32).to(gpukit.float16))
    finite = ~np.isnan(halves)
    assert (back.view(np.uint16) == halves.view(np.uint16))[finite].all()
    assert np.isnan(back[~finite]).all()


def test_bfloat16_rounds_to_the_nearest_and_ties_to_even():
    x = np.array(
        [1.0, 1 + 2**-8, 1 + 3 * 2**-8, 1 + 2**-8 + 2**-20, -2.5, 3.0e38, 3.4e38], np.float32
    )
    expected = np.array([1.0, 1.0, 1 + 2**-6, 1 + 2**-7, -2.5, 3.0e38, np.inf], np.float64)
    result = fetch(gpukit.tensor(x).to(gpukit.bfloat16).to(gpukit.float32)).astype(np.float64)
    np.testing.assert_allclose(result, expected, rtol=2**-8)
    assert result[1:4].tolist() == [1.0, 1 + 2**-6, 1 + 2**-7]
    special = gpukit.tensor(np.array([np.nan, np.inf, -np.inf], np.float32)).to(gpukit.bfloat16)
    np.testing.assert_array_equal(fetch(special.to(gpukit.float32)), [np.nan, np.inf, -np.inf])


@pytest.mark.parametrize("source", ["float32", "float64"])
def test_numbers_out_of_range_saturate_and_nan_becomes_zero(source):
    x = put(np.array([np.nan, 1e30, -1e30, np.inf, -np.inf, 3.9, -3.9], source), "cpu")
    low, high = np.iinfo(np.int32).min, np.iinfo(np.int32).max
    assert x.to(gpukit.int32).tolist() == [0, high, low, high, low, 3, -3]
    low, high = np.iinfo(np.int64).min, np.iinfo(np.int64).max
    assert x.to(gpukit.int64).tolist() == [0, high, low, high, low, 3, -3]
    assert x.to(gpukit.bool).tolist() == [True] * 7


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "float64"])
@pytest.mark.parametrize("shape", [(16, 16), (31, 17), (600, 700), (2100, 2300)])
def test_a_transposed_copy_of_any_size(shape, dtype):
    x = np.arange(shape[0] * shape[1]).reshape(shape).astype(dtype)
    tensor = put(x, "cpu")
    same(tensor.T.contiguous(), x.T)
    same(tensor.T + tensor.T, x.T + x.T)
    wide = gpukit.zeros(shape[1], shape[0] + 3, dtype=tensor.dtype)
    wide[:, 3:] = tensor.T
    same(wide[:, 3:], x.T)


@pytest.mark.parametrize("count", [5_000_003, 6_000_001])
@pytest.mark.parametrize("offset", [0, 1, 3])
def test_results_beyond_the_caches_are_right_to_the_last_element(count, offset):
    rng = np.random.default_rng(offset)
    x = rng.standard_normal(count + 8).astype(np.float32)
    tensor = put(x, "cpu")
    a, b = tensor[offset : offset + count], tensor[3 : 3 + count]
    same(a + b, x[offset : offset + count] + x[3 : 3 + count])
    same(gpukit.relu(a), np.maximum(x[offset : offset + count], 0))
    same(a.clone(), x[offset : offset + count])
    filled = gpukit.zeros(count + 8)
    filled[offset : offset + count].fill_(2.5)
    assert int((filled == 2.5).sum()) == count
    assert int(gpukit.count_nonzero(filled)) == count
