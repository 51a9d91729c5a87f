# ruff: noqa: E501 - a row is a line
"""Classes of errors beside torch's: a handler that catches torch's error catches gpukit's."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import gpukit

ROWS = """
nn.Embedding(5, 2, padding_idx=7)
nn.Embedding(5, 2, padding_idx=-7)
nn.Embedding.from_pretrained(o(3))
nn.Embedding(5, 2, _weight=o(2, 2))
F.embedding(t.tensor([0]), o(2, 2), padding_idx=5)
nn.EmbeddingBag.from_pretrained(o(3))
nn.EmbeddingBag(5, 2, padding_idx=9)
nn.MultiheadAttention(7, 2)
nn.MultiheadAttention(4, 2)(o(1, 1, 3), o(1, 1, 3), o(1, 1, 3))
nn.MultiheadAttention(4, 2)(o(3, 1, 4), o(2, 1, 4), o(3, 1, 4))
nn.MultiheadAttention(4, 2)(o(3, 1, 4), o(3, 1, 4), o(3, 1, 4), attn_mask=o(2, 2))
nn.MultiheadAttention(4, 2)(o(3, 1, 4), o(3, 1, 4), o(3, 1, 4), key_padding_mask=o(2, 2).bool())
nn.MultiheadAttention(4, 2)(o(3, 1, 4), o(3, 1), o(3, 1, 4))
nn.LSTM(3, 4)(o(3))
nn.GRU(3, 5)(o(3))
nn.LSTMCell(3, 4)(o(1, 1, 3))
nn.GRUCell(3, 4)(o(3)[None, None])
nn.RNNCell(3, 4)(o(2, 2, 3))
nn.GroupNorm(3, 4)
nn.Conv2d(3, 4, 3, groups=2)
nn.AdaptiveLogSoftmaxWithLoss(4, 5, [9])
nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2), 1)(o(3))
nn.TransformerEncoderLayer(4, 2)(o(3))
nn.Transformer(4, 2)(o(2, 1, 3), o(2, 1, 4))
nn.Dropout(2.0)
nn.ReflectionPad2d(3)(o(1, 1, 2, 2))
F.glu(o(3))
t.utils.data.RandomSampler([1], num_samples=0)
t.utils.data.random_split([1, 2], [1, 2])
t.utils.data.TensorDataset(o(2), o(3))
t.utils.data.DataLoader([1], batch_size=0)
t.utils.data.ConcatDataset([])
t.utils.data.StackDataset([1], [1, 2])
nn.ModuleDict([1])
nn.Sequential(1)
nn.CrossEntropyLoss(reduction='x')(o(1, 2), t.tensor([0]))
nn.CrossEntropyLoss(label_smoothing=2.0)(o(1, 2), t.tensor([0]))
nn.TripletMarginLoss(margin=-1.0)
nn.TripletMarginWithDistanceLoss(margin=0)
nn.utils.parameters_to_vector([])
nn.utils.vector_to_parameters(1, [o(1)])
nn.init.orthogonal_(o(3))
nn.init.dirac_(o(3))
nn.init.xavier_uniform_(o(3))
nn.init.eye_(o(3))
nn.init.calculate_gain('x')
t.optim.lr_scheduler.StepLR(1, 1)
t.optim.lr_scheduler.CyclicLR(t.optim.SGD([o(1).requires_grad_()], 0.1), 1.0, 2.0, cycle_momentum=True)
t.optim.lr_scheduler.CosineAnnealingWarmRestarts(t.optim.SGD([o(1).requires_grad_()], 0.1), 0)
t.optim.lr_scheduler.OneCycleLR(t.optim.SGD([o(1).requires_grad_()], 0.1), 1.0)
t.optim.SGD([], 0.1)
t.optim.Adam([o(1).requires_grad_()], lr=-1.0)
nn.PixelShuffle(2)(o(1, 3, 2, 2))
nn.Fold(2, 2)(o(1, 3, 3))
nn.Upsample()(o(1, 1, 2))
F.scaled_dot_product_attention(o(1, 2), o(1, 2), o(1, 2), attn_mask=o(1, 1), is_causal=True)
nn.utils.rnn.pack_padded_sequence(o(2, 2, 1), [1, 2])
nn.utils.rnn.pack_padded_sequence(o(2, 2, 1), [1, 0])
nn.utils.rnn.pad_sequence([])
nn.LayerNorm(3)(o(2, 2))
nn.BatchNorm1d(2)(o(2, 2, 2, 2))
nn.BatchNorm1d(2)(o(1, 2))
nn.InstanceNorm1d(2)(o(2, 2, 2, 2))
nn.Bilinear(1, 1, 1)(o(1, 2), o(1, 1))
"""
CLASSES = (
    AssertionError,
    AttributeError,
    IndexError,
    KeyError,
    NotImplementedError,
    RuntimeError,
    TypeError,
    ValueError,
)


def classes_of(library: Any, row: str) -> set[str]:
    """The built-in classes of the error that a row raises; none where it raises nothing."""
    names = {"t": library, "nn": library.nn, "F": library.nn.functional, "o": library.ones}
    try:
        eval(row, names)
    except Exception as error:
        return {kind.__name__ for kind in CLASSES if isinstance(error, kind)}
    return set()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("row", ROWS.strip().splitlines())
def test_is_of_torchs_classes(row: str) -> None:
    want = classes_of(torch, row)
    got = classes_of(gpukit, row)
    assert want <= got
    assert bool(want) == bool(got)
