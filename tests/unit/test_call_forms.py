"""Forms of calls in torch's programs; tests/peers/call_forms.py has them all."""

from __future__ import annotations

import pytest

import gpukit


def test_targets_of_binary_cross_entropy_are_probabilities():
    half = gpukit.full((2,), 0.5)
    for wrong in (1.5, -0.5, float("nan")):
        with pytest.raises(ValueError, match="target must be between 0 and 1"):
            gpukit.nn.functional.binary_cross_entropy(half, gpukit.full((2,), wrong))


@pytest.mark.parametrize("kind", ["SGD", "Adam", "AdamW", "Adagrad"])
def test_hints_of_fusion_change_no_step(kind):
    p, q = (gpukit.nn.Parameter(gpukit.ones(3)) for _ in range(2))
    for each, hints in ((p, {}), (q, {"fused": True})):
        step = getattr(gpukit.optim, kind)([each], lr=0.1, **hints)
        (each * each).sum().backward()
        step.step()
    assert p.tolist() == q.tolist() != [1, 1, 1]


OPTIMIZERS = ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "Adamax", "NAdam", "RAdam",
              "Rprop", "ASGD", "Adafactor"]  # fmt: skip


@pytest.mark.parametrize("kind", OPTIMIZERS)
def test_hints_of_speed_change_no_step(kind):
    results = []
    for hints in ({}, {"foreach": True}, {"foreach": False}):
        p = gpukit.nn.Parameter(gpukit.ones(3))
        step = getattr(gpukit.optim, kind)([p], lr=0.1, **hints)
        (p * p).sum().backward()
        step.step()
        results.append(p.tolist())
    assert results[0] == results[1] == results[2] != [1, 1, 1]
