"""Hooks for saved tensors, and checkpoints made of them, for every operation with a derivative."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import gpukit
from gpukit.autograd.graph import save_on_cpu, saved_tensors_hooks
from gpukit.utils.checkpoint import checkpoint
from support.gradients import CASES, Case

Tensor = gpukit.Tensor


def listed(outputs: object) -> list[Tensor]:
    return [outputs] if isinstance(outputs, Tensor) else list(outputs)


def gradients(outputs: object, inputs: list[Tensor], order: int = 2) -> list[list]:
    """Of the first and second order, as numbers."""
    total = sum((t * t).sum() for t in listed(outputs) if t.is_floating_point())
    found = []
    for left in reversed(range(order)):
        if not isinstance(total, Tensor) or not total.requires_grad:
            break
        several = gpukit.autograd.grad(total, inputs, create_graph=left > 0, allow_unused=True)
        several = [g for g in several if g is not None]
        found += [g.tolist() for g in several]
        total = sum((g * g).sum() for g in several)
    return found


def alive(objects: list[weakref.ref]) -> list:
    """Those that a collection does not free; it takes long beside all tests, and is rarely due."""
    if any(each() is not None for each in objects):
        gc.collect()
    return [each() for each in objects if each() is not None]


def inputs_of(case: Case, device: object) -> list[Tensor]:
    return [gpukit.tensor(a, device=device, requires_grad=True) for a in case.inputs(0)]


def agree(got: list[list], want: list[list]) -> None:
    """To a few roundings: a product adds in another order where an operand is not transposed."""
    assert len(got) == len(want)
    for one, other in zip(got, want, strict=True):
        near = 1e-14 * np.abs(other).max(initial=0)
        np.testing.assert_allclose(one, other, rtol=1e-13, atol=near)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_gradients_from_packed_tensors(case: Case, device: gpukit.device) -> None:
    inputs = inputs_of(case, device)
    want = gradients(case.function(gpukit, *inputs), inputs)

    def unpack(packed: tuple) -> Tensor:
        array, dtype = packed
        return gpukit.tensor(array, device=device).to(dtype)

    with saved_tensors_hooks(lambda t: (t.detach().cpu().numpy().copy(), t.dtype), unpack):
        outputs = case.function(gpukit, *inputs)
    agree(gradients(outputs, inputs), want)
    with save_on_cpu():
        agree(gradients(case.function(gpukit, *inputs), inputs), want)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_each_saved_tensor_is_unpacked_at_most_once_in_a_pass(case: Case) -> None:
    inputs = inputs_of(case, "cpu")
    packed: list[weakref.ref] = []
    unpacked: list[int] = []

    class Number:
        def __init__(self, tensor: Tensor) -> None:
            self.tensor = tensor.detach().clone()
            packed.append(weakref.ref(self))

    def unpack(number: Number) -> Tensor:
        unpacked.append(id(number))
        return number.tensor

    with saved_tensors_hooks(Number, unpack):
        outputs = case.function(gpukit, *inputs)
    total = sum(t.sum() for t in listed(outputs))
    for _ in range(2):
        unpacked.clear()
        gpukit.autograd.grad(total, inputs, retain_graph=True, allow_unused=True)
        assert len(set(unpacked)) == len(unpacked)
        assert set(unpacked) <= {id(each()) for each in packed}
    del total, outputs
    assert alive(packed) == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_gradients_of_a_checkpoint(case: Case, device: gpukit.device) -> None:
    inputs = inputs_of(case, device)
    runs = []

    def function(*tensors: Tensor) -> object:
        runs.append(1)
        return case.function(gpukit, *tensors)

    want = gradients(function(*inputs), inputs)
    outputs = checkpoint(function, *inputs)
    assert gradients(outputs, inputs) == want
    if len(inputs) == 1:  # one call inside of another
        outputs = checkpoint(lambda x: checkpoint(function, x), *inputs)
        assert gradients(outputs, inputs) == want


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_pack_hook_that_keeps_its_tensor_keeps_no_graph_alive(case: Case) -> None:
    kept = []

    class Kept:
        def __init__(self, tensor):
            self.tensor = tensor
            kept.append(weakref.ref(self))

    inputs = [gpukit.tensor(a, requires_grad=True) * 1 for a in case.inputs(0)]
    with saved_tensors_hooks(Kept, lambda each: each.tensor):
        outputs = case.function(gpukit, *inputs)
    del outputs, inputs
    assert alive(kept) == []
