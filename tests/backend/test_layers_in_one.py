"""A Linear and the ReLU after it are one operation in Sequential; nothing else shows it."""

from __future__ import annotations

import numpy as np
import pytest

import gpukit
from gpukit import nn
from gpukit.nn import functional as F
from support.arrays import fetch, put

# Around the sizes from which a layer is one pass on the CPU, and ragged vectors.
SIZES = [
    (1, 3, 5),
    (15, 20, 9),
    (16, 20, 256),
    (33, 1, 17),
    (70, 40, 16),
    (70, 70, 48),
    (600, 257, 10),
]
# Half of a result's last place, and what one term of a sum may be off.
ROUNDING = {"float16": 2**-11, "float32": 2**-24, "float64": 2**-53}


def layer_and_input(rows, inputs, outputs, dtype, device, bias=True):
    rng = np.random.default_rng(rows)
    net = nn.Sequential(nn.Linear(inputs, outputs, bias=bias), nn.ReLU())
    for parameter in net.parameters():
        parameter.data = put((rng.random(parameter.shape) - 0.5).astype(dtype), "cpu")
    x = put((rng.random((rows, inputs)) - 0.5).astype(dtype), device)
    return net.to(device), x.requires_grad_()


def close(got, want, dtype, terms, rounded_before=0.0):
    """Rounded once; sums of `terms` numbers below 1 are kept in float32 at least."""
    kept = min(ROUNDING[dtype], ROUNDING["float32"])
    bound = 4 * ROUNDING[dtype] * np.abs(want) + 4 * kept * (terms + 1)
    bound = bound + ROUNDING[dtype] * np.abs(rounded_before)
    assert (np.abs(fetch(got).astype(np.float64) - want) <= bound).all()


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("dtype", ROUNDING)
@pytest.mark.parametrize("size", SIZES)
def test_values_and_gradients(size, dtype, bias, device):
    net, x = layer_and_input(*size, dtype, device, bias)
    exact = [fetch(p.detach()).astype(np.float64) for p in net.parameters()]
    rows = fetch(x.detach()).astype(np.float64)
    want = np.maximum(rows @ exact[0].T + (exact[1] if bias else 0), 0)
    out = net(x)
    # cuBLAS may round the product to the half type before it adds the bias: an H200's did.
    real = device.type == "cuda" and not device.simulated
    close(out.detach(), want, dtype, size[1], rows @ exact[0].T if real else 0.0)
    out.sum().backward()
    mask = (fetch(out.detach()) > 0).astype(np.float64)
    close(x.grad, mask @ exact[0], dtype, size[2])
    gradients = [p.grad for p in net.parameters()]
    close(gradients[0], mask.T @ rows, dtype, size[0])
    if bias:
        close(gradients[1], mask.sum(0), dtype, size[0])
    with gpukit.no_grad():
        assert net(x).grad_fn is None
        np.testing.assert_array_equal(fetch(net(x)), fetch(out.detach()))


def test_the_graph_is_that_of_two_operations(device):
    net, x = layer_and_input(20, 4, 8, "float32", device)
    relu = net(x).grad_fn
    assert relu.name() == "ReluBackward0"
    ((linear, _),) = relu.next_functions
    assert linear.name() == "AddmmBackward0"
    plain = F.relu(net[0](x)).grad_fn.next_functions[0][0]
    assert [n and n.name() for n, _ in linear.next_functions] == [
        n and n.name() for n, _ in plain.next_functions
    ]


def test_what_is_not_finite_and_signed_zeros(device):
    net, _ = layer_and_input(32, 2, 16, "float32", device)
    with gpukit.no_grad():
        net[0].weight.fill_(1.0)
        net[0].bias.zero_()
        x = np.zeros((32, 2), np.float32)
        x[0], x[1], x[2], x[3, 0] = np.inf, -np.inf, -0.0, np.nan
        got = fetch(net(put(x, device)))
    assert (got[0] == np.inf).all() and (got[1] == 0).all() and np.isnan(got[3]).all()
    assert (got[4:] == 0).all() and not np.signbit(got[2]).any()


def test_rows_of_more_dimensions_and_none(device):
    net, x = layer_and_input(24, 5, 16, "float32", device)
    flat = fetch(net(x).detach())
    np.testing.assert_array_equal(fetch(net(x.reshape(2, 3, 4, 5)).detach()).reshape(24, 16), flat)
    np.testing.assert_allclose(fetch(net(x[0]).detach()), flat[0], rtol=1e-5, atol=1e-6)
    assert net(x[:0]).shape == (0, 16)
    columns = put(fetch(x.detach()).T.copy(), device).T
    np.testing.assert_allclose(fetch(net(columns).detach()), flat, rtol=1e-5, atol=1e-6)
    empty = nn.Sequential(nn.Linear(0, 3), nn.ReLU()).to(device)
    with gpukit.no_grad():
        empty[0].bias.fill_(-1.0)
        assert fetch(empty(put(np.ones((2, 0), np.float32), device))).tolist() == [[0.0] * 3] * 2


def test_a_changed_result_is_noticed(device):
    net, x = layer_and_input(20, 4, 8, "float32", device)
    out = net(x)
    loss = out.sum()
    with gpukit.no_grad():
        out.add_(1.0)
    with pytest.raises(gpukit.AutogradError):
        loss.backward()


def test_other_modules_run_their_own_forward(device):
    class Twice(nn.ReLU):
        def forward(self, input):
            return 2 * super().forward(input)

    class Shifted(nn.Linear):
        def forward(self, input):
            return super().forward(input) + 1

    net, x = layer_and_input(16, 4, 8, "float32", device)
    plain = fetch(net(x).detach())
    before = fetch(net[0](x).detach())
    twice = nn.Sequential(net[0], Twice())
    np.testing.assert_allclose(fetch(twice(x).detach()), 2 * plain, rtol=1e-5, atol=1e-6)
    shifted = Shifted(4, 8).to(device)
    shifted.load_state_dict(net[0].state_dict())
    got = fetch(nn.Sequential(shifted, nn.ReLU())(x).detach())
    np.testing.assert_allclose(got, np.maximum(before + 1, 0), rtol=1e-5, atol=1e-6)
    net[1].forward = lambda x: x - 1
    np.testing.assert_allclose(fetch(net(x).detach()), before - 1, rtol=1e-5, atol=1e-6)


def test_an_error_names_the_layer(device):
    net, _ = layer_and_input(16, 4, 8, "float32", device)
    with pytest.raises(gpukit.ShapeError, match="Linear"):
        net(put(np.ones((16, 5), np.float32), device))
