"""All steps of an LSTM in one operation, beside the composed steps and beside NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import gpukit
from gpukit import _core
from gpukit.nn._lstm_steps import LSTMSteps
from gpukit.nn._recurrence import _composed_lstm

RNG = np.random.default_rng(24)


def draw(*sizes):
    return RNG.standard_normal(sizes) * 0.3


def results(way, arrays, gradients, device, dtype):
    inputs = [
        gpukit.tensor(each, dtype=dtype, device=device, requires_grad=True) for each in arrays
    ]
    outputs = way(*inputs)
    found = gpukit.autograd.grad(
        outputs, inputs, [gpukit.tensor(each, dtype=dtype, device=device) for each in gradients]
    )
    return [each.detach().cpu().numpy() for each in (*outputs, *found)]


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("sizes", [(1, 1, 1), (3, 2, 9), (4, 13, 33), (2, 40, 20)])
def test_values_and_gradients(sizes, reverse, device):
    steps, rows, hidden = sizes
    arrays = (
        draw(rows, steps, 4 * hidden),
        draw(rows, hidden),
        draw(rows, hidden),
        draw(4 * hidden, hidden),
    )
    gradients = (draw(steps, rows, hidden), draw(rows, hidden))

    def mine(gates, h, c, weight):
        return LSTMSteps.apply(gates.transpose(0, 1), h, c, weight, reverse, _composed_lstm)

    def composed(gates, h, c, weight):
        return _composed_lstm(gates.transpose(0, 1), h, c, weight, reverse)

    exact = results(composed, arrays, gradients, device, gpukit.float64)
    for dtype, tolerance in ((gpukit.float32, 2e-5), (gpukit.float64, 1e-11)):
        got = results(mine, arrays, gradients, device, dtype)
        for one, other in zip(got, exact, strict=True):
            np.testing.assert_allclose(one, other, tolerance, tolerance)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("hidden", [300, 400])
def test_deep_and_large_weights_on_the_cpu(hidden, threads):
    """More than a block of the depth; more than stays in the cache."""
    arrays = (draw(2, 7, 4 * hidden), draw(7, hidden), draw(7, hidden), draw(4 * hidden, hidden))
    gradients = (draw(2, 7, hidden), draw(7, hidden))
    before = gpukit.get_num_threads()
    gpukit.set_num_threads(threads)
    try:
        got = results(
            lambda *t: LSTMSteps.apply(*t, False, _composed_lstm),
            arrays,
            gradients,
            "cpu",
            gpukit.float32,
        )
    finally:
        gpukit.set_num_threads(before)
    exact = results(lambda *t: _composed_lstm(*t, False), arrays, gradients, "cpu", gpukit.float64)
    for one, other in zip(got, exact, strict=True):
        np.testing.assert_allclose(one, other, 0, 2e-5 * max(1, np.abs(other).max()))


def test_gates_are_those_of_each_step_or_of_one():
    gates = gpukit.tensor(draw(3, 2, 8))
    given = (gates, gpukit.zeros(2, 2).double(), gpukit.zeros(2, 2).double())
    weight = gpukit.tensor(draw(8, 2))
    *_, kept = _core.lstm_steps(*given, weight, False, True)
    *_, one = _core.lstm_steps(*given, weight, False, False)
    assert kept.shape == (3, 2, 8)
    assert one.shape == (1, 2, 8)
    assert gpukit.equal(kept[2], one[0])


@pytest.mark.parametrize("batch_first", [False, True])
def test_a_batch_of_no_rows(batch_first):
    layer = gpukit.nn.LSTM(2, 3, batch_first=batch_first)
    y, (h, _) = layer(gpukit.zeros(0, 4, 2) if batch_first else gpukit.zeros(4, 0, 2))
    assert y.shape == ((0, 4, 3) if batch_first else (4, 0, 3))
    assert h.shape == (1, 0, 3)


def step(gates, h, c, weight):
    return _core.lstm_steps(gates, h, c, weight, False, True)


def back(active, cells, c, weight, by_outputs, by_cell):
    return _core.lstm_steps_back(active, cells, c, weight, by_outputs, by_cell, False)


G, S, W = gpukit.ones(3, 2, 8), gpukit.ones(2, 2), gpukit.ones(8, 2)
Y = gpukit.ones(3, 2, 2)
WRONG = [
    lambda: step(G[0], S, S, W),
    lambda: step(G[:, :, :6], S, S, W),
    lambda: step(G[:0], S, S, W),
    lambda: step(G, S[:1], S, W),
    lambda: step(G, S, Y, W),
    lambda: step(G, S, S, W.t()),
    lambda: step(G, S, S, W.double()),
    lambda: step(G.long(), S.long(), S.long(), W.long()),
    lambda: back(G, Y[:1], S, W, Y, S),
    lambda: back(G, Y, S, W, Y[:1], S),
    lambda: back(G, Y, S, W, Y, S.double()),
]


@pytest.mark.parametrize("call", WRONG)
def test_operands_that_do_not_fit_are_refused(call):
    with pytest.raises(gpukit.GpukitError):
        call()


@pytest.mark.parametrize("bidirectional", [False, True])
def test_without_gradients_the_gates_of_one_step_are_kept(bidirectional, device, monkeypatch):
    layer = gpukit.nn.LSTM(3, 5, bidirectional=bidirectional).to(device)
    x = gpukit.tensor(draw(4, 2, 3), dtype=gpukit.float32, device=device)
    recorded = layer(x)
    kept = []

    def spy(*arguments):
        results = inner(*arguments)
        kept.append(tuple(results[2].shape))
        return results

    inner = _core.lstm_steps
    monkeypatch.setattr(_core, "lstm_steps", spy)
    with gpukit.no_grad():
        alone = layer(x)
    assert kept == [(1, 2, 20)] * (2 if bidirectional else 1)
    for one, other in zip((recorded[0], *recorded[1]), (alone[0], *alone[1]), strict=True):
        np.testing.assert_array_equal(one.detach().cpu().numpy(), other.cpu().numpy())
