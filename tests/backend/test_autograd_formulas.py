"""Every derivative: beside finite differences on the CPU, and beside the CPU on other devices."""

from __future__ import annotations

import numpy as np
import pytest

import gpukit
from support.gradients import CASES, Case

SHAPES = 20


def gradients(case: Case, seed: int, device: gpukit.device) -> list[np.ndarray]:
    """The gradients of irregularly weighted outputs with respect to all inputs."""
    inputs = [gpukit.tensor(a, device=device, requires_grad=True) for a in case.inputs(seed)]
    outputs = case.function(gpukit, *inputs)
    outputs = [outputs] if isinstance(outputs, gpukit.Tensor) else outputs
    weights = [gpukit.linspace(0.5, 1.5, o.numel(), dtype=o.dtype).to(device) for o in outputs]
    total = sum((o.reshape(-1) * w).sum() for o, w in zip(outputs, weights, strict=True))
    found = gpukit.autograd.grad(total, inputs, allow_unused=True)
    pairs = zip(found, inputs, strict=True)
    return [np.zeros(x.shape) if g is None else g.cpu().numpy() for g, x in pairs]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_gradient_beside_differences(case: Case) -> None:
    for seed in range(SHAPES):
        inputs = [gpukit.tensor(a, requires_grad=True) for a in case.inputs(seed)]
        assert gpukit.autograd.gradcheck(lambda *x: case.function(gpukit, *x), inputs)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_gradient_beside_the_cpu(case: Case, device: gpukit.device) -> None:
    for seed in range(4):
        want = gradients(case, seed, gpukit.device("cpu"))
        got = gradients(case, seed, device)
        for one, other in zip(got, want, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", [gpukit.float32, gpukit.float16, gpukit.bfloat16])
def test_narrow_dtypes_keep_their_dtype(dtype: gpukit.dtype, device: gpukit.device) -> None:
    x = gpukit.tensor([[0.5, 1.0], [1.5, 2.0]], dtype=dtype, device=device, requires_grad=True)
    y = (gpukit.softmax(x * x + x.exp(), 1) * x).sum() + x.std() + x.norm()
    y.backward()
    assert x.grad.dtype is dtype
    assert x.grad.device == device
    wide = gpukit.tensor([[0.5, 1.0], [1.5, 2.0]], dtype=gpukit.float64, requires_grad=True)
    z = (gpukit.softmax(wide * wide + wide.exp(), 1) * wide).sum() + wide.std() + wide.norm()
    z.backward()
    tolerance = 1e-5 if dtype is gpukit.float32 else 0.06
    np.testing.assert_allclose(x.grad.double().cpu().numpy(), wide.grad.numpy(), atol=tolerance)


def test_dtypes_of_operands_are_kept(device: gpukit.device) -> None:
    x = gpukit.ones(3, device=device, requires_grad=True)
    y = gpukit.ones(3, dtype=gpukit.float64, device=device, requires_grad=True)
    (x * y).sum().backward()
    assert (x.grad.dtype, y.grad.dtype) == (gpukit.float32, gpukit.float64)
    z = gpukit.ones(3, device=device, requires_grad=True)
    (z * gpukit.arange(3, device=device)).sum().backward()
    assert z.grad.tolist() == [0.0, 1.0, 2.0]


def test_ties_share_the_gradient() -> None:
    x = gpukit.tensor([1.0, 3.0, 3.0], requires_grad=True)
    x.max().backward()
    assert x.grad.tolist() == [0.0, 0.5, 0.5]
    a = gpukit.tensor([1.0, 2.0], requires_grad=True)
    b = gpukit.tensor([1.0, 1.0], requires_grad=True)
    gpukit.maximum(a, b).sum().backward()
    assert (a.grad.tolist(), b.grad.tolist()) == ([0.5, 1.0], [0.5, 0.0])


@pytest.mark.parametrize("name", ["max", "min", "amax", "amin"])
@pytest.mark.parametrize("dim", [None, 1])
def test_nan_takes_the_gradient_of_an_extreme(name: str, dim: int | None, device) -> None:
    nan = float("nan")
    x = gpukit.tensor([[nan, 1.0, nan, 1.0]], device=device, requires_grad=True)
    found = getattr(x, name)(*() if dim is None else (dim,))
    (found if isinstance(found, gpukit.Tensor) else found.values).sum().backward()
    picked = dim is not None and not name.startswith("a")  # the place that was chosen
    assert x.grad.tolist() == [[1.0, 0, 0, 0] if picked else [0.5, 0, 0.5, 0]]


@pytest.mark.parametrize("name", ["maximum", "minimum"])
def test_nan_gives_both_operands_the_gradient(name: str, device: gpukit.device) -> None:
    nan = float("nan")
    x = gpukit.tensor([nan, 1.0, nan, 2.0], device=device, requires_grad=True)
    y = gpukit.tensor([1.0, nan, nan, 2.0], device=device, requires_grad=True)
    getattr(gpukit, name)(x, y).sum().backward()
    assert x.grad.tolist() == y.grad.tolist() == [1.0, 1.0, 1.0, 0.5]


def test_zeros_and_infinities_do_not_poison() -> None:
    x = gpukit.zeros(3, requires_grad=True)
    (x.norm() + x.std() + (x**2).sum() + x.relu().sum()).backward()
    assert x.grad.tolist() == [0.0, 0.0, 0.0]
    y = gpukit.tensor([-1.0, 4.0], requires_grad=True)
    gpukit.where(y > 0, y, 0.0).sqrt().sum().backward()
    assert y.grad[1].item() == 0.25
    z = gpukit.tensor([0.0, 2.0], requires_grad=True)
    w = gpukit.tensor([2.0, 0.0], requires_grad=True)
    (z**w).sum().backward()
    assert z.grad.tolist() == [0.0, 0.0]
    assert w.grad[0].item() == 0.0


def test_between_devices(device: gpukit.device) -> None:
    x = gpukit.ones(2, 3, requires_grad=True)
    weight = gpukit.full((3,), 2.0, device=device, requires_grad=True)
    scale = gpukit.tensor(3.0, requires_grad=True)  # a number on the CPU mixes with any device
    loss = (x.to(device) * weight * scale).sum().cpu()
    loss.backward()
    assert x.grad.device == x.device
    assert weight.grad.device == weight.device
    assert scale.grad.device == scale.device
    assert x.grad.tolist() == [[6.0] * 3] * 2
    assert weight.grad.tolist() == [6.0] * 3
    assert scale.grad.item() == 12.0


def test_scatter_of_a_longer_source() -> None:
    x, y = gpukit.ones(3, 2, requires_grad=True), gpukit.ones(2, 2, requires_grad=True)
    index = gpukit.tensor([[2, 0]])
    (x * 1).scatter_(0, index, y).sum().backward()
    assert x.grad.tolist() == [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
    assert y.grad.tolist() == [[1.0, 1.0], [0.0, 0.0]]
    (x * 1).scatter_add_(0, index, y).sum().backward()
    assert y.grad.tolist() == [[2.0, 2.0], [0.0, 0.0]]


def test_no_derivative_is_said_not_left_out() -> None:
    x = gpukit.ones(2, requires_grad=True)
    with pytest.raises(gpukit.AutogradError, match=r"FloorDivideBackward0 has no derivative"):
        (x // 2).sum().backward()


def test_gradcheck_finds_a_wrong_gradient() -> None:
    x = gpukit.tensor([0.5, 1.5], dtype=gpukit.float64, requires_grad=True)
    with pytest.raises(gpukit.AutogradError, match=r"inputs\[0\].*difference quotient"):
        gpukit.autograd.gradcheck(lambda x: x * x.detach(), x)
    with pytest.raises(gpukit.DTypeError, match="float64"):
        gpukit.autograd.gradcheck(gpukit.exp, gpukit.ones(2, requires_grad=True))
    with pytest.raises(gpukit.AutogradError, match="requires grad"):
        gpukit.autograd.gradcheck(gpukit.exp, gpukit.ones(2))
