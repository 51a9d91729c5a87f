"""Recurrent layers beside their equations in NumPy; packed sequences beside single ones."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import gpukit
from gpukit import nn
from gpukit.nn.utils import rnn

RNG = np.random.default_rng(3)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def equations(name, x, w, states):
    """One layer and direction over (steps, batch, features), step by step."""
    outputs = []
    for now in x:
        h = states[0]
        a = now @ w["weight_ih"].T + w["bias_ih"]
        b = h @ w["weight_hh"].T + w["bias_hh"]
        if name == "LSTM":
            i, f, g, o = np.split(a + b, 4, axis=1)
            c = sigmoid(f) * states[1] + sigmoid(i) * np.tanh(g)
            states = [sigmoid(o) * np.tanh(c), c]
        elif name == "GRU":
            (ar, az, an), (br, bz, bn) = np.split(a, 3, axis=1), np.split(b, 3, axis=1)
            r, z = sigmoid(ar + br), sigmoid(az + bz)
            states = [(1 - z) * np.tanh(an + r * bn) + z * h]
        else:
            states = [np.tanh(a + b)]
        outputs.append(states[0])
    return np.stack(outputs), states


def weights(layer, suffix):
    kinds = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    return {k: getattr(layer, k + suffix).detach().cpu().numpy().astype(float) for k in kinds}


@pytest.mark.parametrize("name", ["RNN", "LSTM", "GRU"])
def test_two_layers_in_two_directions(name, device):
    layer = getattr(nn, name)(3, 4, 2, bidirectional=True).to(device)
    x = RNG.standard_normal((5, 2, 3))
    output, last = layer(gpukit.tensor(x, dtype=gpukit.float32, device=device))
    count = 2 if name == "LSTM" else 1
    want, ends = x, []
    for k in range(2):
        zeros = [np.zeros((2, 4))] * count
        forward, end = equations(name, want, weights(layer, f"_l{k}"), zeros)
        ends.append(end)
        back, end = equations(name, want[::-1], weights(layer, f"_l{k}_reverse"), zeros)
        ends.append(end)
        want = np.concatenate([forward, back[::-1]], -1)
    np.testing.assert_allclose(output.detach().cpu().numpy(), want, 1e-4, 1e-5)
    for i, given in enumerate(last if name == "LSTM" else (last,)):
        ended = np.stack([end[i] for end in ends])
        np.testing.assert_allclose(given.detach().cpu().numpy(), ended, 1e-4, 1e-5)
    assert output.device == layer.weight_ih_l0.device


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("name", ["RNN", "LSTM", "GRU"])
def test_packed_sequences_are_computed_one_by_one(name, both, device):
    layer = getattr(nn, name)(3, 4, 2, bidirectional=both).to(device)
    parts = [gpukit.randn(length, 3, device=device) for length in (2, 5, 1, 3)]
    output, last = layer(rnn.pack_sequence(parts, enforce_sorted=False))
    lasts = last if name == "LSTM" else (last,)
    for i, (part, whole) in enumerate(zip(parts, rnn.unpack_sequence(output), strict=True)):
        alone, ends = layer(part)
        assert gpukit.allclose(alone, whole, atol=1e-5)
        for given, end in zip(lasts, ends if name == "LSTM" else (ends,), strict=True):
            assert gpukit.allclose(given[:, i], end, atol=1e-5)


@pytest.mark.parametrize("name", ["RNN", "LSTM", "GRU"])
def test_cells_are_steps_of_the_layers(name, device):
    layer = getattr(nn, name)(3, 4).to(device)
    cell = getattr(nn, f"{name}Cell")(3, 4).to(device)
    cell.load_state_dict({k.removesuffix("_l0"): v for k, v in layer.state_dict().items()})
    x = gpukit.randn(4, 2, 3, device=device)
    output, last = layer(x)
    state = None
    for step, want in zip(x, output, strict=True):
        state = cell(step, state)
        assert gpukit.allclose(state[0] if name == "LSTM" else state, want, atol=1e-5)
    end = last[1] if name == "LSTM" else last
    assert gpukit.allclose(state[1] if name == "LSTM" else state, end[0], atol=1e-5)


@pytest.mark.parametrize("name", ["RNN", "LSTM", "GRU"])
def test_a_step_of_training(name, device):
    """The gradient of a weight beside a difference quotient."""
    layer = getattr(nn, name)(2, 3, dtype=gpukit.float64).to(device)
    x = gpukit.tensor(RNG.standard_normal((6, 2, 2)), device=device)

    def loss():
        return layer(x)[0].square().sum()

    loss().backward()
    for parameter in layer.parameters():
        place = (0,) * parameter.ndim
        found = parameter.grad[place].item()
        values = []
        for step in (1e-6, -2e-6):
            parameter.detach()[place] += step
            values.append(loss().item())
        parameter.detach()[place] += 1e-6
        assert found == pytest.approx((values[0] - values[1]) / 2e-6, rel=1e-5, abs=1e-7)


def test_first_values():
    for name in ("RNN", "LSTM", "GRU", "RNNCell", "LSTMCell", "GRUCell"):
        layer = getattr(nn, name)(50, 100)
        for parameter in layer.parameters():
            assert -0.1 <= parameter.min().item() < -0.08
            assert 0.08 < parameter.max().item() <= 0.1


def test_dropout_is_between_layers_while_training(device):
    layer = nn.RNN(1, 400, 2, nonlinearity="relu", bias=False, dropout=0.25).to(device)
    with gpukit.no_grad():
        layer.weight_ih_l0.fill_(1)
        layer.weight_hh_l0.zero_()
        layer.weight_hh_l1.zero_()
        layer.weight_ih_l1.copy_(gpukit.eye(400))
    x = gpukit.ones(20, 5, 1, device=device)
    output = layer(x)[0]
    dropped = (output == 0).float().mean().item()
    assert dropped == pytest.approx(0.25, abs=0.015)  # 40 000 elements: 7 standard deviations
    kept = output[output != 0]
    assert gpukit.allclose(kept, gpukit.full_like(kept, 4 / 3))
    assert layer.eval()(x)[0].min().item() == 1


def test_copies_and_devices_share_nothing(device):
    layer = nn.LSTM(2, 3)
    other = copy.deepcopy(layer).to(device)
    x = gpukit.ones(2, 1, 2)
    assert gpukit.allclose(layer(x)[0], other(x.to(device))[0].cpu(), atol=1e-6)
    with gpukit.no_grad():
        other.weight_ih_l0.zero_()
    assert not gpukit.allclose(layer(x)[0], other(x.to(device))[0].cpu(), atol=1e-6)
    layer.flatten_parameters()
    assert [[p.shape for p in each] for each in layer.all_weights] == [
        [(12, 2), (12, 3), (12,), (12,)]
    ]


def test_several_devices():
    net = nn.DataParallel(nn.GRU(2, 3, batch_first=True), ["cpu", "cpu"])
    x = gpukit.randn(4, 5, 2)
    assert gpukit.allclose(net(x)[0], net.module(x)[0], atol=1e-6)


def test_packing_by_hand(device):
    padded = gpukit.tensor([[1, 2, 0], [3, 0, 0], [4, 5, 6]], device=device)
    packed = rnn.pack_padded_sequence(padded, [2, 1, 3], batch_first=True, enforce_sorted=False)
    assert packed.data.tolist() == [4, 1, 3, 5, 2, 6]
    assert packed.batch_sizes.tolist() == [3, 2, 1]
    assert packed.data.device == padded.device
    back, lengths = rnn.pad_packed_sequence(packed, batch_first=True, padding_value=-1)
    assert back.tolist() == [[1, 2, -1], [3, -1, -1], [4, 5, 6]]
    assert lengths.tolist() == [2, 1, 3]
    assert [part.tolist() for part in rnn.unpack_sequence(packed)] == [[1, 2], [3], [4, 5, 6]]
    assert packed.to("cpu").data.device.type == "cpu"
    assert rnn.pad_sequence(padded.unbind(0)).tolist() == padded.t().tolist()


def test_unpadding_leaves_its_argument(device):
    padded = gpukit.arange(6, device=device).reshape(3, 2)
    parts = rnn.unpad_sequence(padded, gpukit.tensor([3, 1]))
    assert [part.tolist() for part in parts] == [[0, 2, 4], [1]]
    assert padded.shape == (3, 2)


REFUSED = {
    "features": (
        lambda: nn.LSTM(10, 20)(gpukit.ones(5, 3, 12)),
        r"LSTM: input is \(5, 3, 12\), weight_ih_l0 is \(80, 10\).*\(15, 12\) @ \(10, 80\)",
    ),
    "state": (
        lambda: nn.GRU(10, 20, 2)(gpukit.ones(5, 3, 10), gpukit.ones(1, 3, 20)),
        r"GRU: hx is \(1, 3, 20\) and input \(5, 3, 10\); hx must be \(2, 3, 20\): "
        r"\(num_layers 2 \* directions 1, batch, hidden_size\)",
    ),
    "inner": (
        lambda: nn.Sequential(nn.Flatten(0), nn.RNN(2, 3))(gpukit.ones(4)),
        r"1 \(RNN\): input is \(4,\); it must be \(steps, batch, features\) or",
    ),
    "dtype": (
        lambda: nn.RNN(2, 3)(gpukit.ones(4, 2).double()),
        r"RNN: input is gpukit.float64, weight_ih_l0 is gpukit.float32. Use input.to",
    ),
    "cell": (
        lambda: nn.LSTMCell(2, 3)(gpukit.ones(4, 5)),
        r"LSTMCell: input is \(4, 5\), weight_ih is \(12, 2\).*\(4, 5\) @ \(2, 12\)",
    ),
    "cell's state": (
        lambda: nn.GRUCell(2, 3)(gpukit.ones(4, 2), gpukit.ones(5, 3)),
        r"GRUCell: hx is \(5, 3\) and input \(4, 2\); hx must be \(4, 3\)",
    ),
    "packed": (
        lambda: rnn.pack_padded_sequence(gpukit.ones(3, 2), [3, 4, 1]),
        r"input \(3, 2\) is \(longest, sequences, …\) with 2 sequences, lengths has 3",
    ),
    "too long": (
        lambda: rnn.pack_padded_sequence(gpukit.ones(3, 2), [4, 1]),
        r"lengths has 4, but input \(3, 2\) is \(longest, sequences, …\) with 3 steps",
    ),
    "not packed": (
        lambda: rnn.pad_packed_sequence(gpukit.ones(2)),
        r"sequence must be a PackedSequence",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_fit_is_answered_with_the_arithmetic(name):
    call, text = REFUSED[name]
    with pytest.raises((gpukit.GpukitError, TypeError), match=text):
        call()


def test_an_lstm_wants_a_pair():
    for hx in (gpukit.ones(1, 1, 3), (gpukit.ones(1, 1, 3),)):
        with pytest.raises(TypeError, match=r"hx must be \(h, c\)"):
            nn.LSTM(2, 3)(gpukit.ones(4, 1, 2), hx)
