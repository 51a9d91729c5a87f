"""gpukit.autograd.functional: values written out, structures, and what strict refuses."""

from __future__ import annotations

import numpy as np
import pytest

import gpukit
from gpukit.autograd.functional import hessian, hvp, jacobian, jvp, vhp, vjp


def tensor(values, device, **options):
    return gpukit.tensor(values, device=device, dtype=gpukit.float64, **options)


def test_jacobian_of_one_input_and_one_result(device):
    x = tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], device)
    got = jacobian(lambda x: x.square().sum(dim=1), x)
    want = np.zeros((2, 2, 3))
    want[0, 0] = [2, 4, 6]
    want[1, 1] = [8, 10, 12]
    assert got.device == x.device
    assert not got.requires_grad
    assert not x.requires_grad
    np.testing.assert_array_equal(got.numpy(force=True), want)


def test_jacobian_of_tuples_has_results_outside_and_inputs_inside(device):
    x, y = tensor([1.0, 2.0], device), tensor(3.0, device)
    got = jacobian(lambda x, y: (x * y, y), (x, y))
    assert [[part.tolist() for part in row] for row in got] == [
        [[[3.0, 0.0], [0.0, 3.0]], [1.0, 2.0]],
        [[0.0, 0.0], 1.0],
    ]


def test_jacobian_with_create_graph_reaches_the_inputs(device):
    x = tensor([1.0, 2.0], device, requires_grad=True)
    jacobian(lambda x: x**3, x, create_graph=True).sum().backward()
    assert x.grad.tolist() == [6.0, 12.0]


def test_jacobian_of_no_elements(device):
    got = jacobian(lambda x: x[:0], tensor([1.0, 2.0], device))
    assert got.shape == (0, 2)


def test_hessian(device):
    x, y = tensor([1.0, 2.0], device), tensor(3.0, device)
    assert hessian(lambda x: (x**3).sum(), x).tolist() == [[6.0, 0.0], [0.0, 12.0]]
    assert [
        [part.tolist() for part in row] for row in hessian(lambda x, y: (y * x**3).sum(), (x, y))
    ] == [[[[18.0, 0.0], [0.0, 36.0]], [3.0, 12.0]], [[3.0, 12.0], 0.0]]


def test_vjp_and_jvp(device):
    def func(x):
        return gpukit.stack([x[0] * x[1], x[0], x[1] * x[1]])

    x = tensor([2.0, 3.0], device)  # the Jacobian is [[3, 2], [1, 0], [0, 6]]
    result, product = vjp(func, x, tensor([1.0, 10.0, 100.0], device))
    assert (result.tolist(), product.tolist()) == ([6.0, 2.0, 9.0], [13.0, 602.0])
    result, product = jvp(func, x, tensor([1.0, 10.0], device))
    assert (result.tolist(), product.tolist()) == ([6.0, 2.0, 9.0], [23.0, 1.0, 60.0])
    assert not result.requires_grad
    assert not product.requires_grad


@pytest.mark.parametrize("function", [vhp, hvp])
def test_products_with_a_hessian(function, device):
    x, y = tensor([1.0, 2.0], device), tensor(3.0, device)
    v = (tensor([1.0, 1.0], device), tensor(2.0, device))
    result, product = function(lambda x, y: (y * x**3).sum(), (x, y), v)
    assert result.item() == 27.0
    assert [part.tolist() for part in product] == [[24.0, 60.0], 15.0]


@pytest.mark.parametrize("function", [vjp, jvp, vhp, hvp])
def test_products_of_one_element_need_no_vector_and_have_gradients(function, device):
    x = tensor(2.0, device, requires_grad=True)
    result, product = function(lambda x: x**4, x, create_graph=True)
    result.backward(retain_graph=True)
    assert (result.item(), x.grad.item()) == (16.0, 32.0)
    x.grad = None
    product.backward()
    order = 1 if function in {vjp, jvp} else 2
    assert (product.item(), x.grad.item()) == ((32.0, 48.0) if order == 1 else (48.0, 48.0))


def test_a_result_without_its_input_has_zeros_and_strict_refuses_it(device):
    x = tensor([1.0, 2.0], device)
    one = tensor(1.0, device)
    assert jacobian(lambda x: one * 2, x).tolist() == [0.0, 0.0]
    assert vjp(lambda x: one * 2, x)[1].tolist() == [0.0, 0.0]
    assert jvp(lambda x: one * 2, x, x)[1].item() == 0.0
    assert hessian(lambda x: x.sum(), x).tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert hvp(lambda x: x.sum(), x, x)[1].tolist() == [0.0, 0.0]
    for call in (
        lambda: jacobian(lambda x: one * 2, x, strict=True),
        lambda: vjp(lambda x: one * 2, x, strict=True),
        lambda: jvp(lambda x: one * 2, x, x, strict=True),
        lambda: hessian(lambda x: x.sum(), x, strict=True),
        lambda: vhp(lambda x: x.sum(), x, x, strict=True),
        lambda: hvp(lambda x: x.sum(), x, x, strict=True),
    ):
        with pytest.raises(gpukit.AutogradError, match=r"strict=True, and .* does not depend on"):
            call()


def test_gradients_are_recorded_under_no_grad(device):
    with gpukit.no_grad():
        got = jacobian(lambda x: x * x, tensor([3.0], device))
    assert got.tolist() == [[6.0]]


def test_vectorize_and_forward_mode_have_the_same_values(device):
    x = tensor([1.0, 2.0], device)
    assert jacobian(lambda x: x * x, x, vectorize=True).tolist() == [[2.0, 0.0], [0.0, 4.0]]
    got = jacobian(lambda x: x * x, x, vectorize=True, strategy="forward-mode")
    assert got.tolist() == [[2.0, 0.0], [0.0, 4.0]]
    with pytest.raises(NotImplementedError, match=r'strategy="forward-mode" needs vectorize=True'):
        jacobian(lambda x: x * x, x, strategy="forward-mode")
    with pytest.raises(gpukit.AutogradError, match=r"Leave out vectorize"):
        jacobian(lambda x: x * x, x, strict=True, vectorize=True)
    with pytest.raises(ValueError, match=r'strategy=.backward.; expected "reverse-mode"'):
        jacobian(lambda x: x * x, x, strategy="backward")


def test_wrong_arguments_are_named(device):
    x = tensor([1.0, 2.0], device)
    with pytest.raises(TypeError, match=r"jacobian: inputs is of type list"):
        jacobian(lambda x: x, [x])
    with pytest.raises(TypeError, match=r"vjp: element 1 of inputs is of type float"):
        vjp(lambda x, y: x, (x, 1.0))
    with pytest.raises(TypeError, match=r"hvp: the result of func is of type int"):
        hvp(lambda x: 1, x, x)
    with pytest.raises(gpukit.AutogradError, match=r"vjp: v=None is for results of one element"):
        vjp(lambda x: x * x, x)
    with pytest.raises(gpukit.AutogradError, match=r"v has shape \(1,\), and of the inputs \(2,\)"):
        jvp(lambda x: x * x, x, x[:1])
    with pytest.raises(gpukit.AutogradError, match=r"v has 2 tensors for 1 inputs"):
        vhp(lambda x: x.sum(), x, (x, x))
    with pytest.raises(gpukit.AutogradError, match=r"returns a tensor of shape \(2,\)"):
        hessian(lambda x: x * x, x)
    with pytest.raises(gpukit.AutogradError, match=r"returns a tuple of 1 tensors"):
        hessian(lambda x: (x.sum(),), x)
