"""Batch norm and group norm beside their definitions in NumPy, on every device."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import gpukit
from gpukit import nn
from gpukit.nn import functional as F

RNG = np.random.default_rng(5)


def draw(*sizes):
    return RNG.standard_normal(sizes).astype(np.float32)


def of(array, device):
    return gpukit.tensor(array, device=device)


@pytest.mark.parametrize("sizes", [(5, 3), (4, 3, 6), (2, 3, 4, 5), (2, 3, 2, 3, 4)])
def test_a_batch_is_normalised_and_followed(sizes, device):
    x, w, b = 3 * draw(*sizes) + 2, draw(3), draw(3)
    mean, var = draw(3), abs(draw(3))
    kept_mean, kept_var = of(mean, device), of(var, device)
    got = F.batch_norm(
        of(x, device), kept_mean, kept_var, of(w, device), of(b, device), True, 0.25, 1e-3
    )
    dims = (0, *range(2, x.ndim))
    shape = (1, 3, *[1] * (x.ndim - 2))
    normal = (x - x.mean(dims, keepdims=True)) / np.sqrt(x.var(dims, keepdims=True) + 1e-3)
    want = normal * w.reshape(shape) + b.reshape(shape)
    np.testing.assert_allclose(got.cpu().numpy(), want, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(kept_mean.cpu().numpy(), 0.75 * mean + 0.25 * x.mean(dims), 1e-5)
    unbiased = x.var(dims, ddof=1)
    np.testing.assert_allclose(kept_var.cpu().numpy(), 0.75 * var + 0.25 * unbiased, 1e-5)

    got = F.batch_norm(of(x, device), kept_mean, kept_var)
    want = (x - kept_mean.cpu().numpy().reshape(shape)) / np.sqrt(
        kept_var.cpu().numpy().reshape(shape) + 1e-5
    )
    np.testing.assert_allclose(got.cpu().numpy(), want, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("groups", [1, 2, 4])
def test_groups_are_normalised(groups, device):
    x, w, b = draw(3, 4, 5, 2) + 1, draw(4), draw(4)
    got = F.group_norm(of(x, device), groups, of(w, device), of(b, device))
    parts = x.reshape(3, groups, -1)
    normal = (parts - parts.mean(-1, keepdims=True)) / np.sqrt(parts.var(-1, keepdims=True) + 1e-5)
    want = normal.reshape(x.shape) * w[:, None, None] + b[:, None, None]
    np.testing.assert_allclose(got.cpu().numpy(), want, rtol=1e-4, atol=1e-4)


def test_derivatives(device):
    x, w, b = (
        gpukit.tensor(a, dtype="float64", device=device, requires_grad=True)
        for a in (draw(3, 2, 2), draw(2), draw(2))
    )
    for made in (
        lambda x, w, b: F.batch_norm(x, None, None, w, b, training=True),
        lambda x, w, b: F.group_norm(x, 1, w, b),
    ):
        assert gpukit.autograd.gradcheck(made, (x, w, b))
        assert gpukit.autograd.gradgradcheck(made, (x, w, b))


def test_a_layer_counts_while_training_only(device):
    layer = nn.BatchNorm1d(2, momentum=None).to(device)
    x = of(np.array([[0.0, 2.0], [2.0, 6.0]], np.float32), device)
    layer(x)
    layer(x + 2)
    assert layer.num_batches_tracked.item() == 2
    assert layer.running_mean.tolist() == [2.0, 5.0]  # the mean of both batches
    assert layer.running_var.tolist() == [2.0, 8.0]
    layer.eval()(x)
    assert layer.num_batches_tracked.item() == 2
    np.testing.assert_allclose(layer(x).tolist()[0], [-(2**0.5), -3 / 8**0.5], 1e-4)
    layer.reset_running_stats()
    assert layer.running_var.tolist() == [1.0, 1.0]
    assert layer.num_batches_tracked.item() == 0


def test_without_running_values_each_input_counts(device):
    layer = nn.BatchNorm2d(3, track_running_stats=False, affine=False).to(device).eval()
    assert layer.state_dict() == {}
    out = layer(of(draw(2, 3, 4, 4) + 9, device))
    np.testing.assert_allclose(out.mean((0, 2, 3)).tolist(), [0, 0, 0], atol=1e-5)


def test_half_is_computed_in_float32(device):
    x = (draw(8, 2, 4) * 100 + 300).astype(np.float16)
    layer = nn.BatchNorm1d(2).to(device)
    got = layer(of(x, device))
    assert got.dtype == gpukit.float16
    wide = x.astype(np.float32)
    want = (wide - wide.mean((0, 2), keepdims=True)) / wide.std((0, 2), keepdims=True)
    np.testing.assert_allclose(got.detach().float().cpu().numpy(), want, atol=2e-3)


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_lazy_layers_take_their_size_from_an_input_or_a_state(rank, device):
    lazy = getattr(nn, f"LazyBatchNorm{rank}d")
    own = getattr(nn, f"BatchNorm{rank}d")
    x = of(draw(2, 3, *[2] * rank), device)
    layer = lazy(device=device)
    first = layer(x)
    assert type(layer) is own
    assert type(layer.running_mean) is gpukit.Tensor
    assert first.tolist() == own(3, device=device)(x).tolist()
    loaded = lazy(device=device)
    loaded.load_state_dict(layer.state_dict())
    assert copy.deepcopy(loaded).running_mean.tolist() == layer.running_mean.tolist()
    assert loaded.num_batches_tracked.item() == 1
    assert loaded.eval()(x).tolist() == layer.eval()(x).tolist()
    assert loaded.num_features == 3


def test_errors_name_sizes(device):
    x = of(draw(1, 3, 1, 1), device)
    with pytest.raises(gpukit.ShapeError, match=r"more than 1 value.*\(1, 3, 1, 1\)"):
        nn.BatchNorm2d(3).to(device)(x)
    with pytest.raises(gpukit.ShapeError, match=r"has 3 channels, the layer has num_features=4"):
        nn.BatchNorm2d(4).to(device)(x)
    with pytest.raises(gpukit.ShapeError, match=r"2 or 3 dimensions, its shape is \(1, 3, 1, 1\)"):
        nn.BatchNorm1d(3).to(device)(x)
    with pytest.raises(gpukit.GpukitError, match=r"num_groups=2 must divide the 3 channels"):
        F.group_norm(x, 2)
    with pytest.raises(ValueError, match=r"num_groups=2 must divide num_channels=3"):
        nn.GroupNorm(2, 3)
    with pytest.raises(gpukit.GpukitError, match=r"running_var is needed"):
        F.batch_norm(x, of(draw(3), device), None)
    with pytest.raises(gpukit.DTypeError, match=r"weight must be gpukit.float32"):
        F.batch_norm(x, None, None, of(draw(3), device).double(), training=True)
