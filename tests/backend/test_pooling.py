"""Pooling beside its definition in NumPy, on every device."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import gpukit
from gpukit import nn
from gpukit.nn import functional as F

RNG = np.random.default_rng(8)


def draw(*sizes):
    return RNG.standard_normal(sizes).astype(np.float32)


def pooled(x, kernel, stride, padding, take, fill):
    """The definition: `take` of the elements under each place."""
    padded = np.pad(x, ((0, 0), (0, 0), (padding,) * 2, (padding,) * 2), constant_values=fill)
    rows, columns = ((n - kernel) // stride + 1 for n in padded.shape[2:])
    out = np.zeros((*x.shape[:2], rows, columns))
    for i, j in itertools.product(range(rows), range(columns)):
        at = np.s_[:, :, i * stride : i * stride + kernel, j * stride : j * stride + kernel]
        out[:, :, i, j] = take(padded[at], axis=(2, 3))
    return out


@pytest.mark.parametrize("kernel", [2, 3])
@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("padding", [0, 1])
def test_pooling_is_its_definition(kernel, stride, padding, device):
    x = draw(2, 3, 7, 6)
    mine = gpukit.tensor(x, device=device)
    got = F.max_pool2d(mine, kernel, stride, padding)
    want = pooled(x, kernel, stride, padding, np.max, -math.inf)
    np.testing.assert_array_equal(got.cpu().numpy(), want)
    got = F.avg_pool2d(mine, kernel, stride, padding)
    want = pooled(x, kernel, stride, padding, np.mean, 0)
    np.testing.assert_allclose(got.cpu().numpy(), want, rtol=1e-5, atol=1e-6)


def test_the_first_of_equal_elements_gets_the_gradient(device):
    x = gpukit.ones(1, 1, 2, 4, device=device, requires_grad=True)
    values, numbers = F.max_pool2d(x, 2, return_indices=True)
    assert numbers.tolist() == [[[[0, 2]]]]
    values.sum().backward()
    assert x.grad.tolist() == [[[[1, 0, 1, 0], [0, 0, 0, 0]]]]


def test_padding_is_never_the_largest(device):
    x = gpukit.full((1, 1, 2, 2), -math.inf, device=device, requires_grad=True)
    values, numbers = F.max_pool2d(x, 2, 2, 1, return_indices=True)
    assert numbers.tolist() == [[[[0, 1], [2, 3]]]]
    values.sum().backward()
    assert x.grad.tolist() == [[[[1, 1], [1, 1]]]]


def test_nan_is_the_largest(device):
    x = gpukit.tensor([[[1.0, math.nan, 2.0, 3.0]]], device=device)
    got = F.max_pool1d(x, 2).tolist()[0][0]
    assert math.isnan(got[0])
    assert got[1] == 3


def test_indices_are_places_in_a_plane(device):
    x = draw(2, 3, 4, 5, 6)
    values, numbers = F.max_pool3d(gpukit.tensor(x, device=device), 3, 2, 1, return_indices=True)
    assert numbers.dtype == gpukit.int64
    planes = x.reshape(2, 3, -1)
    taken = np.take_along_axis(planes, numbers.cpu().numpy().reshape(2, 3, -1), 2)
    np.testing.assert_array_equal(taken.reshape(values.shape), values.cpu().numpy())


@pytest.mark.parametrize("target", [1, 2, 3, 5])
def test_adaptive_means(target, device):
    x = draw(2, 3, 6, 5)
    got = F.adaptive_avg_pool2d(gpukit.tensor(x, device=device), (target, None))
    rows = [x[:, :, i * 6 // target : -(-(i + 1) * 6 // target)].mean(2) for i in range(target)]
    np.testing.assert_allclose(got.cpu().numpy(), np.stack(rows, 2), rtol=1e-5, atol=1e-6)


def test_derivatives(device):
    x = gpukit.tensor(draw(1, 2, 5, 4), dtype="float64", device=device, requires_grad=True)
    for made in (
        lambda x: F.max_pool2d(x, 2, 1, 1),
        lambda x: F.avg_pool2d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False),
        lambda x: F.adaptive_avg_pool2d(x, (3, 2)),
    ):
        assert gpukit.autograd.gradcheck(made, (x,))


def test_errors_name_sizes(device):
    x = gpukit.tensor(draw(1, 1, 3, 3), device=device)
    with pytest.raises(gpukit.GpukitError, match=r"smaller than kernel_size=\(4, 4\)"):
        nn.MaxPool2d(4)(x)
    with pytest.raises(gpukit.GpukitError, match=r"at most half of kernel_size"):
        nn.AvgPool2d(2, padding=2)(x)
    with pytest.raises(gpukit.ShapeError, match=r"must have 4 .* or 5 dimensions.*\(3, 3\)"):
        F.max_pool3d(x[0, 0], 2)
    with pytest.raises(gpukit.DTypeError, match=r"input must be floating"):
        F.avg_pool2d(x.long(), 2)
    with pytest.raises(ValueError, match=r"divisor_override must not be 0"):
        F.avg_pool2d(x, 2, divisor_override=0)


def numbered(planes, kernel, stride, padding):
    """The definition of both results: the first of equal elements, the last NaN."""
    places = (planes.shape[-1] + 2 * padding - kernel) // stride + 1
    rows = (planes.shape[-2] + 2 * padding - kernel) // stride + 1
    values = np.zeros((len(planes), rows, places), np.float32)
    numbers = np.zeros(values.shape, np.int64)
    for at in np.ndindex(values.shape):
        plane, best = planes[at[0]], None
        for tap in np.ndindex(kernel, kernel):
            i, j = (at[1 + d] * stride - padding + tap[d] for d in range(2))
            if not (0 <= i < plane.shape[0] and 0 <= j < plane.shape[1]):
                continue
            if best is None or plane[i, j] > plane[best] or math.isnan(plane[i, j]):
                best = (i, j)
        values[at], numbers[at] = plane[best], best[0] * plane.shape[1] + best[1]
    return values, numbers


@pytest.mark.parametrize("width", [31, 34, 49, 70])
@pytest.mark.parametrize(
    ("kernel", "stride", "padding"), [(2, 2, 0), (3, 2, 1), (3, 1, 1), (3, 3, 0)]
)
@pytest.mark.parametrize("special", [[], [math.nan], [-math.inf] * 3, [math.inf, math.nan]])
def test_rows_longer_than_a_vector(width, kernel, stride, padding, special, device):
    planes = RNG.integers(-3, 4, (3, 5, width)).astype(np.float32)
    for value in special:
        planes[RNG.random(planes.shape) < 0.25] = value
    mine = gpukit.tensor(planes, device=device)
    values, numbers = F.max_pool2d(mine, kernel, stride, padding, return_indices=True)
    wanted = numbered(planes, kernel, stride, padding)
    np.testing.assert_array_equal(values.cpu().numpy(), wanted[0])
    np.testing.assert_array_equal(numbers.cpu().numpy(), wanted[1])
    alone = F.max_pool2d(mine, kernel, stride, padding)
    np.testing.assert_array_equal(alone.cpu().numpy(), wanted[0])
