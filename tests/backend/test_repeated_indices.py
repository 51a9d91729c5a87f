"""Sums of many equal indices: kernels add them by chunks of 256 entries and join the sums."""

from __future__ import annotations

import numpy as np
import pytest

import gpukit
from support.arrays import assert_same, fetch, put

CHUNK = 256
# How often each row is named, one after the other. Runs of equal indices end before, at and after
# the edges of chunks, fill several, or are all there is.
RUNS = {
    "one chunk": (CHUNK,),
    "an entry more": (CHUNK + 1,),
    "two chunks": (2 * CHUNK,),
    "three and a bit": (3 * CHUNK + 5,),
    "ends at an edge": (100, CHUNK - 100, 7),
    "begins at an edge": (CHUNK, 1, 300),
    "crosses one edge": (CHUNK - 1, 2, 3),
    "two crossings in a chunk": (200, 100, 150, 300, 1),
    "crosses two edges": (CHUNK - 3, CHUNK + 6, 10),
    "many of one between": (3, 5 * CHUNK, 3),
}


def entries(runs: tuple[int, ...], seed: int = 0) -> np.ndarray:
    """The numbers of rows, shuffled."""
    index = np.repeat(np.arange(len(runs)) * 2, runs)
    return np.random.default_rng(seed).permutation(index)


@pytest.mark.parametrize("dtype", ["int64", "uint8", "bool", "complex64"])
@pytest.mark.parametrize("runs", RUNS.values(), ids=RUNS)
def test_whole_numbers_add_up_exactly(runs, dtype, device):
    index = entries(runs)
    for shape, dim in (((len(index),), 0), ((len(index), 3), 0), ((2, len(index), 5), 1)):
        extent = 2 * len(runs) + 1
        source = (np.arange(np.prod(shape)).reshape(shape) % 3).astype(dtype)
        target = np.ones([*shape[:dim], extent, *shape[dim + 1 :]], dtype)
        want = np.moveaxis(target.copy(), dim, 0)
        np.add.at(want, index, np.moveaxis(source, dim, 0))
        got = put(target, device).index_add_(dim, put(index, device), put(source, device))
        assert_same(got, np.moveaxis(want, 0, dim), f"{shape}", tolerance=0)


@pytest.mark.parametrize("runs", RUNS.values(), ids=RUNS)
def test_halves_are_rounded_once(runs, device):
    index = entries(runs)
    source = np.random.default_rng(1).standard_normal((len(index), 2)).astype(np.float16)
    want = np.ones((2 * len(runs), 2))
    np.add.at(want, index, source.astype(np.float64))
    target = put(np.ones((2 * len(runs), 2), np.float16), device)
    got = fetch(target.index_add_(0, put(index, device), put(source, device)))
    half_ulp = np.spacing(np.abs(want).astype(np.float16)).astype(np.float64) / 2
    assert (np.abs(got.astype(np.float64) - want) <= half_ulp * 1.01 + 1e-4).all()


def test_the_same_bits_again(device):
    index = put(entries((700, 3, 900)), device)
    source = put(np.random.default_rng(2).standard_normal((1603, 7)).astype(np.float32), device)
    sums = [fetch(gpukit.zeros(6, 7, device=device).index_add_(0, index, source)) for _ in range(3)]
    assert (sums[0] == sums[1]).all() and (sums[0] == sums[2]).all()


def test_the_order_of_equal_indices_is_that_of_their_entries(device):
    # 1e8 swallows each 1 that comes after it: only the order of the entries gives these sums.
    source = np.array([1, 1, 1e8, 1, -1e8, 1], np.float32)
    index = np.array([0, 1, 1, 0, 1, 1])
    got = gpukit.zeros(2, device=device).index_add_(0, put(index, device), put(source, device))
    assert fetch(got).tolist() == [2.0, 1.0]


def test_gradient_of_an_embedding_whose_row_is_in_all_places(device):
    weight = put(np.zeros((5, 4), np.float32), device).requires_grad_()
    index = put(np.full((40, 25), 3), device)
    slope = (np.arange(4000) % 5).reshape(40, 25, 4).astype(np.float32)
    gpukit.nn.functional.embedding(index, weight).backward(put(slope, device))
    want = np.zeros((5, 4), np.float32)
    want[3] = slope.reshape(-1, 4).sum(0)
    assert_same(weight.grad, want, tolerance=0)


def test_an_index_out_of_range_adds_nothing_and_is_reported(device):
    index = np.full(600, 1)
    index[::2] = 9
    target = gpukit.zeros(3, device=device)
    with pytest.raises(IndexError, match="9"):
        fetch(target.index_add_(0, put(index, device), gpukit.ones(600, device=device)))
    assert fetch(target)[[0, 2]].tolist() == [0, 0]
