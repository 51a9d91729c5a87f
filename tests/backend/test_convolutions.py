"""Convolutions, padding, folding and resizing beside sums written out in NumPy, on every device."""

from __future__ import annotations

import itertools
import time

import numpy as np
import pytest

import gpukit
from gpukit import nn
from gpukit.nn import functional as F

RNG = np.random.default_rng(11)


def draw(*sizes):
    return RNG.standard_normal(sizes).astype(np.float32)


def convolved(x, w, stride, padding, dilation, groups):
    """The definition: one sum for each place."""
    padded = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    n, c, height, width = padded.shape
    outputs, _, kh, kw = w.shape
    rows = (height - dilation * (kh - 1) - 1) // stride + 1
    columns = (width - dilation * (kw - 1) - 1) // stride + 1
    out = np.zeros((n, outputs, rows, columns))
    for o, i, j in itertools.product(range(outputs), range(rows), range(columns)):
        first = o // (outputs // groups) * (c // groups)
        taken = padded[
            :,
            first : first + c // groups,
            i * stride : i * stride + dilation * (kh - 1) + 1 : dilation,
            j * stride : j * stride + dilation * (kw - 1) + 1 : dilation,
        ]
        out[:, o, i, j] = (taken * w[o]).sum((1, 2, 3))
    return out


@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("padding", [0, 2])
@pytest.mark.parametrize("dilation", [1, 2])
@pytest.mark.parametrize("groups", [1, 2])
def test_conv2d_is_its_definition(stride, padding, dilation, groups, device):
    x, w, b = draw(2, 4, 7, 6), draw(6, 4 // groups, 3, 2), draw(6)
    got = F.conv2d(
        *(gpukit.tensor(each, device=device) for each in (x, w, b)),
        stride=stride,
        padding=padding,
        dilation=dilation,
        groups=groups,
    )
    want = convolved(x, w, stride, padding, dilation, groups) + b[:, None, None]
    np.testing.assert_allclose(got.cpu().numpy(), want, rtol=1e-4, atol=1e-4)


def test_a_transposed_convolution_is_the_gradient_of_one(device):
    x = gpukit.tensor(draw(2, 3, 9, 8), device=device, requires_grad=True)
    w = gpukit.tensor(draw(4, 3, 3, 3), device=device)
    out = F.conv2d(x, w, stride=2, padding=1)
    g = gpukit.tensor(draw(*out.shape), device=device)
    out.backward(g)
    back = F.conv_transpose2d(g, w, stride=2, padding=1, output_padding=(0, 1))
    np.testing.assert_allclose(back.cpu().numpy(), x.grad.cpu().numpy(), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_derivatives(rank, device):
    sizes = (4,) * rank
    conv = getattr(F, f"conv{rank}d")
    transposed = getattr(F, f"conv_transpose{rank}d")
    x = gpukit.tensor(draw(1, 2, *sizes), dtype="float64", device=device, requires_grad=True)
    w = gpukit.tensor(draw(2, 1, *(2,) * rank), dtype="float64", device=device, requires_grad=True)
    for made in (
        lambda x, w: conv(x, w, stride=2, padding=1, groups=2),
        lambda x, w: transposed(x, w, stride=2, groups=2),
    ):
        assert gpukit.autograd.gradcheck(made, (x, w))
    assert gpukit.autograd.gradgradcheck(lambda x, w: conv(x, w, groups=2), (x, w))


@pytest.mark.parametrize("mode", ["constant", "reflect", "replicate", "circular"])
def test_padding_is_numpys(mode, device):
    numpy_mode = {"replicate": "edge", "circular": "wrap"}.get(mode, mode)
    x = draw(2, 3, 5, 4)
    got = F.pad(gpukit.tensor(x, device=device), (1, 2, 3, 0), mode=mode)
    want = np.pad(x, ((0, 0), (0, 0), (3, 0), (1, 2)), mode=numpy_mode)
    assert got.cpu().numpy().tolist() == want.tolist()


def test_fold_adds_up_what_unfold_takes(device):
    x = gpukit.tensor(draw(2, 3, 5, 6), device=device)
    columns = F.unfold(x, (2, 3), padding=1)
    assert columns.shape == (2, 18, 36)
    counts = F.fold(gpukit.ones_like(columns), (5, 6), (2, 3), padding=1)
    back = F.fold(columns, (5, 6), (2, 3), padding=1)
    np.testing.assert_allclose((back / counts).cpu().numpy(), x.cpu().numpy(), rtol=1e-5)


def test_sizes_change(device):
    x = gpukit.tensor([[[[1.0, 3.0], [5.0, 7.0]]]], device=device)
    assert F.interpolate(x, scale_factor=2).cpu()[0, 0, 0].tolist() == [1, 1, 3, 3]
    wide = F.interpolate(x, size=(2, 3), mode="bilinear", align_corners=True)
    assert wide.cpu()[0, 0].tolist() == [[1, 2, 3], [5, 6, 7]]


def test_a_network_of_convolutions_learns(device):
    gpukit.manual_seed(3)
    net = nn.Sequential(
        nn.Conv2d(1, 4, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(4, 4, 3, stride=2),
        nn.Flatten(),
        nn.LazyLinear(2),
    ).to(device)
    x = gpukit.randn(16, 1, 7, 7).to(device)
    y = (x.mean((1, 2, 3)) > 0).long()
    net(x)
    optimizer = gpukit.optim.Adam(net.parameters(), lr=0.02)
    losses = []
    for _ in range(25):
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0] / 3


def test_what_does_not_fit_is_named(device):
    layer = nn.Conv2d(3, 4, 5).to(device)
    with pytest.raises(gpukit.ShapeError, match="4"):
        layer(gpukit.ones(1, 4, 8, 8, device=device))
    with pytest.raises(gpukit.ShapeError, match="5"):
        layer(gpukit.ones(1, 3, 4, 8, device=device))
    with pytest.raises(gpukit.DTypeError):
        layer(gpukit.ones(1, 3, 8, 8, device=device, dtype="int64"))


@pytest.mark.parametrize("size", [2**40, 2**62])
@pytest.mark.parametrize("mode", ["nearest", "linear"])
def test_interpolation_beyond_memory_fails_at_once(size, mode):
    begin = time.monotonic()
    with pytest.raises((MemoryError, ValueError)):
        F.interpolate(gpukit.ones(1, 1, 2), size, mode=mode)
    assert time.monotonic() - begin < 5
