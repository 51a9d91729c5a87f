"""In-place forms: dtypes that must fit, overlap, expanded and read-only targets."""

from __future__ import annotations

import numpy as np
import pytest

import gpukit
from support.arrays import assert_same, fetch, put, sample

FORMS = {
    "add_": lambda x, y: x + y,
    "sub_": lambda x, y: x - y,
    "mul_": lambda x, y: x * y,
    "div_": lambda x, y: x / y,
}


@pytest.mark.parametrize("name", FORMS)
def test_same_as_the_new_tensor(name, device):
    x, y = sample("float32"), sample("float32", seed=1)
    tensor = put(x, device)
    assert getattr(tensor, name)(put(y, device)) is tensor
    assert_same(tensor, FORMS[name](x, y))
    getattr(tensor, name)(3)
    assert_same(tensor, FORMS[name](FORMS[name](x, y), np.float32(3)))


def test_augmented_operators(device):
    x = sample("float32")
    tensor = original = put(x, device)
    tensor += 1
    tensor *= put(x, device)
    tensor -= put(x[0], device)
    tensor /= 2
    assert tensor is original
    assert_same(tensor, ((x + 1) * x - x[0]) / np.float32(2))


def test_views_write_through(device):
    x = sample("float32", (4, 6))
    tensor = put(x, device)
    tensor[1:3, ::2].add_(10)
    tensor.T[5].mul_(put(np.arange(4, dtype=np.float32), device))
    want = x.copy()
    want[1:3, ::2] += 10
    want.T[5] *= np.arange(4)
    assert_same(tensor, want)


def test_source_that_overlaps_differently_is_read_first(device):
    x = np.arange(10, dtype=np.float32)
    for target, source in [((1, None), (None, -1)), ((None, -1), (1, None))]:
        tensor, want = put(x, device), x.copy()
        tensor[slice(*target)].add_(tensor[slice(*source)])
        want[slice(*target)] = x[slice(*target)] + x[slice(*source)]
        assert_same(tensor, want)
    square = sample("float32", (5, 5))
    tensor = put(square, device)
    tensor.add_(tensor.T)
    assert_same(tensor, square + square.T)


def test_result_must_fit_the_dtype(device):
    whole = put(np.array([4, 6]), device)
    for call in (
        lambda: whole.div_(2),
        lambda: whole.add_(0.5),
        lambda: whole.mul_(put(np.ones(2), device)),
    ):
        with pytest.raises(gpukit.DTypeError, match="cannot be stored in X of int64"):
            call()
    assert fetch(whole).tolist() == [4, 6]
    small = put(np.array([1.5], dtype=np.float16), device)
    small.add_(put(np.array([1.25], dtype=np.float64), device))
    assert_same(small, np.array([2.75], dtype=np.float16))


def test_shape_of_the_target_stays(device):
    x = put(np.zeros((1, 3), np.float32), device)
    with pytest.raises(gpukit.ShapeError, match="does not fit into X"):
        x.add_(put(np.zeros((2, 3), np.float32), device))
    x.add_(put(np.ones(3, np.float32), device))
    assert_same(x, np.ones((1, 3), np.float32))


def test_expanded_targets_are_refused(device):
    x = put(np.zeros((1, 3), np.float32), device)
    for call in (
        lambda t: t.add_(1),
        lambda t: t.fill_(1),
        lambda t: t.zero_(),
        lambda t: t.copy_(x),
    ):
        with pytest.raises(ValueError, match="several elements at one address"):
            call(x.expand(2, 3))
    assert_same(x, np.zeros((1, 3), np.float32))


def test_fill_zero_and_clamp(device):
    x = sample("float32", (3, 4))
    tensor = put(x, device)
    tensor[:, 1].fill_(7)
    tensor[0].zero_()
    want = x.copy()
    want[:, 1] = 7
    want[0] = 0
    assert_same(tensor, want)
    assert_same(tensor.clamp_(-1, 2), want.clip(-1, 2))
