"""Grad modes: as context managers, as decorators, in generators and in threads."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import gpukit


def leaf(value: float) -> gpukit.Tensor:
    return gpukit.tensor([value], requires_grad=True)


def test_modes():
    x = leaf(1.0)
    with gpukit.no_grad():
        assert not gpukit.is_grad_enabled()
        assert not (x * 2).requires_grad
        with gpukit.enable_grad():
            assert (x * 2).requires_grad
        assert not (x * 2).requires_grad
        assert gpukit.ones(1, requires_grad=True).requires_grad
    assert gpukit.is_grad_enabled()
    with pytest.raises(KeyError), gpukit.no_grad():
        raise KeyError
    assert gpukit.is_grad_enabled()
    with gpukit.set_grad_enabled(False):
        assert not gpukit.is_grad_enabled()
    assert gpukit.is_grad_enabled()
    gpukit.set_grad_enabled(False)
    assert not gpukit.is_grad_enabled()
    gpukit.set_grad_enabled(True)
    with gpukit.inference_mode():
        assert gpukit.is_inference_mode_enabled()
        assert not (x * 2).requires_grad
        with gpukit.inference_mode(False):
            assert (x * 2).requires_grad
    assert not gpukit.is_inference_mode_enabled()
    with pytest.raises(TypeError, match="mode must be a bool"):
        gpukit.set_grad_enabled(1)


@pytest.mark.parametrize(
    "decorate",
    [
        gpukit.no_grad(),
        gpukit.no_grad,
        gpukit.inference_mode(),
        gpukit.inference_mode,
        gpukit.set_grad_enabled,
    ],
)
def test_modes_are_decorators(decorate):
    x = leaf(1.0)
    if decorate is gpukit.set_grad_enabled:
        decorate = gpukit.set_grad_enabled(False)

    @decorate
    def evaluate(depth: int) -> bool:
        """Say whether anything is recorded."""
        return (x * 2).requires_grad or (depth > 0 and evaluate(depth - 1))

    assert gpukit.is_grad_enabled()
    assert not evaluate(3)
    assert gpukit.is_grad_enabled()
    assert evaluate.__doc__ == "Say whether anything is recorded."


def test_generator_functions_keep_the_mode_at_each_step():
    @gpukit.no_grad()
    def steps():
        got = yield gpukit.is_grad_enabled()
        yield got, gpukit.is_grad_enabled()
        return "end"

    generator = steps()
    assert next(generator) is False
    assert gpukit.is_grad_enabled()
    assert generator.send(7) == (7, False)
    with pytest.raises(StopIteration) as info:
        next(generator)
    assert info.value.value == "end"


def test_each_thread_has_its_own_mode():
    x = leaf(1.0)
    seen: list[bool] = []
    with gpukit.no_grad():
        thread = threading.Thread(target=lambda: seen.append((x * 2).requires_grad))
        thread.start()
        thread.join()
        assert not (x * 2).requires_grad
    assert seen == [True]


def test_tensors_of_inference_mode_outside_of_it(device):
    with gpukit.inference_mode():
        x = gpukit.ones(2, device=device)
        x.add_(1)
        x[0] = 5
        part = x[1:]
        with gpukit.enable_grad():
            assert not (gpukit.ones(2, requires_grad=True, device=device) * 2).requires_grad
    w = gpukit.ones(2, requires_grad=True, device=device)
    changes = {
        "add_": lambda: x.add_(1),
        "fill_": part.zero_,
        "copy_": lambda: x.copy_(w.detach()),
        "out": lambda: gpukit.exp(w.detach(), out=x),
        "exponential_|uniform_|copy_": x.exponential_,
        "cannot be saved": lambda: w * x,
        "requires_grad_": x.requires_grad_,
    }
    for named, change in changes.items():
        with pytest.raises(gpukit.AutogradError, match=named):
            change()
    assert x.tolist() == [5, 2]
    with pytest.raises(gpukit.AutogradError, match="inference_mode"):
        x[0] = 1.0
    (w + x).sum().backward()
    assert w.grad.tolist() == [1, 1]
    (w * x.clone()).sum().backward()
    assert w.grad.tolist() == [6, 3]


def test_numpy_functions_of_tensors(device):
    x = gpukit.tensor([0.0, 1.0], device=device)
    if device.type == "cpu":
        assert isinstance(np.exp(x), gpukit.Tensor)
        return
    for function in (np.exp, np.linalg.norm, lambda t: np.add(np.ones(2), t)):
        with pytest.raises(gpukit.DeviceError, match=r"\.cpu\(\)\.numpy\(\)"):
            function(x)
