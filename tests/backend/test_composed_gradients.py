"""Functions composed of recorded ones have gradients, without any of their own."""

from __future__ import annotations

import pytest

import gpukit
from gpukit.autograd import gradcheck

# name: (function, shapes of its tensors)
FUNCTIONS = {
    "einsum": (lambda a, b: gpukit.einsum("bij,bjk->bik", a, b), [(2, 3, 4), (2, 4, 5)]),
    "einsum of a diagonal": (lambda a: gpukit.einsum("ii->i", a), [(3, 3)]),
    "einsum of three": (
        lambda a, b, c: gpukit.einsum("i,ij,j", a, b, c),
        [(2,), (2, 3), (3,)],
    ),
    "tensordot": (lambda a, b: gpukit.tensordot(a, b, 2), [(2, 3, 4), (3, 4, 5)]),
    "vecdot": (gpukit.vecdot, [(2, 3), (2, 3)]),
    "trace": (gpukit.trace, [(3, 3)]),
    "roll": (lambda a: gpukit.roll(a, 1, 0), [(3, 3)]),
    "diag of a vector": (gpukit.diag, [(3,)]),
    "diag of a matrix": (gpukit.diag, [(3, 3)]),
    "diff": (gpukit.diff, [(4,)]),
    "tile": (lambda a: gpukit.tile(a, 2), [(3,)]),
    "repeat_interleave": (lambda a: gpukit.repeat_interleave(a, 2), [(3,)]),
    "take_along_dim": (
        lambda a: gpukit.take_along_dim(a, gpukit.tensor([[0], [1]], device=a.device), 1),
        [(2, 3)],
    ),
    "meshgrid": (lambda a: gpukit.meshgrid(a, a)[0] * 1.0, [(3,)]),
    "moveaxis": (lambda a: gpukit.moveaxis(a, 0, 1) * 2, [(2, 3)]),
    "hstack": (lambda a: gpukit.hstack([a, a]), [(3,)]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradient(device, name):
    function, shapes = FUNCTIONS[name]
    tensors = [
        gpukit.randn(*shape, dtype=gpukit.float64, device=device, requires_grad=True)
        for shape in shapes
    ]
    assert gradcheck(function, tuple(tensors))
