"""Bessel functions on every device: values, dtypes, derivatives, what is refused."""

from __future__ import annotations

import math

import pytest

import gpukit

# The values at 1: Abramowitz and Stegun, tables 9.1 and 9.8, and 10.1.
AT_ONE = {
    "bessel_j0": 0.7651976865579666,
    "bessel_j1": 0.4400505857449335,
    "bessel_y0": 0.0882569642156769,
    "bessel_y1": -0.7812128213002887,
    "modified_bessel_k0": 0.42102443824070834,
    "modified_bessel_k1": 0.6019072301972346,
    "scaled_modified_bessel_k0": math.e * 0.42102443824070834,
    "scaled_modified_bessel_k1": math.e * 0.6019072301972346,
    "spherical_bessel_j0": math.sin(1.0),
}


@pytest.mark.parametrize("name", AT_ONE)
def test_values_and_dtypes(name, device):
    function = getattr(gpukit.special, name)
    for dtype, near in ((gpukit.float64, 1e-14), (gpukit.float32, 1e-6), (gpukit.float16, 1e-2)):
        result = function(gpukit.ones(2, 3, dtype=dtype, device=device))
        assert (result.dtype, result.shape, result.device) == (dtype, (2, 3), device)
        assert result[1, 2].item() == pytest.approx(AT_ONE[name], near)
    assert function(gpukit.ones(2, dtype=gpukit.int32, device=device)).dtype == gpukit.float32
    assert function(gpukit.zeros(0, device=device)).shape == (0,)


@pytest.mark.parametrize("name", AT_ONE)
def test_derivatives(name, device):
    places = [0.25, 0.75, 1.5, 3.0, 6.0, 11.0]
    x = gpukit.tensor(places, dtype=gpukit.float64, device=device, requires_grad=True)
    function = getattr(gpukit.special, name)
    assert gpukit.autograd.gradcheck(function, (x,))
    assert gpukit.autograd.gradgradcheck(function, (x,))


@pytest.mark.parametrize("name", ["bessel_j0", "bessel_j1", "spherical_bessel_j0"])
def test_derivatives_at_zero(name, device):
    x = gpukit.zeros(1, dtype=gpukit.float64, device=device, requires_grad=True)
    getattr(gpukit.special, name)(x).backward()
    assert x.grad.item() == (0.5 if name == "bessel_j1" else 0.0)


@pytest.mark.parametrize("name", AT_ONE)
def test_what_is_refused(name):
    function = getattr(gpukit.special, name)
    with pytest.raises(gpukit.DTypeError, match=rf"{name}: .*complex64\. Use X\.abs"):
        function(gpukit.ones(1, dtype=gpukit.complex64))
    with pytest.raises(TypeError, match=rf"{name}: input must be a Tensor"):
        function(1.0)
