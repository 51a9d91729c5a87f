"""Recurrent layers, their cells and packed sequences beside torch: values, gradients, states."""

from __future__ import annotations

import io
import itertools
from collections import OrderedDict

import numpy as np
import pytest
import torch

import gpukit

KINDS = {
    "tanh": ("RNN", {}),
    "relu": ("RNN", {"nonlinearity": "relu"}),
    "LSTM": ("LSTM", {}),
    "projected": ("LSTM", {"proj_size": 2}),
    "GRU": ("GRU", {}),
}
FORMS = list(itertools.product([1, 2], [False, True], [False, True], [False, True]))


def tensors(value):
    """The tensors of a structure, in order."""
    if value is None:
        return []
    if isinstance(value, (tuple, list)):
        return [tensor for part in value for tensor in tensors(part)]
    return [value]


def twins(make):
    """A layer of each library with the same parameters, which are drawn by torch."""
    theirs = make(torch)
    mine = make(gpukit)
    state = OrderedDict((k, gpukit.tensor(v.numpy())) for k, v in theirs.state_dict().items())
    assert list(mine.state_dict()) == list(state)
    mine.load_state_dict(state)
    assert repr(mine) == repr(theirs)
    return {gpukit: mine, torch: theirs}


def agree(nets, call, *arrays, tolerance=1e-9):
    """What `call(library, net, *tensors)` gives, its gradients, and those of their squares."""
    found = []
    for library, net in nets.items():
        given = [library.tensor(a).requires_grad_() for a in arrays]
        out = [t for t in tensors(call(library, net, *given)) if t.is_floating_point()]
        sources = given + list(net.parameters())
        first = library.autograd.grad(sum((t * t).sum() for t in out), sources, create_graph=True)
        second = library.autograd.grad(sum((t * t).sum() for t in first), sources)
        found.append([t.detach() for t in [*out, *first, *second]])
    assert len(found[0]) == len(found[1])
    for mine, theirs in zip(*found, strict=True):
        assert tuple(mine.shape) == tuple(theirs.shape)
        np.testing.assert_allclose(mine.numpy(), theirs.numpy(), tolerance, tolerance)


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_layers(kind, form):
    name, options = KINDS[kind]
    layers, both, batch_first, bias = form
    nets = twins(
        lambda library: getattr(library.nn, name)(
            3,
            4,
            layers,
            bias=bias,
            batch_first=batch_first,
            bidirectional=both,
            dtype=library.float64,
            **options,
        )
    )
    rng = np.random.default_rng(layers)
    rows = layers * (2 if both else 1)
    sizes = [options.get("proj_size", 4)] + ([4] if name == "LSTM" else [])

    def states(*batch):
        return [rng.standard_normal((rows, *batch, size)) for size in sizes]

    def from_states(library, net, x, *given):
        return net(x, given if name == "LSTM" else given[0])

    def packed(library, net, x, *given):
        pack = library.nn.utils.rnn.pack_padded_sequence
        x = pack(x, [3, 5, 1], batch_first=True, enforce_sorted=False)
        return from_states(library, net, x, *given) if given else net(x)

    x, y = rng.standard_normal((2, 3, 3)), rng.standard_normal((3, 5, 3))
    agree(nets, lambda library, net, x: net(x), x)
    agree(nets, from_states, x, *states(2 if batch_first else 3))
    agree(nets, lambda library, net, x: net(x), x[0])
    agree(nets, from_states, x[0], *states())
    agree(nets, packed, y)
    agree(nets, packed, y, *states(3))


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("name", ["RNNCell", "LSTMCell", "GRUCell"])
def test_cells(name, bias):
    nets = twins(lambda library: getattr(library.nn, name)(3, 4, bias, dtype=library.float64))
    rng = np.random.default_rng(1)
    count = 2 if name == "LSTMCell" else 1
    for batch in ((5,), ()):
        x = rng.standard_normal((*batch, 3))
        states = [rng.standard_normal((*batch, 4)) for _ in range(count)]

        def stepped(library, net, x, *given):
            return net(x, given if len(given) == 2 else given[0])

        agree(nets, stepped, x, *states)
        first = next(iter(nets.items()))
        assert tensors(first[1](first[0].tensor(x)))[0].shape == (*batch, 4)
        agree(nets, lambda library, net, x: [net(x, None), stepped_zeros(library, net, x)], x)


def stepped_zeros(library, net, x):
    """A second step from the states of a first one."""
    return net(x, net(x))


def test_relu_cell():
    nets = twins(
        lambda library: library.nn.RNNCell(2, 3, nonlinearity="relu", dtype=library.float64)
    )
    agree(nets, lambda library, net, x: net(x), np.ones((2, 2)))
    for library in nets:
        with pytest.raises(RuntimeError):
            library.nn.RNNCell(2, 3, nonlinearity="gelu")(library.ones(1, 2))


@pytest.mark.parametrize("name", ["RNN", "LSTM", "GRU"])
def test_states_are_files_of_both(name, tmp_path):
    nets = twins(lambda library: getattr(library.nn, name)(3, 4, 2, bidirectional=True))
    gpukit.save(nets[gpukit].state_dict(), tmp_path / "a.pt")
    torch.save(nets[torch].state_dict(), tmp_path / "b.pt")
    other = getattr(torch.nn, name)(3, 4, 2, bidirectional=True)
    other.load_state_dict(torch.load(tmp_path / "a.pt"))
    mine = getattr(gpukit.nn, name)(3, 4, 2, bidirectional=True)
    mine.load_state_dict(gpukit.load(tmp_path / "b.pt"))
    x = np.ones((2, 1, 3), np.float32)
    a, b = mine(gpukit.tensor(x))[0], other(torch.tensor(x))[0]
    np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), 1e-5, 1e-6)


def test_halves_and_single():
    for dtype in ("float32", "bfloat16", "float16"):
        nets = twins(lambda library: library.nn.LSTM(3, 4))
        for library, net in nets.items():
            net.to(getattr(library, dtype))
        x = np.linspace(-1, 1, 18).reshape(3, 2, 3)
        out = [net(lib.tensor(x, dtype=getattr(lib, dtype)))[0] for lib, net in nets.items()]
        a, b = (each.detach().float().numpy() for each in out)
        assert str(out[0].dtype) == str(out[1].dtype).replace("torch", "gpukit")
        np.testing.assert_allclose(a, b, atol=1e-5 if dtype == "float32" else 2e-2)


SEQUENCES = [np.arange(6.0).reshape(3, 2), np.ones((1, 2)), np.full((4, 2), 7.0)]


@pytest.mark.parametrize("batch_first", [True, False])
def test_packing(batch_first):
    def run(library, net, *parts):
        rnn = library.nn.utils.rnn
        packed = rnn.pack_sequence(list(parts), enforce_sorted=False)
        padded, lengths = rnn.pad_packed_sequence(packed, batch_first, -1.0, 6)
        left = rnn.pad_sequence(list(parts), batch_first, 2.5, "left")
        assert lengths.tolist() == [3, 1, 4]
        assert packed.batch_sizes.tolist() == [3, 2, 2, 1]
        assert packed.sorted_indices.tolist() == [2, 0, 1]
        assert packed.unsorted_indices.tolist() == [1, 2, 0]
        again = rnn.pack_padded_sequence(padded, lengths, batch_first, enforce_sorted=False)
        return (
            packed.data,
            padded,
            left,
            again.data,
            rnn.unpack_sequence(packed),
            rnn.unpad_sequence(padded.clone(), lengths, batch_first),
        )

    nets = {gpukit: gpukit.nn.Identity(), torch: torch.nn.Identity()}
    agree(nets, run, *SEQUENCES)


def test_packed_sequences_are_named_tuples():
    for library in (gpukit, torch):
        made = library.nn.utils.rnn.pack_sequence([library.tensor([1, 2]), library.tensor([3])])
        assert isinstance(made, tuple)
        assert type(made)._fields == ("data", "batch_sizes", "sorted_indices", "unsorted_indices")
        kinds = ["double", "float", "half", "long", "int", "short", "char", "byte"]
        dtypes = ["float64", "float32", "float16", "int64", "int32", "int16", "int8", "uint8"]
        for kind, dtype in zip(kinds, dtypes, strict=True):
            assert getattr(made, kind)().data.dtype is getattr(library, dtype)
        assert made.to(library.int64) is made
        assert not made.is_cuda
        again = type(made)((made.data, made.batch_sizes))
        assert again.batch_sizes is made.batch_sizes
        text = "PackedSequence(data=tensor([1, 3, 2]), batch_sizes=tensor([2, 1])"
        assert repr(made).startswith(text)


MISTAKES = {
    "input_size": lambda t: t.nn.LSTM(0, 3),
    "hidden_size": lambda t: t.nn.GRU(2, 0),
    "num_layers": lambda t: t.nn.GRU(2, 3, 0),
    "proj_size": lambda t: t.nn.LSTM(2, 3, proj_size=3),
    "dropout": lambda t: t.nn.RNN(2, 3, 2, dropout=1.5),
    "nonlinearity": lambda t: t.nn.RNN(2, 3, nonlinearity="gelu"),
    "a float": lambda t: t.nn.RNN(2.5, 3),
    "bias": lambda t: t.nn.RNN(2, 3, bias=1),
    "features": lambda t: t.nn.LSTM(2, 3)(t.ones(4, 1, 5)),
    "rank": lambda t: t.nn.LSTM(2, 3)(t.ones(2)),
    "dtype": lambda t: t.nn.LSTM(2, 3)(t.ones(4, 1, 2).double()),
    "no steps": lambda t: t.nn.LSTM(2, 3)(t.ones(0, 1, 2)),
    "state": lambda t: t.nn.GRU(2, 3)(t.ones(4, 1, 2), t.ones(1, 2, 3)),
    "rank of the state": lambda t: t.nn.GRU(2, 3)(t.ones(4, 1, 2), t.ones(1, 3)),
    "cell": lambda t: t.nn.LSTM(2, 3)(t.ones(4, 1, 2), (t.ones(1, 1, 3), t.ones(1, 1, 2))),
    "cell's input": lambda t: t.nn.GRUCell(2, 3)(t.ones(4, 5)),
    "cell's rank": lambda t: t.nn.GRUCell(2, 3)(t.ones(1, 1, 2)),
    "cell's state": lambda t: t.nn.LSTMCell(2, 3)(t.ones(4, 2), (t.ones(4, 3), t.ones(3, 3))),
    "unsorted": lambda t: t.nn.utils.rnn.pack_padded_sequence(t.ones(3, 2), [1, 3]),
    "length 0": lambda t: t.nn.utils.rnn.pack_padded_sequence(t.ones(3, 2), [1, 0]),
    "lengths": lambda t: t.nn.utils.rnn.pack_padded_sequence(t.ones(3, 2), [1]),
    "nothing": lambda t: t.nn.utils.rnn.pad_sequence([]),
    "side": lambda t: t.nn.utils.rnn.pad_sequence([t.ones(2)], padding_side="top"),
    "trailing": lambda t: t.nn.utils.rnn.pad_sequence([t.ones(2, 2), t.ones(2, 3)]),
    "total": lambda t: t.nn.utils.rnn.pad_packed_sequence(
        t.nn.utils.rnn.pack_sequence([t.ones(3)]), total_length=2
    ),
    "unpadding": lambda t: t.nn.utils.rnn.unpad_sequence(t.ones(3, 2), t.tensor([3])),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_raise_the_same_classes(name):
    with pytest.raises(Exception) as theirs:
        MISTAKES[name](torch)
    with pytest.raises(theirs.type):
        MISTAKES[name](gpukit)


def test_a_dropout_of_one_layer_warns():
    for library in (torch, gpukit):
        with pytest.warns(UserWarning, match="num_layers"):
            library.nn.LSTM(2, 3, dropout=0.5)


def test_long_sequences_agree_in_single_precision():
    nets = twins(lambda library: library.nn.GRU(8, 16, 2, batch_first=True))
    x = np.random.default_rng(0).standard_normal((4, 100, 8)).astype(np.float32)
    a, b = (net(library.tensor(x))[0] for library, net in nets.items())
    np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), 1e-4, 1e-5)


def test_pickles(tmp_path):
    layer = gpukit.nn.LSTM(2, 3)
    gpukit.save(layer.state_dict(), buffer := io.BytesIO())
    buffer.seek(0)
    theirs = torch.nn.LSTM(2, 3)
    theirs.load_state_dict(torch.load(buffer))
    assert theirs.weight_ih_l0.tolist() == layer.weight_ih_l0.tolist()
