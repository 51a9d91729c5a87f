"""Adaptive max pooling, power means and unpooling beside torch: values, indices, gradients."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest
import torch
from peers.test_torch_pooling import compare, same

import gpukit


@pytest.mark.parametrize("number", range(60))
def test_adaptive_largest(number):
    rng, numbers = random.Random(number), np.random.default_rng(number)
    rank = number % 3 + 1
    choices = [1, 2, 3, 5] + [None] * (rank > 1)
    target = tuple(rng.choice(choices) for _ in range(rank))
    name = f"adaptive_max_pool{rank}d"
    sizes = [rng.randint(1, 7) for _ in range(rank)]
    batch = [] if rng.random() < 0.3 else [2]
    array = numbers.integers(-3, 3, (*batch, 3, *sizes)).astype(float)
    array[numbers.random(array.shape) < rng.choice([0, 0.5])] = -np.inf
    both = rng.random() < 0.5
    compare(lambda t, x: getattr(t.nn.functional, name)(x, target, both), array)


@pytest.mark.parametrize("number", range(40))
def test_power_means(number):
    rng, numbers = random.Random(number), np.random.default_rng(number)
    rank = number % 3 + 1
    kernel = [rng.randint(1, 3) for _ in range(rank)]
    stride = rng.choice([None, [rng.randint(1, 3) for _ in range(rank)]])
    power, ceil = rng.choice([1, 2, 3.0, 2.5]), rng.random() < 0.5
    array = numbers.uniform(0.1, 2, (2, 3, *[rng.randint(4, 7) for _ in range(rank)]))
    stride = stride[0] if stride and rank == 1 else stride
    kernel = kernel[0] if rank == 1 else kernel
    name = f"lp_pool{rank}d"
    compare(lambda t, x: getattr(t.nn.functional, name)(x, power, kernel, stride, ceil), array)


@pytest.mark.parametrize("number", range(40))
def test_the_way_back_of_pooling(number):
    rng, numbers = random.Random(number), np.random.default_rng(number)
    rank = number % 3 + 1
    kernel = [rng.randint(1, 3) for _ in range(rank)]
    padding = [size // 2 if rng.random() < 0.4 else 0 for size in kernel]
    sizes = [rng.randint(4, 8) for _ in range(rank)]
    array = numbers.permutation(2 * 3 * int(np.prod(sizes))).reshape(2, 3, *sizes).astype(float)
    whole = rng.random() < 0.6

    def call(t, x):
        pool = getattr(t.nn, f"MaxPool{rank}d")(kernel, None, padding, return_indices=True)
        values, where = pool(x)
        back = getattr(t.nn, f"MaxUnpool{rank}d")(kernel, None, padding)
        return back(values, where, x.shape if whole else None)

    try:
        call(torch, torch.tensor(array))
    except (RuntimeError, ValueError):
        with pytest.raises((RuntimeError, ValueError, IndexError)):
            call(gpukit, gpukit.tensor(array))
        return
    compare(call, array)


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_texts_of_layers(rank):
    for name, arguments in [("AdaptiveMaxPool", (2,)), ("LPPool", (2, 3)), ("MaxUnpool", (2, 2))]:
        ours, wanted = (getattr(t.nn, f"{name}{rank}d")(*arguments) for t in (gpukit, torch))
        assert repr(ours) == repr(wanted)


WRONG = [
    lambda t: t.nn.AdaptiveMaxPool2d(2)(t.ones(3, 3)),
    lambda t: t.nn.AdaptiveMaxPool2d((2, 2, 2))(t.ones(1, 3, 3, 3)),
    lambda t: t.nn.MaxUnpool2d(2)(t.ones(1, 2, 2), t.zeros(1, 2, 3).long()),
    lambda t: t.nn.MaxUnpool2d(2)(t.ones(1, 2, 2), t.zeros(1, 2, 2).int()),
    lambda t: t.nn.MaxUnpool2d(2)(t.ones(1, 1, 2, 2), t.zeros(1, 1, 2, 2).long(), (9, 9)),
    lambda t: t.nn.LPPool2d(2, 3)(t.ones(1, 1, 2, 2)),
]


@pytest.mark.parametrize("call", WRONG)
def test_both_refuse(call):
    with pytest.raises((RuntimeError, ValueError, IndexError, TypeError)):
        call(torch)
    with pytest.raises((gpukit.GpukitError, ValueError)) as error:
        call(gpukit)
    assert re.match(r"(AdaptiveMaxPool|MaxUnpool|LPPool)2d: \w+_u?n?pool2d: ", str(error.value))


def test_last_nan_of_a_window():
    array = np.array([[[1.0, np.nan, np.nan, 3.0]]])
    for t in (gpukit, torch):
        values, where = t.nn.functional.max_pool1d(t.tensor(array), 4, return_indices=True)
        assert where.tolist() == [[[2]]]
        assert np.isnan(values.tolist()[0][0][0])
    same(*(t.nn.functional.max_pool1d(t.tensor(array), 2) for t in (gpukit, torch)))
