"""Operations of devices behind layers: windows, batch norm, the cell of an LSTM, beside NumPy."""

from __future__ import annotations

import gc
import itertools
import math
import weakref

import numpy as np
import pytest

import gpukit
from gpukit import _core, nn
from gpukit.nn import functional as F

RNG = np.random.default_rng(21)
DTYPES = [np.float32, np.float64]


def draw(*sizes, dtype=np.float32):
    return RNG.standard_normal(sizes).astype(dtype)


def numbers_of(x, kernel, stride, before, dilation):
    """The definition of max pooling of planes of one dimension: values and places."""
    places = (x.shape[-1] + 2 * before - dilation * (kernel - 1) - 1) // stride + 1
    values, found = [], []
    for row in x.reshape(-1, x.shape[-1]):
        for place in range(places):
            at = [place * stride - before + tap * dilation for tap in range(kernel)]
            at = [i for i in at if 0 <= i < len(row)]
            best = max(at, key=lambda i: (row[i], -i))
            values.append(row[best])
            found.append(best)
    shape = (*x.shape[:-1], places)
    return np.array(values).reshape(shape), np.array(found).reshape(shape)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [1, 2, 7, 16, 33, 130])
def test_windows_of_every_length(size, dtype, device):
    x = draw(3, size, dtype=dtype)
    for kernel, stride, dilation in itertools.product([1, 2, 3], [1, 2, 3], [1, 2]):
        before = kernel // 2
        if size + 2 * before - dilation * (kernel - 1) < 1 or dilation > 1 >= size - before:
            continue
        want, where = numbers_of(x, kernel, stride, before, dilation)
        options = {"stride": stride, "padding": before, "dilation": dilation}
        mine = gpukit.tensor(x, device=device)
        got, numbers = F.max_pool1d(mine, kernel, **options, return_indices=True)
        np.testing.assert_array_equal(got.cpu().numpy(), want)
        np.testing.assert_array_equal(numbers.cpu().numpy(), where)
        np.testing.assert_array_equal(F.max_pool1d(mine, kernel, **options).cpu().numpy(), want)


def test_windows_of_volumes_are_those_of_their_parts(device):
    x = draw(2, 3, 5, 6, 7)
    got = F.max_pool3d(gpukit.tensor(x, device=device), (2, 3, 2), (1, 2, 2), (1, 1, 0))
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1), (0, 0)), constant_values=-math.inf)
    want = np.stack(
        [
            padded[:, :, d : d + 2, h : h + 3, w : w + 2].max((2, 3, 4))
            for d, h, w in itertools.product(range(6), range(0, 6, 2), range(0, 6, 2))
        ],
        -1,
    ).reshape(2, 3, 6, 3, 3)
    np.testing.assert_array_equal(got.cpu().numpy(), want)


def test_windows_of_infinities_and_nan(device):
    x = np.array([[-math.inf, -math.inf, math.nan, 1.0, math.inf, math.nan]], np.float32)
    values, numbers = F.max_pool1d(gpukit.tensor(x, device=device), 2, return_indices=True)
    np.testing.assert_array_equal(values.cpu().numpy(), [[-math.inf, math.nan, math.nan]])
    assert numbers.tolist() == [[0, 2, 5]]


def test_overlapping_windows_add_their_gradients_up(device):
    x = gpukit.tensor([[0.0, 5.0, 1.0, 2.0]], device=device, requires_grad=True)
    y = F.max_pool1d(x, 3, 1)
    y.backward(gpukit.tensor([[2.0, 3.0]], device=device))
    assert x.grad.tolist() == [[0, 5, 0, 0]]


@pytest.mark.parametrize(
    "call",
    [
        lambda x: F.max_pool2d(x, 2, 1),
        lambda x: F.max_pool2d(x, 3, 2, 1),
        lambda x: F.batch_norm(x, None, None, training=True),
        lambda x: nn.SyncBatchNorm(2).double().to(x.device)(x),
        lambda x: F.adaptive_max_pool2d(x, (2, 3)),
        lambda x: F.lp_pool2d(x + 1, 3, 2),
        lambda x: F.channel_shuffle(x, 2),
    ],
)
def test_gradients_of_first_and_second_order(call, device):
    x = gpukit.tensor(RNG.permutation(2 * 2 * 4 * 5).reshape(2, 2, 4, 5) / 8.0, device=device)
    x.requires_grad_()
    assert gpukit.autograd.gradcheck(call, [x])
    assert gpukit.autograd.gradgradcheck(call, [x])


@pytest.mark.parametrize("shape", [(6, 4), (3, 2, 5), (2, 3, 4, 9), (5, 17), (2, 3, 40)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_batch_norm_and_its_gradients(shape, dtype, device):
    x, weight, bias = (
        draw(*shape, dtype=dtype),
        draw(shape[1], dtype=dtype),
        draw(shape[1], dtype=dtype),
    )
    x = x * 3 + 20  # a mean that is far from 0
    g = draw(*shape, dtype=dtype)
    inputs = [gpukit.tensor(each, device=device, requires_grad=True) for each in (x, weight, bias)]
    mean, variance = (gpukit.zeros(shape[1], dtype=inputs[0].dtype, device=device) for _ in "ab")
    got = F.batch_norm(inputs[0], mean, variance, *inputs[1:], training=True, momentum=1.0)
    got.backward(gpukit.tensor(g, device=device))
    dims, seen = (0, *range(2, len(shape))), (1, -1, *[1] * (len(shape) - 2))
    wide, wide_g = x.astype(float), g.astype(float)
    centre, spread = wide.mean(dims, keepdims=True), wide.var(dims, keepdims=True)
    root = 1 / np.sqrt(spread + 1e-5)
    normal = (wide - centre) * root
    scaled = wide_g * weight.astype(float).reshape(seen)
    slope = (scaled * normal).mean(dims, keepdims=True)
    by_x = (scaled - scaled.mean(dims, keepdims=True) - normal * slope) * root
    tolerance = 2e-4 if dtype == np.float32 else 1e-9
    want = normal * weight.reshape(seen) + bias.reshape(seen)
    np.testing.assert_allclose(got.detach().cpu().numpy(), want, tolerance, tolerance)
    count = x.size // shape[1]
    for mine, theirs in [
        (mean, centre.ravel()),
        (variance, spread.ravel() * count / (count - 1)),
        (inputs[0].grad, by_x),
        (inputs[1].grad, (wide_g * normal).sum(dims)),
        (inputs[2].grad, wide_g.sum(dims)),
    ]:
        np.testing.assert_allclose(mine.cpu().numpy(), theirs, tolerance, tolerance)


def test_batch_norm_of_equal_numbers_is_its_bias(device):
    x = gpukit.full((8, 2, 33), 1e4, device=device)
    got = F.batch_norm(x, None, None, None, gpukit.tensor([1.0, -2.0], device=device), True)
    assert got[:, 0].unique().tolist() == [1.0]
    assert got[:, 1].unique().tolist() == [-2.0]


def test_batch_norm_of_no_samples(device):
    x = gpukit.zeros(0, 3, 2, device=device, requires_grad=True)
    layer = nn.BatchNorm1d(3, device=device)
    layer(x).sum().backward()
    assert layer.weight.grad.tolist() == [0, 0, 0]
    assert layer.running_mean.tolist() == [0, 0, 0]


def cell(gates, before):
    """The definition, in float64."""
    i, f, g, o = np.split(gates.astype(float), 4, 1)
    i, f, o = (1 / (1 + np.exp(-each)) for each in (i, f, o))
    after = f * before.astype(float) + i * np.tanh(g)
    return o * np.tanh(after), after


@pytest.mark.parametrize("hidden", [1, 3, 8, 19])
@pytest.mark.parametrize("dtype", DTYPES)
def test_the_cell_of_an_lstm(hidden, dtype, device):
    gates, before = draw(5, 4 * hidden, dtype=dtype) * 3, draw(5, hidden, dtype=dtype)
    h, after, active = _core.lstm_cell_step(
        *(gpukit.tensor(each, device=device) for each in (gates, before))
    )
    want = cell(gates, before)
    tolerance = 1e-6 if dtype == np.float32 else 1e-12
    for mine, theirs in zip((h, after), want, strict=True):
        np.testing.assert_allclose(mine.cpu().numpy(), theirs, tolerance, tolerance)
    by_h, by_after = draw(5, hidden, dtype=dtype), draw(5, hidden, dtype=dtype)
    got = _core.lstm_cell_back(
        active,
        gpukit.tensor(before, device=device),
        after,
        *(gpukit.tensor(each, device=device) for each in (by_h, by_after)),
    )
    step = 1e-6
    for mine, number in zip(got, (0, 1), strict=True):
        inputs = [gates.astype(float), before.astype(float)]
        slopes = np.zeros_like(inputs[number])
        for place in np.ndindex(*slopes.shape):
            ends = []
            for sign in (1, -1):
                moved = [each.copy() for each in inputs]
                moved[number][place] += sign * step
                out, kept = cell(*moved)
                ends.append((out * by_h).sum() + (kept * by_after).sum())
            slopes[place] = (ends[0] - ends[1]) / (2 * step)
        np.testing.assert_allclose(mine.cpu().numpy(), slopes, 2e-5, 2e-5)


@pytest.mark.parametrize("reverse", [False, True])
def test_an_lstm_has_second_derivatives(reverse, device):
    layer = nn.LSTM(2, 2, bidirectional=reverse, device=device).double()
    x = gpukit.tensor(draw(3, 2, 2, dtype=np.float64), device=device, requires_grad=True)
    assert gpukit.autograd.gradcheck(lambda x: layer(x)[0], [x])
    assert gpukit.autograd.gradgradcheck(lambda x: layer(x)[0], [x])


def test_an_lstm_lets_go_of_its_graph():
    layer = nn.LSTM(2, 3)
    x = gpukit.ones(4, 1, 2, requires_grad=True)
    y, state = layer(x)
    held = weakref.ref(x)
    gc.disable()
    try:
        del x, y, state
        assert held() is None
    finally:
        gc.enable()


WRONG = [
    lambda: _core.lstm_cell_step(gpukit.ones(2, 6), gpukit.ones(2, 1)),
    lambda: _core.lstm_cell_step(gpukit.ones(2, 8), gpukit.ones(2, 3)),
    lambda: _core.lstm_cell_step(gpukit.ones(2, 8).double(), gpukit.ones(2, 2)),
    lambda: _core.lstm_cell_step(gpukit.ones(2, 8).long(), gpukit.ones(2, 2).long()),
    lambda: _core.max_pool(gpukit.ones(4), [2], [1, 1], [0], [1], [3]),
    lambda: _core.max_pool(gpukit.ones(4), [2], [1], [0], [1], [9]),
    lambda: _core.max_pool(gpukit.ones(1), [2], [1], [1], [2], [1]),
    lambda: _core.max_pool(gpukit.ones(4), [2], [0], [0], [1], [3]),
    lambda: _core.batch_norm_of_batch(gpukit.ones(4, 3), gpukit.ones(2)),
    lambda: _core.batch_norm_of_batch(gpukit.ones(4, 3), gpukit.ones(3).double()),
    lambda: _core.batch_norm_of_batch(gpukit.ones(4, 3).half()),
]


@pytest.mark.parametrize("call", WRONG)
def test_operands_that_do_not_fit_are_refused(call):
    with pytest.raises((gpukit.GpukitError, ValueError)):
        call()
