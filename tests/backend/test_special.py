"""What the rows of elementwise.def do not cover of gpukit.special: orders, bounds, arguments."""

from __future__ import annotations

import math

import numpy as np
import pytest

import gpukit
from support.arrays import fetch, put

APERY = 1.2020569031595942854  # zeta(3, 1)


def near(got: gpukit.Tensor, want: list[float], rtol: float = 1e-14) -> None:
    np.testing.assert_allclose(fetch(got), want, rtol=rtol)


def test_polygamma_has_the_known_values(device):
    x = put(np.array([1.0, 0.5, 2.0]), device)
    near(gpukit.polygamma(1, x), [math.pi**2 / 6, math.pi**2 / 2, math.pi**2 / 6 - 1])
    near(gpukit.polygamma(2, x), [-2 * APERY, -14 * APERY, -2 * APERY + 2])
    near(x.polygamma(3), [math.pi**4 / 15, math.pi**4, math.pi**4 / 15 - 6])
    near(gpukit.polygamma(0, x), fetch(gpukit.digamma(x)))
    near(
        gpukit.polygamma(1, gpukit.ones(2, device=device, dtype=gpukit.int64)),
        [1.6449341] * 2,
        1e-7,
    )


@pytest.mark.parametrize("x", [-0.3, -3.7, -19.6, -20.4, -1000.25, -1e9 + 0.25])
def test_polygamma_of_negative_numbers_is_the_reflection(x, device):
    """pi^2 / sin(pi x)^2 is what x and 1 - x have together; far down no term is summed singly."""
    both = gpukit.polygamma(1, put(np.array([x, 1 - x]), device)).sum()
    near(both, (math.pi / math.sin(math.pi * (x - round(x)))) ** 2, 1e-12)


def test_poles_and_places_without_a_value(device):
    x = put(np.array([0.0, -1.0, -2.0]), device)
    assert np.isinf(fetch(gpukit.polygamma(1, x))).all()
    half = put(np.array([2.5]), device)
    assert np.isnan(fetch(gpukit.zeta(half, put(np.array([-1.5]), device)))).all()
    assert fetch(gpukit.zeta(1, half)).tolist() == [math.inf]
    assert np.isnan(fetch(gpukit.zeta(0.5, half))).all()
    near(gpukit.special.zeta(2.0, half), [math.pi**2 / 2 - 4 - 4 / 9])


def test_mvlgamma_is_a_sum_of_lgamma(device):
    x = put(np.array([[2.5, 3.0], [4.5, 10.0]]), device)
    want = 1.5 * math.log(math.pi) + sum(
        np.vectorize(math.lgamma)(fetch(x) - j / 2) for j in range(3)
    )
    near(gpukit.mvlgamma(x, 3), want, 1e-13)
    assert gpukit.special.multigammaln(x.half(), 3).dtype is gpukit.float16
    with pytest.raises(gpukit.ArgumentError, match=r"mvlgamma: p must be 1 or more, got 0"):
        x.mvlgamma(0)


def test_logit_clamps_to_eps(device):
    x = put(np.array([-1.0, 0.0, 0.5, 1.0, 2.0]), device).requires_grad_()
    edge = math.log(9)
    found = gpukit.logit(x, eps=0.1)
    near(found.detach(), [-edge, -edge, 0, edge, edge])
    found.sum().backward()
    assert x.grad.tolist() == [0.0, 0.0, 4.0, 0.0, 0.0]
    target = x.detach().clone()
    assert target.logit_(0.1) is target
    near(target, [-edge, -edge, 0, edge, edge])
    assert np.isnan(fetch(gpukit.logit(x.detach()))[[0, 4]]).all()


def test_derivatives_at_their_limits(device):
    x = put(np.zeros(3), device).requires_grad_()
    for function, slope in ((gpukit.i1, 0.5), (gpukit.i1e, 0.5), (gpukit.sinc, 0.0)):
        (gradient,) = gpukit.autograd.grad(function(x).sum(), x)
        assert gradient.tolist() == [slope] * 3
    (gradient,) = gpukit.autograd.grad(gpukit.xlogy(x, x.detach()).sum(), x)
    assert gradient.tolist() == [0.0] * 3


def test_a_product_with_a_logarithm_is_zero_beside_zero(device):
    zeros = put(np.zeros(4), device)
    other = put(np.array([0.0, -1.0, np.inf, np.nan]), device)
    assert fetch(gpukit.xlogy(zeros, other))[:3].tolist() == [0.0] * 3
    assert fetch(gpukit.special.xlog1py(zeros, other))[:3].tolist() == [0.0] * 3
    assert np.isnan(fetch(gpukit.xlogy(zeros, other))[3])
    assert np.isnan(fetch(gpukit.xlogy(2, other))[1])


def test_wrong_arguments_are_named():
    x = gpukit.ones(2)
    with pytest.raises(ValueError, match=r"polygamma: n must not be negative, got -1"):
        gpukit.polygamma(-1, x)
    with pytest.raises(TypeError, match="polygamma"):
        gpukit.polygamma(x, 1)
    with pytest.raises(gpukit.AutogradError, match="first argument of zeta"):
        gpukit.zeta(x.requires_grad_(), x).sum().backward()
    with pytest.raises(AttributeError, match=r"scipy\.special"):
        _ = gpukit.special.airy_ai
