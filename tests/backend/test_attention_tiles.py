"""Attention in tiles: what the whole gives, with gradients, in memory that is linear in length."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import gpukit
from gpukit.nn import functional

RNG = np.random.default_rng(22)


@pytest.fixture
def small_tiles(monkeypatch):
    monkeypatch.setattr("gpukit.nn._attention._WHOLE", 0)
    monkeypatch.setattr("gpukit.nn._attention_tiles._TILE", 40)


def draw(device, *sizes):
    return gpukit.tensor(RNG.standard_normal(sizes), device=device, requires_grad=True)


def reference(q, k, v, hidden, added, factor=None):
    """The definition, recorded."""
    scores = q @ k.mT * (q.shape[-1] ** -0.5 if factor is None else factor) + added
    return scores.masked_fill(hidden, -np.inf).softmax(-1) @ v


MASKS = {
    "none": None,
    "bool": (7, 9),
    "bool of one row": (1, 9),
    "bool of a batch": (2, 1, 7, 9),
    "bool of heads": (1, 3, 7, 9),
    "added": (7, 9),
    "causal": None,
}


@pytest.mark.parametrize("name", MASKS)
def test_values_and_gradients(name, device, small_tiles):
    q, k, v = draw(device, 2, 3, 7, 4), draw(device, 2, 3, 9, 4), draw(device, 2, 3, 9, 5)
    hidden = gpukit.zeros(7, 9, dtype=gpukit.bool, device=device)
    added, settings = 0.0, {}
    if name.startswith("bool"):
        mask = RNG.random(MASKS[name]) < 0.7
        mask[..., 0] = True
        settings["attn_mask"] = gpukit.tensor(mask, device=device)
        hidden = settings["attn_mask"].logical_not()
    elif name == "added":
        added = settings["attn_mask"] = gpukit.tensor(RNG.random((7, 9)), device=device)
    elif name == "causal":
        settings["is_causal"] = True
        hidden = gpukit.ones(7, 9, dtype=gpukit.bool, device=device).triu(1)
    got = functional.scaled_dot_product_attention(q, k, v, **settings)
    want = reference(q, k, v, hidden, added)
    g = gpukit.tensor(RNG.standard_normal(want.shape), device=device)
    mine = gpukit.autograd.grad(got, (q, k, v), g)
    theirs = gpukit.autograd.grad(want, (q, k, v), g)
    for one, other in zip((got, *mine), (want, *theirs), strict=True):
        np.testing.assert_allclose(
            one.detach().cpu().numpy(), other.detach().cpu().numpy(), 1e-9, 1e-11
        )


def test_second_derivatives(small_tiles):
    inputs = [draw("cpu", 2, 3, 2) for _ in range(3)]
    for settings in ({}, {"is_causal": True}):

        def attention(q, k, v, settings=settings):
            return functional.scaled_dot_product_attention(q, k, v, **settings)

        assert gpukit.autograd.gradcheck(attention, inputs)
        assert gpukit.autograd.gradgradcheck(attention, inputs)


def test_grouped_heads_and_other_batches(device, small_tiles):
    q, k, v = draw(device, 2, 4, 6, 3), draw(device, 2, 2, 5, 3), draw(device, 2, 2, 5, 3)
    got = functional.scaled_dot_product_attention(q, k, v, enable_gqa=True)
    parts = [
        functional.scaled_dot_product_attention(
            q[:, i : i + 1], k[:, i // 2, None], v[:, i // 2, None]
        )
        for i in range(4)
    ]
    np.testing.assert_allclose(
        got.detach().cpu().numpy(), gpukit.cat(parts, 1).detach().cpu().numpy(), 1e-9
    )
    one = draw(device, 5, 3)
    assert functional.scaled_dot_product_attention(q, one, one).shape == (2, 4, 6, 3)


@pytest.mark.parametrize("causal", [False, True])
def test_dropout_is_the_same_in_the_backward_pass(causal, device, small_tiles):
    """The result is linear in the values, so its gradient is what the values were weighed with."""
    q, k, v = draw(device, 1, 9, 3), draw(device, 1, 9, 3), draw(device, 1, 9, 9)
    gpukit.manual_seed(3)
    attention = functional.scaled_dot_product_attention
    weights = attention(q, k, gpukit.eye(9, device=device).double()[None], None, 0.5, causal)
    gpukit.manual_seed(3)
    y = attention(q, k, v, None, 0.5, causal)
    np.testing.assert_allclose(
        y.detach().cpu().numpy(), (weights @ v).detach().cpu().numpy(), 1e-9, 1e-12
    )
    share = (weights == 0).double().mean().item()
    assert (0.5 if causal else 0.3) < share < (0.9 if causal else 0.7)
    for number, wanted in itertools.product(range(3), [False, True]):
        inputs = (q, k, v)
        gpukit.manual_seed(3)
        y = attention(*inputs, None, 0.5, causal)
        (slope,) = gpukit.autograd.grad(y.sum(), inputs[number], create_graph=wanted)
        step = gpukit.tensor(RNG.standard_normal(inputs[number].shape), device=device) * 1e-6
        ends = []
        for sign in (1, -1):
            gpukit.manual_seed(3)
            moved = [each.detach() for each in inputs]
            moved[number] = moved[number] + sign * step
            ends.append(attention(*moved, None, 0.5, causal).sum().item())
        np.testing.assert_allclose(
            (slope * step).sum().item(), (ends[0] - ends[1]) / 2, 1e-4, 1e-11
        )


def peak(device, length, train):
    q, k, v = (gpukit.zeros(1, length, 8, device=device, requires_grad=train) for _ in range(3))
    gpukit._core.reset_peak_memory_stats(device)
    before = gpukit._core.memory_stats(device)["allocated_bytes"]
    y = functional.scaled_dot_product_attention(q, k, v)
    if train:
        y.sum().backward()
    return gpukit._core.memory_stats(device)["max_allocated_bytes"] - before


@pytest.mark.parametrize("train", [False, True])
def test_memory_is_linear_in_the_length(train, device, monkeypatch):
    monkeypatch.setattr("gpukit.nn._attention._WHOLE", 1 << 10)
    monkeypatch.setattr("gpukit.nn._attention_tiles._TILE", 1 << 12)
    sizes = [256, 1024] if device == "cpu" else [128, 512]
    short, long = (peak(device, length, train) for length in sizes)
    assert long < 5 * short
    assert long < sizes[1] ** 2 * 4  # one matrix of weights


def test_one_matrix_of_weights_is_more(monkeypatch):
    """The measure sees what tiles spare."""
    monkeypatch.setattr("gpukit.nn._attention._WHOLE", 1 << 30)
    assert peak("cpu", 1024, True) > 1024**2 * 4
