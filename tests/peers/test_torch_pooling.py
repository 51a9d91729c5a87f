"""Drawn poolings beside torch: values, indices and gradients."""

from __future__ import annotations

import random

import numpy as np
import pytest
import torch

import gpukit


def same(mine, theirs):
    assert tuple(mine.shape) == tuple(theirs.shape)
    a = np.array(mine.detach().cpu().tolist(), float).reshape(tuple(theirs.shape))
    np.testing.assert_allclose(a, theirs.detach().double().numpy(), 1e-9, 1e-9)


def compare(call, array):
    x = gpukit.tensor(array, requires_grad=True)
    y = torch.tensor(array, requires_grad=True)
    a, b = call(gpukit, x), call(torch, y)
    if isinstance(b, tuple):
        same(a[1], b[1])
        a, b = a[0], b[0]
    same(a, b)
    assert a.is_contiguous()
    a.backward(gpukit.tensor(np.arange(1.0, a.numel() + 1)).reshape(*a.shape))
    b.backward(torch.arange(1.0, b.numel() + 1).double().reshape(b.shape))
    same(x.grad, y.grad)


@pytest.mark.parametrize("number", range(120))
def test_windows(number):
    rng, numbers = random.Random(number), np.random.default_rng(number)
    rank = number % 3 + 1
    kernel = [rng.randint(1, 3) for _ in range(rank)]
    options = {
        "stride": rng.choice([None, [rng.randint(1, 4) for _ in range(rank)]]),
        "padding": [rng.randint(0, size // 2) for size in kernel],
        "ceil_mode": rng.random() < 0.5,
    }
    largest = number % 2
    if largest:
        options["dilation"] = rng.randint(1, 2)
        options["return_indices"] = rng.random() < 0.5
    else:
        options["count_include_pad"] = rng.random() < 0.5
        if rank > 1 and rng.random() < 0.4:
            options["divisor_override"] = rng.choice([3, -2])
    name = f"{'max' if largest else 'avg'}_pool{rank}d"
    sizes = [rng.randint(5, 8) for _ in range(rank)]
    batch = [] if rng.random() < 0.3 else [rng.randint(1, 3)]
    array = numbers.integers(-3, 3, (*batch, rng.randint(1, 3), *sizes)).astype(float)
    if largest:
        array[numbers.random(array.shape) < rng.choice([0, 0.9])] = -np.inf
    compare(lambda t, x: getattr(t.nn.functional, name)(x, kernel, **options), array)


@pytest.mark.parametrize("number", range(60))
def test_adaptive_means(number):
    rng, numbers = random.Random(number), np.random.default_rng(number)
    rank = number % 3 + 1
    choices = [1, 2, 3, 5] + [None] * (rank > 1)
    target = tuple(rng.choice(choices) for _ in range(rank))
    name = f"adaptive_avg_pool{rank}d"
    array = numbers.standard_normal((2, 3, *[rng.randint(1, 7) for _ in range(rank)]))
    compare(lambda t, x: getattr(t.nn.functional, name)(x, target), array)


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_texts_of_layers(rank):
    for name, arguments in [("MaxPool", (3, 2, 1)), ("AvgPool", (3,)), ("AdaptiveAvgPool", (2,))]:
        ours, wanted = (getattr(t.nn, f"{name}{rank}d")(*arguments) for t in (gpukit, torch))
        assert repr(ours) == repr(wanted)


WRONG = [
    lambda t: t.nn.functional.max_pool2d(t.ones(1, 1, 3, 3), 4),
    lambda t: t.nn.functional.avg_pool2d(t.ones(1, 1, 3, 3), 2, padding=2),
    lambda t: t.nn.functional.max_pool2d(t.ones(1, 1, 3, 3), 2, padding=2),
]


@pytest.mark.parametrize("call", WRONG)
def test_errors_are_of_torchs_class(call):
    with pytest.raises((RuntimeError, ValueError)) as wanted:
        call(torch)
    with pytest.raises(wanted.type):
        call(gpukit)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_poolings_with_indices(count: int) -> None:
    x = np.random.default_rng(5).normal(size=(2, 3, *[7] * count))
    for keywords in ({}, {"stride": 1, "padding": 1}, {"dilation": 2, "ceil_mode": True}):
        results = [
            getattr(m.nn.functional, f"max_pool{count}d_with_indices")(m.tensor(x), 3, **keywords)
            for m in (gpukit, torch)
        ]
        assert isinstance(results[0], tuple)
        for got, want in zip(*results, strict=True):
            assert str(got.dtype).rpartition(".")[2] == str(want.dtype).rpartition(".")[2]
            np.testing.assert_array_equal(got.numpy(), want.numpy())
    ours = getattr(gpukit.nn.functional, f"max_pool{count}d_with_indices")
    with pytest.raises(ValueError, match=f"max_pool{count}d"):
        ours(gpukit.tensor(x), 0)
