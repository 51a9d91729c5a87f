"""Every layer beside torch: state dicts both ways, also by file, and inputs that do not fit."""

from __future__ import annotations

import io
import random
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import gpukit

pytestmark = pytest.mark.filterwarnings("ignore")  # torch's

# A layer, and a shape that fits; int64 numbers below 4 where the layer takes those.
STATEFUL: dict[str, tuple[Callable[[Any], Any], tuple[int, ...]]] = {
    "Linear": (lambda nn: nn.Linear(3, 4), (2, 3)),
    "Embedding": (lambda nn: nn.Embedding(4, 3), (2, 2)),
    "EmbeddingBag": (lambda nn: nn.EmbeddingBag(4, 3), (2, 2)),
    "Conv1d": (lambda nn: nn.Conv1d(4, 6, 3, groups=2), (2, 4, 5)),
    "Conv2d": (lambda nn: nn.Conv2d(3, 4, (2, 3), padding=1), (2, 3, 4, 5)),
    "Conv3d": (lambda nn: nn.Conv3d(2, 3, 2), (2, 2, 3, 3, 3)),
    "ConvTranspose1d": (lambda nn: nn.ConvTranspose1d(4, 6, 3, 2), (2, 4, 5)),
    "ConvTranspose2d": (lambda nn: nn.ConvTranspose2d(3, 4, 2), (2, 3, 3, 3)),
    "ConvTranspose3d": (lambda nn: nn.ConvTranspose3d(2, 3, 2), (1, 2, 3, 3, 3)),
    "BatchNorm1d": (lambda nn: nn.BatchNorm1d(3), (4, 3)),
    "BatchNorm2d": (lambda nn: nn.BatchNorm2d(3), (2, 3, 2, 2)),
    "BatchNorm3d": (lambda nn: nn.BatchNorm3d(3, affine=False), (2, 3, 2, 2, 2)),
    "InstanceNorm1d": (lambda nn: nn.InstanceNorm1d(3, affine=True), (2, 3, 4)),
    "InstanceNorm2d": (
        lambda nn: nn.InstanceNorm2d(3, track_running_stats=True),
        (2, 3, 2, 3),
    ),
    "GroupNorm": (lambda nn: nn.GroupNorm(2, 4), (2, 4, 3)),
    "LayerNorm": (lambda nn: nn.LayerNorm((3, 4)), (2, 3, 4)),
    "RMSNorm": (lambda nn: nn.RMSNorm(4), (2, 4)),
    "PReLU": (lambda nn: nn.PReLU(3), (2, 3, 4)),
    "RNN": (lambda nn: nn.RNN(3, 4, 2, bidirectional=True), (5, 2, 3)),
    "LSTM": (lambda nn: nn.LSTM(3, 4, proj_size=2, batch_first=True), (2, 5, 3)),
    "LSTM of two layers": (lambda nn: nn.LSTM(3, 4, 2, bidirectional=True), (5, 2, 3)),
    "GRU": (lambda nn: nn.GRU(3, 4, bias=False), (5, 2, 3)),
    "RNNCell": (lambda nn: nn.RNNCell(3, 4), (2, 3)),
    "LSTMCell": (lambda nn: nn.LSTMCell(3, 4), (2, 3)),
    "GRUCell": (lambda nn: nn.GRUCell(3, 4), (2, 3)),
    "TransformerEncoderLayer": (
        lambda nn: nn.TransformerEncoderLayer(4, 2, 6, 0.0, batch_first=True),
        (2, 3, 4),
    ),
    "TransformerEncoder": (
        lambda nn: nn.TransformerEncoder(
            nn.TransformerEncoderLayer(4, 2, 6, 0.0), 2, enable_nested_tensor=False
        ),
        (3, 2, 4),
    ),
    "Sequential": (
        lambda nn: nn.Sequential(
            nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Flatten(), nn.Linear(8, 2)
        ),
        (2, 1, 4, 4),
    ),
}
STATELESS: dict[str, tuple[Callable[[Any], Any], tuple[int, ...]]] = {
    "MaxPool1d": (lambda nn: nn.MaxPool1d(2), (2, 3, 5)),
    "MaxPool2d": (lambda nn: nn.MaxPool2d(2, padding=1), (2, 3, 5, 4)),
    "MaxPool3d": (lambda nn: nn.MaxPool3d(2), (2, 3, 4, 4, 4)),
    "AvgPool2d": (lambda nn: nn.AvgPool2d(3), (2, 3, 5, 4)),
    "LPPool1d": (lambda nn: nn.LPPool1d(2, 3), (2, 3, 5)),
    "AdaptiveAvgPool2d": (lambda nn: nn.AdaptiveAvgPool2d(2), (2, 3, 5, 4)),
    "AdaptiveMaxPool2d": (lambda nn: nn.AdaptiveMaxPool2d(2), (2, 3, 5, 4)),
    "AdaptiveMaxPool1d": (lambda nn: nn.AdaptiveMaxPool1d(3), (2, 3, 5)),
    "PixelShuffle": (lambda nn: nn.PixelShuffle(2), (1, 4, 2, 2)),
    "ChannelShuffle": (lambda nn: nn.ChannelShuffle(2), (1, 4, 2, 2)),
    "LocalResponseNorm": (lambda nn: nn.LocalResponseNorm(2), (2, 3, 4)),
    "Unfold": (lambda nn: nn.Unfold(2), (1, 2, 3, 3)),
}


def given(name: str, shape: tuple[int, ...], seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if name.startswith("Embedding"):
        return rng.integers(0, 4, shape)
    return rng.standard_normal(shape).astype(np.float32)


def first(result: Any) -> Any:
    return result[0] if isinstance(result, tuple) else result


def same_outputs(mine: Any, theirs: Any, array: np.ndarray) -> None:
    got = first(mine(gpukit.tensor(array)))
    want = first(theirs(torch.tensor(array)))
    np.testing.assert_allclose(got.detach().numpy(), want.detach().numpy(), 2e-5, 2e-6)


@pytest.mark.parametrize("name", STATEFUL)
def test_state_dicts_go_both_ways(name):
    make, shape = STATEFUL[name]
    array = given(name, shape, 1)
    mine, theirs = make(gpukit.nn).eval(), make(torch.nn).eval()
    assert list(mine.state_dict()) == list(theirs.state_dict())
    file = io.BytesIO()
    torch.save(theirs.state_dict(), file)
    file.seek(0)
    mine.load_state_dict(gpukit.load(file))
    same_outputs(mine, theirs, array)
    other = make(gpukit.nn).eval()
    file = io.BytesIO()
    gpukit.save(other.state_dict(), file)
    file.seek(0)
    theirs.load_state_dict(torch.load(file, weights_only=True))
    same_outputs(other, theirs, array)


def drawn_shapes(shape: tuple[int, ...], count: int) -> list[tuple[int, ...]]:
    """Shapes near one that fits: other sizes, more and fewer dimensions."""
    rng = random.Random(repr(shape))
    shapes = []
    for _ in range(count):
        sizes = list(shape)
        for _ in range(rng.choice([1, 1, 2])):
            change = rng.random()
            if change < 0.6 and sizes:
                sizes[rng.randrange(len(sizes))] = rng.randint(1, 5)
            elif change < 0.8 and sizes:
                sizes.pop(rng.randrange(len(sizes)))
            else:
                sizes.insert(rng.randint(0, len(sizes)), rng.randint(1, 3))
        shapes.append(tuple(sizes))
    return shapes


def outcome(layer: Any, value: Any) -> tuple[int, ...] | Exception:
    try:
        return tuple(first(layer(value)).shape)
    except (RuntimeError, ValueError, IndexError, AssertionError, NotImplementedError) as error:
        return error


@pytest.mark.parametrize("name", {**STATEFUL, **STATELESS})
def test_inputs_that_do_not_fit(name):
    """Both refuse, and the error names the layer or its function, and the input's shape."""
    make, fitting = {**STATEFUL, **STATELESS}[name]
    mine, theirs = make(gpukit.nn).eval(), make(torch.nn).eval()
    refused = 0
    for seed, shape in enumerate(drawn_shapes(fitting, 40)):
        array = given(name, shape, seed)
        got, want = outcome(mine, gpukit.tensor(array)), outcome(theirs, torch.tensor(array))
        if not isinstance(want, Exception):
            assert got == want, f"{shape}: {got!r}, torch: {want}"
            continue
        assert isinstance(got, Exception), f"{shape}: {got}, torch: {want!r}"
        refused += 1
        text = str(got)
        assert re.match(r"\w[\w. ()]*: ", text), text
        assert "(" in text, f"{shape}: no shape in {text!r}"
    assert refused or name.startswith("Embedding")
