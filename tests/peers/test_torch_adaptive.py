"""nn.AdaptiveLogSoftmaxWithLoss beside torch's: values, gradients, states, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import gpukit

FORMS: list[dict[str, Any]] = [
    {"cutoffs": [4, 10], "div_value": 2.0},
    {"cutoffs": [1], "div_value": 2.0, "head_bias": True},
    {"cutoffs": (3, 4, 19), "div_value": 1.5},
]
TARGETS = [[0, 5, 19, 11, 3], [0, 0, 0, 0, 0], [19, 19, 12, 11, 18]]


def both(form: dict[str, Any]) -> tuple[Any, Any]:
    theirs = torch.nn.AdaptiveLogSoftmaxWithLoss(8, 20, **form)
    mine = gpukit.nn.AdaptiveLogSoftmaxWithLoss(8, 20, **form)
    state = {key: gpukit.tensor(value.tolist()) for key, value in theirs.state_dict().items()}
    mine.load_state_dict(state)
    assert repr(mine) == repr(theirs)
    return mine, theirs


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("form", FORMS)
def test_values_and_gradients_are_torchs(form: dict[str, Any], target: list[int]) -> None:
    values = np.random.default_rng(0).normal(size=(5, 8)).astype(np.float32).tolist()
    found = []
    for t, layer in zip((gpukit, torch), both(form), strict=True):
        x = t.tensor(values, requires_grad=True)
        result = layer(x, t.tensor(target))
        (result.loss + (result.output * t.arange(5.0)).sum()).backward()
        found.append(
            [
                *[each.tolist() for each in (*result, x.grad, layer.log_prob(x))],
                layer.predict(x).tolist(),
                layer(x[0], t.tensor(target[0])).output.tolist(),
                *[0 if p.grad is None else p.grad.abs().sum().item() for p in layer.parameters()],
            ]
        )
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("cutoffs", [[], [0], [3, 3], [5, 4], [20], [2.5]])
def test_cutoffs_that_torch_refuses_are_refused(cutoffs: list[Any]) -> None:
    for t in (torch, gpukit):
        with pytest.raises((ValueError, TypeError), match="cutoffs"):
            t.nn.AdaptiveLogSoftmaxWithLoss(8, 20, cutoffs)


def test_classes_and_sizes_that_do_not_fit_are_refused() -> None:
    for t, layer in zip((gpukit, torch), both(FORMS[0]), strict=True):
        for shape, target in (((2, 8), [0, 20]), ((2, 8), [-1, 0]), ((2, 8), [0]), ((8,), [0])):
            with pytest.raises((RuntimeError, IndexError)):
                layer(t.ones(*shape), t.tensor(target))
        with pytest.raises(RuntimeError):
            layer(t.ones(2, 8), t.zeros(2, 2, dtype=t.int64))
