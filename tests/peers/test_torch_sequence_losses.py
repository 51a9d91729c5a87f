"""CTC, several labels, triplets by any distance, and products of three, beside torch."""

from __future__ import annotations

import random

import numpy as np
import pytest
import torch

import gpukit


def close(mine, theirs, tolerance=1e-8):
    assert tuple(mine.shape) == tuple(theirs.shape)
    got = np.array(mine.detach().tolist(), float).reshape(tuple(theirs.shape))
    np.testing.assert_allclose(got, theirs.detach().numpy(), tolerance, tolerance)


def compare(call, *arrays):
    results = []
    for t in (gpukit, torch):
        inputs = [t.tensor(each, requires_grad=True) for each in arrays]
        result = call(t, *inputs)
        steps = np.arange(1.0, result.numel() + 1).reshape(tuple(result.shape))
        result.backward(t.tensor(steps))
        results.append([result, *(each.grad for each in inputs)])
    for mine, theirs in zip(*results, strict=True):
        close(mine, theirs)


@pytest.mark.parametrize("number", range(60))
def test_ctc(number):
    rng, numbers = random.Random(number), np.random.default_rng(number)
    steps, batch, classes, longest = rng.randint(3, 8), rng.randint(1, 4), rng.randint(2, 5), 3
    blank = rng.choice([0, classes - 1])
    labels = [c for c in range(classes) if c != blank]
    inputs = [rng.randint(2, steps) for _ in range(batch)]
    counts = [rng.randint(0, longest) for _ in range(batch)]
    if number % 4 == 0:  # labels that fit
        inputs, counts = [steps] * batch, [1] * batch
    rows = numbers.choice(labels, (batch, longest))
    flat = np.concatenate([rows[i, :count] for i, count in enumerate(counts)])
    targets = flat if rng.random() < 0.4 else rows
    options = {
        "blank": blank,
        "reduction": rng.choice(["mean", "sum", "none"]),
        "zero_infinity": number % 2 == 1,
    }
    lengths = rng.random() < 0.5

    def call(t, x):
        given = [t.tensor(inputs), t.tensor(counts)] if lengths else [tuple(inputs), tuple(counts)]
        return t.nn.functional.ctc_loss(x, t.tensor(targets), *given, **options)

    array = numbers.standard_normal((steps, batch, classes))
    array -= np.log(np.exp(array).sum(2, keepdims=True))
    compare(call, array)


def test_ctc_of_one_sequence():
    array = np.log(np.full((5, 3), 1 / 3))
    compare(lambda t, x: t.nn.CTCLoss()(x, t.tensor([1, 1]), t.tensor([5]), t.tensor([2])), array)


def test_ctc_trains_logits():
    """The derivative is that of the logits: loss of logits by finite differences."""
    rng = np.random.default_rng(3)
    logits = gpukit.tensor(rng.standard_normal((6, 2, 4)), requires_grad=True)
    targets = gpukit.tensor([[1, 2, 2], [3, 1, 1]])

    def loss(x):
        return gpukit.nn.functional.ctc_loss(x.log_softmax(2), targets, [6, 5], [3, 2])

    assert gpukit.autograd.gradcheck(loss, [logits])


WRONG = {
    "a longer input": ([9, 2], [1, 1], [[1, 1], [1, 1]], 0),
    "a negative length": ([4, -1], [1, 1], [[1, 1], [1, 1]], 0),
    "a length too few": ([4], [1, 1], [[1, 1], [1, 1]], 0),
    "more labels than there are": ([4, 4], [3, 1], [[1, 1], [1, 1]], 0),
    "a blank that is no class": ([4, 4], [1, 1], [[1, 1], [1, 1]], 5),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_ctc_refuses(name):
    inputs, counts, targets, blank = WRONG[name]
    for t in (torch, gpukit):
        with pytest.raises((RuntimeError, ValueError)):
            t.nn.functional.ctc_loss(
                t.zeros(4, 2, 3), t.tensor(targets), tuple(inputs), tuple(counts), blank
            )


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_several_labels(reduction):
    rng = np.random.default_rng(5)
    scores = rng.standard_normal((3, 4))
    labels = np.array([[3, 0, -1, 1], [2, -1, 0, 0], [-1, 0, 1, 2]])
    call = lambda t, x: t.nn.MultiLabelMarginLoss(reduction=reduction)(x, t.tensor(labels))  # noqa: E731
    compare(call, scores)
    compare(
        lambda t, x: t.nn.MultiLabelMarginLoss(reduction=reduction)(x, t.tensor(labels[0])),
        scores[0],
    )


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_triplets_by_any_distance(swap, reduction):
    rng = np.random.default_rng(6)
    arrays = [rng.standard_normal((4, 3)) for _ in range(3)]
    for distance in (None, lambda x, y: (x - y).abs().sum(1)):
        compare(
            lambda t, *x, d=distance: t.nn.TripletMarginWithDistanceLoss(
                distance_function=d, margin=1.5, swap=swap, reduction=reduction
            )(*x),
            *arrays,
        )


@pytest.mark.parametrize("front", [(), (3,), (2, 3)])
def test_bilinear(front):
    rng = np.random.default_rng(7)
    arrays = [rng.standard_normal(shape) for shape in ((*front, 3), (*front, 2), (4, 3, 2), (4,))]
    compare(lambda t, *x: t.nn.functional.bilinear(*x), *arrays)
    compare(lambda t, *x: t.nn.functional.bilinear(*x), *arrays[:3])
    assert repr(gpukit.nn.Bilinear(3, 2, 4)) == repr(torch.nn.Bilinear(3, 2, 4))


def test_channels_in_turn():
    array = np.arange(2.0 * 6 * 3).reshape(2, 6, 3)
    compare(lambda t, x: t.nn.ChannelShuffle(3)(x), array)
    assert repr(gpukit.nn.ChannelShuffle(3)) == repr(torch.nn.ChannelShuffle(3))


@pytest.mark.parametrize("name", ["relu_", "selu_", "threshold_", "rrelu_"])
def test_activations_in_place(name):
    arguments = (0.5, 7.0) if name == "threshold_" else ()
    values = [-1.5, 0.25, 2.0]
    mine, theirs = gpukit.tensor(values), torch.tensor(values)
    result = getattr(gpukit.nn.functional, name)(mine, *arguments)
    getattr(torch.nn.functional, name)(theirs, *arguments)
    assert result is mine
    close(mine, theirs, 1e-6)


def test_synchronised_batch_norm_of_one_process():
    x = gpukit.tensor(np.random.default_rng(8).standard_normal((4, 3, 2)))
    plain = gpukit.nn.BatchNorm1d(3).double()
    plain.weight.data.fill_(2.0)
    net = gpukit.nn.Sequential(plain, gpukit.nn.ReLU()).eval()
    changed = gpukit.nn.SyncBatchNorm.convert_sync_batchnorm(net)
    assert isinstance(changed[0], gpukit.nn.SyncBatchNorm)
    assert changed[0].weight is plain.weight
    assert not changed[0].training
    assert gpukit.equal(changed[0](x), plain(x))
    changed.train()
    assert gpukit.allclose(changed[0](x), plain.train()(x))
    wanted = torch.nn.SyncBatchNorm.convert_sync_batchnorm(torch.nn.BatchNorm2d(3))
    assert repr(gpukit.nn.SyncBatchNorm.convert_sync_batchnorm(gpukit.nn.BatchNorm2d(3))) == repr(
        wanted
    )
