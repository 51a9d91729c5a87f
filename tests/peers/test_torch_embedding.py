"""Embeddings and bags of them beside torch: values, gradients, and tables that are scaled."""

from __future__ import annotations

import random

import numpy as np
import pytest
import torch

import gpukit

ROWS, WIDTH = 7, 3


def table(t, array, trained=True):
    return t.tensor(array.copy(), requires_grad=trained)


def close(mine, theirs):
    assert tuple(mine.shape) == tuple(theirs.shape)
    np.testing.assert_allclose(
        np.array(mine.detach().tolist(), float).reshape(tuple(theirs.shape)),
        theirs.detach().numpy(),
        1e-9,
        1e-12,
    )


def compare(call, array):
    results = []
    for t in (gpukit, torch):
        weight = table(t, array)
        result = call(t, weight)
        steps = np.arange(1.0, result.numel() + 1).reshape(tuple(result.shape))
        result.backward(t.tensor(steps))
        results.append((result, weight, weight.grad))
    for mine, theirs in zip(*results, strict=True):
        close(mine, theirs)


@pytest.mark.parametrize("number", range(40))
def test_embedding(number):
    rng, numbers = random.Random(number), np.random.default_rng(number)
    array = numbers.standard_normal((ROWS, WIDTH)) * 2
    at = numbers.integers(0, ROWS, [(5,), (2, 4), (0,), ()][number % 4])
    options = {
        "padding_idx": rng.choice([None, 2, -1]),
        "max_norm": rng.choice([None, 1.0, 2.5]),
        "norm_type": rng.choice([2.0, 1, 3.0]),
        "scale_grad_by_freq": rng.random() < 0.5,
    }
    if options["max_norm"] is None:
        compare(lambda t, w: t.nn.functional.embedding(t.tensor(at), w, **options), array)
    else:
        _scaled(at, array, options)


def _scaled(at, array, options):
    """A table that is scaled in place belongs to a layer."""
    layers = []
    for t in (gpukit, torch):
        layer = t.nn.Embedding(ROWS, WIDTH, _weight=t.tensor(array.copy()), **options)
        out = layer(t.tensor(at))
        out.backward(t.ones(*out.shape).double())
        layers.append((out, layer.weight, layer.weight.grad))
    for mine, theirs in zip(*layers, strict=True):
        close(mine, theirs)


@pytest.mark.parametrize("number", range(90))
def test_bags(number):
    rng, numbers = random.Random(number), np.random.default_rng(number)
    array = numbers.standard_normal((ROWS, WIDTH))
    mode = ("sum", "mean", "max")[number % 3]
    options = {"mode": mode, "padding_idx": rng.choice([None, None, 2, -1])}
    if rng.random() < 0.5:
        at = numbers.integers(0, ROWS, (3, 4))
        offsets = None
    else:
        at = numbers.integers(0, ROWS, 9)
        offsets = np.sort([0, *(rng.randint(0, 9) for _ in range(3))])
        if rng.random() < 0.5:
            options["include_last_offset"] = True
            offsets = np.append(offsets, 9)
    factors = numbers.standard_normal(at.shape) if mode == "sum" and rng.random() < 0.6 else None

    def call(t, weight):
        given = dict(options)
        if offsets is not None:
            given["offsets"] = t.tensor(offsets)
        if factors is not None:
            given["per_sample_weights"] = t.tensor(factors)
        return t.nn.functional.embedding_bag(t.tensor(at), weight, **given)

    compare(call, array)


@pytest.mark.parametrize("mode", ["sum", "mean"])
def test_gradients_of_bags_by_frequency(mode):
    """torch 2.13 divides rows by the count of other rows; the yardstick is its embedding."""
    array, at = np.arange(12.0).reshape(4, 3), [[1, 1, 3], [0, 1, 2]]
    mine = gpukit.tensor(array, requires_grad=True)
    bag = gpukit.nn.functional.embedding_bag
    bag(gpukit.tensor(at), mine, mode=mode, scale_grad_by_freq=True).sum().backward()
    theirs = torch.tensor(array, requires_grad=True)
    rows = torch.nn.functional.embedding(torch.tensor(at), theirs, scale_grad_by_freq=True)
    getattr(rows, mode)(1).sum().backward()
    close(mine.grad, theirs.grad)


def test_weights_of_samples_are_trained():
    grads = []
    for t in (gpukit, torch):
        factors = t.tensor([0.5, 2.0, 1.0], dtype=t.float64, requires_grad=True)
        weight = t.tensor(np.arange(12.0).reshape(4, 3), requires_grad=True)
        at = t.tensor([0, 3, 3])
        bag = t.nn.functional.embedding_bag
        bag(at, weight, t.tensor([0, 2]), mode="sum", per_sample_weights=factors).sum().backward()
        grads.append((factors.grad, weight.grad))
    for mine, theirs in zip(*grads, strict=True):
        close(mine, theirs)


def test_layers():
    made = [
        lambda t: t.nn.Embedding(4, 3, -1, 1.5, norm_type=1.0, scale_grad_by_freq=True),
        lambda t: t.nn.EmbeddingBag(4, 3, mode="max", padding_idx=1),
        lambda t: t.nn.EmbeddingBag(4, 3, max_norm=2.0, norm_type=1.0),
        lambda t: t.nn.Embedding.from_pretrained(t.ones(2, 3), padding_idx=0),
        lambda t: t.nn.EmbeddingBag.from_pretrained(t.ones(2, 3), mode="sum"),
    ]
    for make in made:
        mine, theirs = make(gpukit), make(torch)
        assert repr(mine) == repr(theirs)
        assert mine.weight.requires_grad == theirs.weight.requires_grad
        if len(mine.weight) == 2:
            close(mine(gpukit.tensor([[0, 1]])), theirs(torch.tensor([[0, 1]])))


WRONG = {
    "a number out of range": lambda t: t.nn.functional.embedding(t.tensor([4]), t.ones(4, 2)),
    "floating numbers": lambda t: t.nn.functional.embedding(t.ones(2), t.ones(4, 2)),
    "padding out of range": lambda t: t.nn.Embedding(3, 2, padding_idx=3),
    "no offsets": lambda t: t.nn.functional.embedding_bag(t.tensor([1]), t.ones(4, 2)),
    "offsets of rows": lambda t: t.nn.functional.embedding_bag(
        t.tensor([[1]]), t.ones(4, 2), t.tensor([0])
    ),
    "offsets that do not begin": lambda t: t.nn.functional.embedding_bag(
        t.tensor([1, 2]), t.ones(4, 2), t.tensor([1])
    ),
    "offsets beyond": lambda t: t.nn.functional.embedding_bag(
        t.tensor([1, 2]), t.ones(4, 2), t.tensor([0, 3])
    ),
    "three dimensions": lambda t: t.nn.functional.embedding_bag(
        t.zeros(1, 1, 1).long(), t.ones(4, 2)
    ),
    "weights of a mean": lambda t: t.nn.functional.embedding_bag(
        t.tensor([[1]]), t.ones(4, 2), per_sample_weights=t.ones(1, 1)
    ),
    "weights of another shape": lambda t: t.nn.functional.embedding_bag(
        t.tensor([[1]]), t.ones(4, 2), mode="sum", per_sample_weights=t.ones(1)
    ),
    "a mode": lambda t: t.nn.functional.embedding_bag(t.tensor([[1]]), t.ones(4, 2), mode="prod"),
    "a table of one dimension": lambda t: t.nn.functional.embedding_bag(t.tensor([[1]]), t.ones(4)),
}


@pytest.mark.parametrize("name", WRONG)
def test_both_refuse(name):
    with pytest.raises((RuntimeError, ValueError, IndexError, NotImplementedError, AssertionError)):
        WRONG[name](torch)
    with pytest.raises((gpukit.GpukitError, ValueError, IndexError, NotImplementedError)) as error:
        WRONG[name](gpukit)
    assert "mbedding" in str(error.value)


def test_sparse_gradients_are_refused_with_the_way_out():
    for make in (gpukit.nn.Embedding, gpukit.nn.EmbeddingBag):
        with pytest.raises(NotImplementedError, match="Leave it out"):
            make(3, 2, sparse=True)
    with pytest.raises(NotImplementedError, match="Leave it out"):
        gpukit.nn.functional.embedding(gpukit.tensor([0]), gpukit.ones(2, 2), sparse=True)
