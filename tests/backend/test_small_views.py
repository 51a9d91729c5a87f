"""Views and places where sizes are 0 or 1: strides, diagonals, numbers as indices."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import gpukit
from support.arrays import fetch, put


@pytest.mark.parametrize(
    ("shape", "expanded"),
    [((2, 1, 1), (2, 3, 1)), ((1, 7, 1), (1, 7, 1)), ((2, 1, 2, 1), (5, 2, 1, 2, 1)), ((1,), (1,))],
)
def test_expand_keeps_the_strides_of_sizes_that_stay(shape, expanded, device):
    x = put(np.arange(np.prod(shape), dtype=np.float32).reshape(shape), device)
    for view in (x, x.transpose(0, -1).transpose(0, -1), x[..., ::1]):
        got = view.expand(expanded)
        added = len(expanded) - len(shape)
        for i, size in enumerate(expanded):
            kept = i >= added and shape[i - added] == size
            assert got.stride(i) == (view.stride(i - added) if kept else 0)
        assert fetch(got).tolist() == np.broadcast_to(fetch(view), expanded).tolist()


def test_expanded_tensors_work_on(device):
    x = put(np.float32([[1], [2]]), device).expand(2, 1)
    x += 1
    assert fetch(x).tolist() == [[2], [3]]
    assert x.is_contiguous()


def test_the_diagonal_that_einsum_gives_is_a_view(device):
    for x in (gpukit.zeros(3, 3, device=device), gpukit.zeros(3, 6, device=device)[:, ::2]):
        gpukit.einsum("ii->i", x).copy_(put(np.float32([1, 2, 3]), device))
        assert fetch(x).tolist() == [[1, 0, 0], [0, 2, 0], [0, 0, 3]]


def test_one_bool_is_an_index(device):
    assert operator.index(gpukit.tensor(True, device=device)) == 1
    assert "ab"[gpukit.tensor([[False]], device=device)] == "a"
    with pytest.raises(TypeError):
        operator.index(gpukit.tensor(1.0, device=device))


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int32", "uint16"])
def test_the_gradient_of_atan2_beside_whole_numbers(dtype, device):
    y = np.array([100, 20, 17, 3, 1], dtype=dtype)  # squares that wrap around
    x = np.float32([0.5, -2.0, 30.0, 4.0, -0.25])
    for left_is_whole in (True, False):
        moving = put(x, device).requires_grad_()
        pair = (put(y, device), moving) if left_is_whole else (moving, put(y, device))
        gpukit.atan2(*pair).sum().backward()
        whole = y.astype(np.float64)
        sign = -1 if left_is_whole else 1
        np.testing.assert_allclose(
            fetch(moving.grad), sign * whole / (whole**2 + x.astype(np.float64) ** 2), rtol=1e-5
        )


def test_the_gradient_of_atan2_at_the_origin_is_0(device):
    x = gpukit.zeros(2, device=device, requires_grad=True)
    y = put(np.float32([0, 2]), device).requires_grad_()
    gpukit.atan2(y, x).sum().backward()
    assert fetch(x.grad).tolist() == [0, -0.5]
    assert fetch(y.grad).tolist() == [0, 0]


def test_a_linear_of_one_output_takes_a_vector(device):
    rng = np.random.default_rng(5)
    x, weight = rng.standard_normal((2, 3, 4)), rng.standard_normal(4)
    linear = gpukit.nn.functional.linear
    given = put(x, device), put(weight, device)
    np.testing.assert_allclose(fetch(linear(*given)), x @ weight)
    bias = put(np.array(0.5), device)
    np.testing.assert_allclose(fetch(linear(*given, bias)), x @ weight + 0.5)
    with pytest.raises(gpukit.ShapeError, match="bias"):
        linear(*given, put(np.zeros(4), device))


@pytest.mark.parametrize("zero", [0, 0.0, False])
def test_the_gradient_of_a_power_of_0(zero, device):
    x = put(np.float32([-2, -0.5, 0, 0.5, 3, np.nan]), device).requires_grad_()
    (zero**x).sum().backward()
    np.testing.assert_array_equal(fetch(x.grad), [-np.inf, -np.inf, 0, 0, 0, np.nan])
