"""Optimizers whose steps run as chains do what their operators do, and move less."""

from __future__ import annotations

import pytest

import gpukit
from gpukit.optim import _passes
from support.chains import same_bits

COUNT = 3000


class Work:
    """Adds up the bytes of the calls that nothing else has made."""

    def __init__(self):
        self.bytes = 0

    def after_operator(self, call):
        if call.depth == 0:
            self.bytes += call.work["bytes"]


def stepped(kind, dtype, device, **settings):
    """Parameter and states after three steps, and the bytes of the last."""
    gpukit.manual_seed(0)
    parameter = gpukit.randn(COUNT, dtype=dtype, device=device).requires_grad_()
    optimizer = kind([parameter], **settings)
    gradients = [gpukit.randn(COUNT, dtype=dtype, device=device) for _ in range(3)]
    for number, gradient in enumerate(gradients):
        parameter.grad = gradient
        work = Work()
        with gpukit._core.observe(work, work=True):
            optimizer.step()
        optimizer.param_groups[0]["lr"] *= 0.5 + number
    state = optimizer.state[parameter]
    return [parameter.detach(), *(state[name] for name in optimizer._state_names[1:])], work.bytes


@pytest.mark.parametrize("dtype", [gpukit.float32, gpukit.float64, gpukit.float16])
@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        (gpukit.optim.Adadelta, {}),
        (gpukit.optim.Adadelta, {"rho": 0.7, "eps": 1e-3, "weight_decay": 0.1}),
        (gpukit.optim.Adamax, {"eps": 1e-3}),
        (gpukit.optim.Adamax, {"betas": (0.5, 0.8), "eps": 1e-3, "maximize": True}),
    ],
)
def test_chains_of_optimizers(monkeypatch, device, dtype, kind, settings):
    expected, before = stepped(kind, dtype, device, **settings)
    monkeypatch.setattr(_passes, "_FEW_ELEMENTS", 0)
    found, after = stepped(kind, dtype, device, **settings)
    assert all(map(same_bits, found, expected))
    if dtype == gpukit.float32 or (dtype == gpukit.float64 and device.type == "cpu"):
        assert after < 0.75 * before
    else:
        assert after == before
