"""Gradients and names of nodes beside torch on the CPU, over the same inputs."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
import torch

import gpukit
from support.gradients import Case

from .torch_cases import SHARED


def outcome(xp: Any, case: Case, arrays: list[np.ndarray]) -> tuple[list[np.ndarray], list[str]]:
    """Gradients of irregularly weighted outputs, and the names of the outputs' nodes."""
    inputs = [xp.tensor(array, requires_grad=True) for array in arrays]
    outputs = case.function(xp, *inputs)
    outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
    names = [output.grad_fn.name() for output in outputs]
    total = sum(
        (output.reshape(-1) * xp.linspace(0.5, 1.5, output.numel(), dtype=output.dtype)).sum()
        for output in outputs
    )
    total.backward()
    zeros = [np.zeros(array.shape) for array in arrays]
    gradients = [
        zero if x.grad is None else np.asarray(x.grad.tolist()).reshape(zero.shape)
        for x, zero in zip(inputs, zeros, strict=True)
    ]
    return gradients, names


@pytest.mark.parametrize("case", SHARED, ids=lambda case: case.name)
def test_gradient_is_torchs(case: Case) -> None:
    for seed in range(20):
        arrays = case.inputs(seed)
        got, got_names = outcome(gpukit, case, arrays)
        want, want_names = outcome(torch, case, arrays)
        for one, other in zip(got, want, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-10)
        if case.name != "matmul":  # torch makes some of its forms of several operations
            assert got_names == [name.removeprefix("torch::autograd::") for name in want_names]


def test_tensors_of_inference_mode_are_torchs() -> None:
    seen = []
    for xp in (gpukit, torch):
        x = xp.ones(5, requires_grad=True)
        with xp.inference_mode():
            y, view, result = xp.ones(2), x.detach().view(5), x + 1
        tensors = [x, y, view, result, y[0], y + 1, y.clone(), y.detach()]
        seen.append([tensor.is_inference() for tensor in tensors] + [xp.is_inference(y)])
    assert seen[0] == seen[1]


def test_torch_itself_is_here() -> None:
    assert "torch" in sys.modules


def test_batched_gradients_and_materialized_zeros():
    def run(m):
        a, b = (m.tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
        ways = m.tensor([[1.0, 0.0], [0.0, 1.0], [2.0, 3.0]])
        rows = m.autograd.grad(
            [a * b, a.exp()], [a, b], [ways, ways.flip(0)], is_grads_batched=True
        )
        outputs = [a * b, a.exp()]
        m.autograd.grad(outputs, [a, b], [ways, ways], is_grads_batched=True)
        with pytest.raises(RuntimeError):  # its graph was let go of
            m.autograd.grad(outputs, [a, b], [ways, ways], is_grads_batched=True)
        (second,) = m.autograd.grad(a**3, a, ways, create_graph=True, is_grads_batched=True)
        unused = m.autograd.grad(
            a * 2, [a, b], ways, retain_graph=True, allow_unused=True, is_grads_batched=True
        )
        zeros = [
            m.autograd.grad((a * 2).sum(), b, materialize_grads=True, create_graph=recorded)[0]
            for recorded in (False, True)
        ]
        given = [*rows, m.autograd.grad(second.sum(), a)[0], unused[0], *zeros]
        recorded = [zero.requires_grad for zero in zeros]
        return [each.tolist() for each in given], (unused[1], recorded)

    (found, told), (wanted, expected) = run(gpukit), run(torch)
    assert told == expected
    for got, value in zip(found, wanted, strict=True):
        np.testing.assert_allclose(got, value, rtol=1e-6)
