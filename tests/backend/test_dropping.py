"""Dropout of channels and for SELU networks, and relaxed one-hot rows, on every device."""

from __future__ import annotations

import numpy as np
import pytest

import gpukit
from gpukit import nn
from gpukit.nn import functional as F

SHAPES = {"1d": (200, 5, 4), "2d": (200, 5, 2, 2), "3d": (200, 5, 2, 1, 2)}


@pytest.mark.parametrize("rank", SHAPES)
def test_whole_channels_are_dropped_and_the_others_scaled(rank, device):
    gpukit.manual_seed(3)
    x = gpukit.ones(*SHAPES[rank], device=device)
    out = getattr(nn, f"Dropout{rank}")(0.25)(x).cpu().numpy().reshape(200, 5, -1)
    assert set(np.unique(out)) == {0.0, np.float32(1 / 0.75)}
    assert (out == out[:, :, :1]).all()
    dropped = (out[:, :, 0] == 0).mean()
    assert 0.2 < dropped < 0.3


@pytest.mark.parametrize("name", ["dropout1d", "dropout3d"])
def test_without_a_batch_and_in_place(name, device):
    gpukit.manual_seed(3)
    sizes = (64, 4) if name == "dropout1d" else (64, 2, 1, 2)
    x = gpukit.ones(*sizes, device=device)
    out = getattr(F, name)(x, 0.5, inplace=True)
    assert out is x
    rows = x.cpu().numpy().reshape(64, -1)
    assert set(np.unique(rows)) == {0.0, 2.0}
    assert (rows == rows[:, :1]).all()


@pytest.mark.parametrize("name", ["alpha_dropout", "feature_alpha_dropout"])
def test_mean_and_variance_stay(name, device):
    gpukit.manual_seed(4)
    x = gpukit.randn(400, 100, device=device)
    out = getattr(F, name)(x, 0.2, training=True)
    assert abs(out.mean().item()) < 0.03
    assert abs(out.var().item() - 1) < 0.05
    changed = getattr(F, name)(gpukit.zeros(400, 100, device=device), 0.2, training=True)
    values = np.unique(changed.cpu().numpy())
    assert len(values) == 2
    assert getattr(F, name)(x) is x


def test_channels_of_alpha_dropout_go_together(device):
    out = F.feature_alpha_dropout(gpukit.zeros(30, 4, 6, device=device), 0.5, training=True)
    rows = out.cpu().numpy()
    assert (rows == rows[:, :, :1]).all()
    assert len(np.unique(rows)) == 2


@pytest.mark.parametrize("p", [0.0, 1.0])
def test_the_ends(p, device):
    x = gpukit.ones(3, 4, 5, device=device)
    for name in ("dropout1d", "dropout2d", "alpha_dropout", "feature_alpha_dropout"):
        call = getattr(F, name)
        with pytest.warns(gpukit.GpukitWarning) if name == "dropout2d" else _nothing():
            out = call(x, p, training=True)
        assert out.sum().item() == (60 if p == 0 else 0)


class _nothing:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None


def test_relaxed_rows_sum_to_one_and_follow_the_logits(device):
    gpukit.manual_seed(5)
    chances = np.array([0.5, 0.3, 0.2], np.float32)
    logits = gpukit.tensor(np.log(chances), device=device).expand(4000, 3).contiguous()
    logits.requires_grad_()
    soft = F.gumbel_softmax(logits, tau=0.5)
    np.testing.assert_allclose(soft.detach().sum(1).cpu().numpy(), 1, rtol=1e-5)
    hard = F.gumbel_softmax(logits, hard=True)
    rows = hard.detach().cpu().numpy()
    np.testing.assert_allclose(np.sort(rows, 1), [[0, 0, 1]] * 4000, atol=1e-6)
    np.testing.assert_allclose(rows.mean(0), chances, atol=0.04)
    (hard * gpukit.tensor([1.0, 2.0, 3.0], device=device)).sum().backward()
    assert logits.grad.abs().sum().item() > 0
