"""Second derivatives where the first has a kink: those of torch 2.13, which are 0 at the kink."""

from __future__ import annotations

import pytest

import gpukit
from gpukit.nn import functional

X = [-2.0, -1.0, -0.5, -0.25, -0.0, 0.0, 0.25, 0.5, 1.0, 2.0]
LOSSES = {
    "smooth_l1": (functional.smooth_l1_loss, "beta"),
    "huber": (functional.huber_loss, "delta"),
}


def derivatives(function, values, dtype, device):
    """The first and the second, element by element."""
    x = gpukit.tensor(values, dtype=dtype, device=device, requires_grad=True)
    (first,) = gpukit.autograd.grad(function(x).sum(), x, create_graph=True)
    (second,) = gpukit.autograd.grad(first.sum(), x)
    return first.detach().double().tolist(), second.double().tolist()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("most", [0.25, 0.5, 1.0])
@pytest.mark.parametrize("name", LOSSES)
def test_losses_at_the_end_of_their_parabola(name, most, dtype, device):
    loss, parameter = LOSSES[name]

    def function(x):
        return loss(x, gpukit.zeros_like(x), reduction="none", **{parameter: most})

    first, second = derivatives(function, X, dtype, device)
    scale = most if name == "smooth_l1" else 1.0
    assert first == [min(max(x, -most), most) / scale for x in X]
    assert second == [1 / scale if abs(x) < most else 0.0 for x in X]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("alpha", [1.0, 1.5, -0.5])
def test_elu_at_0(alpha, dtype, device):
    at = [-1.0, -0.0, 0.0, 1.0]
    first, second = derivatives(lambda x: functional.elu(x, alpha), at, dtype, device)
    below = pytest.approx(alpha * 0.36787944, rel=2e-3)
    assert first == [below, alpha, alpha, 1.0]
    assert second == [below, 0.0, 0.0, 0.0]


def test_both_inputs_have_second_derivatives(device):
    x = gpukit.tensor([0.5, 1.0, 3.0], device=device, requires_grad=True)
    y = gpukit.tensor([0.0, 0.0, 0.0], device=device, requires_grad=True)
    loss = functional.huber_loss(x, y, reduction="sum", delta=1.0)
    first = gpukit.autograd.grad(loss, [x, y], create_graph=True)
    total = (first[0] * first[0]).sum() + (first[1] * 3).sum()
    second = gpukit.autograd.grad(total, [x, y])
    assert second[0].tolist() == [-2.0, 0.0, 0.0]
    assert second[1].tolist() == [2.0, 0.0, 0.0]
