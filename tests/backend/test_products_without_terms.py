"""Products whose inner size is 0: nothing is added up, and what is added to the product stays."""

from __future__ import annotations

import numpy as np
import pytest

import gpukit
from gpukit.nn import functional

DTYPES = ["int32", "float16", "float32", "float64"]


def zeros(*size, dtype, device):
    return gpukit.zeros(size, dtype=dtype, device=device)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("left", "right", "result"),
    [
        ((3, 0), (0, 4), (3, 4)),
        ((3, 0), (0,), (3,)),
        ((0,), (0, 4), (4,)),
        ((0,), (0,), ()),
        ((2, 3, 0), (2, 0, 4), (2, 3, 4)),
        ((2, 3, 0), (0, 4), (2, 3, 4)),
        ((2, 1, 3, 0), (5, 0, 4), (2, 5, 3, 4)),
    ],
)
def test_matmul_gives_zeros(left, right, result, dtype, device):
    a, b = zeros(*left, dtype=dtype, device=device), zeros(*right, dtype=dtype, device=device)
    out = a @ b
    assert out.shape == result
    assert out.tolist() == np.zeros(result).tolist()
    into = gpukit.ones(result, dtype=dtype, device=device)
    assert gpukit.matmul(a, b, out=into) is into
    assert into.tolist() == np.zeros(result).tolist()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("beta", "value"), [(0, 0.0), (1, 7.0), (3, 21.0)])
def test_addmm_scales_its_input(beta, value, dtype, device):
    a, b = zeros(2, 0, dtype=dtype, device=device), zeros(0, 3, dtype=dtype, device=device)
    bias = gpukit.full((3,), 7, dtype=dtype, device=device)
    assert gpukit.addmm(bias, a, b, beta=beta).tolist() == [[value] * 3] * 2


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("shape", [(2, 0), (5, 2, 0), (0,)])
def test_a_layer_without_features_gives_its_bias(shape, dtype, device):
    x = zeros(*shape, dtype=dtype, device=device).requires_grad_()
    weight = zeros(3, 0, dtype=dtype, device=device).requires_grad_()
    bias = gpukit.tensor([-1.0, 0.0, 2.0], dtype=dtype, device=device, requires_grad=True)
    out = functional.linear(x, weight, bias)
    assert out.tolist() == np.broadcast_to([-1.0, 0.0, 2.0], (*shape[:-1], 3)).tolist()
    relu = gpukit._core.linear_relu(x, weight, bias)
    assert relu.tolist() == np.broadcast_to([0.0, 0.0, 2.0], (*shape[:-1], 3)).tolist()
    out.sum().backward()
    rows = float(np.prod(shape[:-1]))
    assert bias.grad.tolist() == [rows] * 3
    assert weight.grad.shape == (3, 0)
    assert x.grad.shape == shape


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_layer_without_rows_has_gradients_of_zeros(dtype, device):
    x = zeros(0, 4, dtype=dtype, device=device)
    weight = gpukit.ones((3, 4), dtype=dtype, device=device, requires_grad=True)
    bias = gpukit.ones(3, dtype=dtype, device=device, requires_grad=True)
    functional.linear(x, weight, bias).sum().backward()
    assert weight.grad.tolist() == [[0.0] * 4] * 3
    assert bias.grad.tolist() == [0.0] * 3
