"""Drawn batch norms and group norms beside torch: values, gradients, running values, states."""

from __future__ import annotations

import random

import numpy as np
import pytest
import torch

import gpukit


def same(mine, theirs, tolerance=1e-8):
    assert tuple(mine.shape) == tuple(theirs.shape)
    assert str(mine.dtype).rpartition(".")[2] == str(theirs.dtype).rpartition(".")[2]
    a = np.array(mine.detach().cpu().tolist(), float).reshape(tuple(theirs.shape))
    np.testing.assert_allclose(a, theirs.detach().double().numpy(), tolerance, tolerance)


def same_gradients(mine, theirs, ours, wanted):
    (ours * ours * ours).sum().backward()
    (wanted * wanted * wanted).sum().backward()
    for x, y in zip(mine, theirs, strict=True):
        same(x.grad, y.grad)


@pytest.mark.parametrize("number", range(60))
def test_layers_over_several_batches(number):
    rng, numbers = random.Random(number), np.random.default_rng(number)
    rank, channels = number % 3 + 1, rng.randint(1, 4)
    options = {
        "eps": rng.choice([1e-5, 1e-2]),
        "momentum": rng.choice([0.1, 0.5, None]),
        "affine": rng.random() < 0.7,
        "track_running_stats": rng.random() < 0.7,
        "bias": rng.random() < 0.7,
    }
    ours = getattr(gpukit.nn, f"BatchNorm{rank}d")(channels, **options).double()
    wanted = getattr(torch.nn, f"BatchNorm{rank}d")(channels, **options).double()
    assert repr(ours) == repr(wanted)
    assert list(ours.state_dict()) == list(wanted.state_dict())
    for step in range(4):
        ours.train(step < 2)
        wanted.train(step < 2)
        flat = rank == 1 and rng.random() < 0.5
        sizes = (rng.randint(2, 4), channels, *[rng.randint(1, 4) for _ in range(rank)])
        array = numbers.standard_normal(sizes[:2] if flat else sizes) * 3 + 1
        x, y = gpukit.tensor(array, requires_grad=True), torch.tensor(array, requires_grad=True)
        a, b = ours(x), wanted(y)
        same(a, b)
        ours.zero_grad()
        wanted.zero_grad()
        same_gradients([x, *ours.parameters()], [y, *wanted.parameters()], a, b)
        for key, value in wanted.state_dict().items():
            same(ours.state_dict()[key], value)


@pytest.mark.parametrize("number", range(30))
def test_group_norm(number):
    rng, numbers = random.Random(number), np.random.default_rng(number)
    groups = rng.randint(1, 3)
    channels = groups * rng.randint(1, 3)
    sizes = [rng.randint(2, 4) for _ in range(rng.randint(1, 3))]
    arrays = [numbers.standard_normal((rng.randint(1, 3), channels, *sizes))]
    arrays += [numbers.standard_normal(channels) for _ in range(rng.randint(0, 2))]
    mine = [gpukit.tensor(a, requires_grad=True) for a in arrays]
    theirs = [torch.tensor(a, requires_grad=True) for a in arrays]
    a = gpukit.nn.functional.group_norm(mine[0], groups, *mine[1:])
    b = torch.nn.functional.group_norm(theirs[0], groups, *theirs[1:])
    same(a, b)
    same_gradients(mine, theirs, a, b)
    assert repr(gpukit.nn.GroupNorm(groups, channels)) == repr(torch.nn.GroupNorm(groups, channels))


def test_states_load_both_ways(tmp_path):
    def net(library):
        nn = library.nn
        return nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.GroupNorm(2, 4))

    x = np.random.default_rng(0).standard_normal((3, 1, 5, 5)).astype(np.float32)
    ours, theirs = net(gpukit), net(torch)
    theirs(torch.tensor(x))
    torch.save(theirs.state_dict(), tmp_path / "a.pt")
    ours.load_state_dict(gpukit.load(tmp_path / "a.pt"))
    same(ours.eval()(gpukit.tensor(x)), theirs.eval()(torch.tensor(x)), 1e-5)
    gpukit.save(ours.state_dict(), tmp_path / "b.pt")
    back = net(torch)
    back.load_state_dict(torch.load(tmp_path / "b.pt"))
    assert back[1].num_batches_tracked.dtype == torch.int64
    assert back[1].num_batches_tracked.item() == 1


WRONG = [
    lambda t: t.nn.functional.group_norm(t.ones(2, 3, 4), 2),
    lambda t: t.nn.functional.group_norm(t.ones(1, 2), 2),
    lambda t: t.nn.functional.group_norm(t.ones(2), 2),
    lambda t: t.nn.GroupNorm(2, 3),
    lambda t: t.nn.BatchNorm2d(3)(t.ones(3, 3)),
    lambda t: t.nn.BatchNorm1d(3)(t.ones(3, 4)),
    lambda t: t.nn.BatchNorm1d(3)(t.ones(1, 3)),
    lambda t: t.nn.functional.batch_norm(t.ones(2, 3), None, None),
    lambda t: t.nn.functional.batch_norm(t.ones(2, 3), t.ones(2), t.ones(3)),
]


@pytest.mark.parametrize("call", WRONG)
def test_errors_are_of_torchs_class(call):
    with pytest.raises((RuntimeError, ValueError)) as wanted:
        call(torch)
    with pytest.raises(wanted.type):
        call(gpukit)
