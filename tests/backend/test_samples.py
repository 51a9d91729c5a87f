"""Bins, quantiles without NaN, and calculus on samples, beside NumPy on every device."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import gpukit
from support.arrays import fetch, put

RNG = np.random.default_rng(11)
Y = RNG.normal(size=(4, 7))
POINTS = np.cumsum(RNG.uniform(0.2, 1.5, 7))
TRAPEZOID = getattr(np, "trapezoid", None) or np.trapz


def near(got: gpukit.Tensor, want: Any) -> None:
    np.testing.assert_allclose(fetch(got), want, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("bins", [1, 5, 13])
@pytest.mark.parametrize("limits", [None, (-1.0, 0.5), (0.25, 0.25)])
def test_histogram_of_equal_bins(bins, limits, device):
    x = put(Y, device)
    hist, edges = gpukit.histogram(x, bins, range=limits)
    want, want_edges = np.histogram(Y, bins, limits)
    near(hist, want)
    near(edges, want_edges)
    assert hist.dtype is edges.dtype is gpukit.float64


def test_histogram_of_edges_weights_and_densities(device):
    edges = np.array([-1.0, -0.5, 0.0, 2.0])
    x = np.concatenate([Y.ravel(), edges, [np.nan]])
    weights = np.linspace(0.5, 2, x.size)
    arguments = [put(each, device) for each in (x, edges, weights)]
    for density in (False, True):
        hist, _ = gpukit.histogram(arguments[0], arguments[1], weight=arguments[2], density=density)
        kept = ~np.isnan(x)
        near(hist, np.histogram(x[kept], edges, weights=weights[kept], density=density)[0])
    none, ends = gpukit.histogram(put(np.zeros(0), device), 2)
    assert (fetch(none).tolist(), fetch(ends).tolist()) == ([0.0, 0.0], [-0.5, 0.0, 0.5])


@pytest.mark.parametrize("interpolation", ["linear", "lower", "higher", "midpoint", "nearest"])
def test_nanquantile(interpolation, device):
    x = np.where(Y > 1.0, np.nan, Y)
    x[2] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of the row without a number
        for dim, keep in ((None, False), (0, True), (1, False), (-1, True)):
            for q in (0.0, 0.3, np.array([0.25, 1.0])):
                want = np.nanquantile(x, q, axis=dim, keepdims=keep, method=interpolation)
                ours = put(q, device) if isinstance(q, np.ndarray) else q
                got = gpukit.nanquantile(
                    put(x, device), ours, dim, keep, interpolation=interpolation
                )
                near(got, want)


def test_interp(device):
    at = np.concatenate([RNG.uniform(-1, 8, (3, 5)).ravel(), POINTS]).reshape(2, 11)
    x, xp, fp = (put(each, device) for each in (at, POINTS, Y[0]))
    near(gpukit.interp(x, xp, fp), np.interp(at, POINTS, Y[0]))
    near(gpukit.interp(x, xp, fp, left=-9, right=7.5), np.interp(at, POINTS, Y[0], -9, 7.5))
    single = gpukit.interp(x, xp[:1], fp[:1])
    near(single, np.full(at.shape, Y[0, 0]))


def test_trapezoid(device):
    y = put(Y, device)
    near(gpukit.trapezoid(y), TRAPEZOID(Y))
    near(gpukit.trapz(y, dx=0.5, dim=0), TRAPEZOID(Y, dx=0.5, axis=0))
    near(gpukit.trapezoid(y, put(POINTS, device)), TRAPEZOID(Y, POINTS))
    near(gpukit.trapezoid(y, put(Y * 2, device), dim=0), TRAPEZOID(Y, Y * 2, axis=0))
    near(gpukit.trapezoid(y[:, :1]), np.zeros(4))
    strips = (Y[:, 1:] + Y[:, :-1]) / 2
    near(gpukit.cumulative_trapezoid(y), np.cumsum(strips, 1))
    wide = np.cumsum(strips * np.diff(POINTS), 1)
    near(gpukit.cumulative_trapezoid(y, put(POINTS, device)), wide)
    assert gpukit.trapezoid(put(np.arange(4), device)).item() == 4.5


@pytest.mark.parametrize("order", [1, 2])
def test_gradient(order, device):
    y = put(Y, device)
    pairs = [
        (gpukit.gradient(y, edge_order=order), np.gradient(Y, edge_order=order)),
        (gpukit.gradient(y, spacing=0.5, edge_order=order), np.gradient(Y, 0.5, edge_order=order)),
        (
            gpukit.gradient(y, spacing=[put(POINTS, device)], dim=-1, edge_order=order),
            [np.gradient(Y, POINTS, axis=-1, edge_order=order)],
        ),
        (
            gpukit.gradient(y, spacing=[2.0, 3.0], dim=(1, 0), edge_order=order),
            np.gradient(Y, 2.0, 3.0, axis=(1, 0), edge_order=order),
        ),
    ]
    for got, want in pairs:
        assert len(got) == len(want)
        for one, other in zip(got, want, strict=True):
            near(one, other)
    two = gpukit.gradient(y[:, :2], dim=1)[0]
    near(two, np.gradient(Y[:, :2], axis=1))


def test_complex_samples(device):
    y = Y + 1j * Y[::-1]
    z, points = put(y, device), put(POINTS, device)
    near(gpukit.trapezoid(z, points), TRAPEZOID(y, POINTS))
    near(gpukit.gradient(z, edge_order=2)[0], np.gradient(y, edge_order=2)[0])
    with pytest.raises(gpukit.DTypeError, match="interp: fp must be real"):
        gpukit.interp(points, points, z[0])


def test_derivatives_beside_differences():
    xp = gpukit.tensor(POINTS)
    inputs = [gpukit.tensor(Y[0], requires_grad=True)]
    at = gpukit.tensor([0.9, 2.05, 3.3], dtype=gpukit.float64, requires_grad=True)
    check = gpukit.autograd.gradcheck
    assert check(lambda y: gpukit.trapezoid(y * y, xp), inputs)
    assert check(lambda y: gpukit.cumulative_trapezoid(y * y, dx=0.3), inputs)
    assert check(lambda y: gpukit.gradient(y * y, spacing=[xp], edge_order=2)[0], inputs)
    assert check(lambda y: gpukit.nanquantile(y * y, 0.3), inputs)
    assert check(lambda y, x: gpukit.interp(x, xp, y), [*inputs, at])


WRONG = [
    (lambda x: gpukit.histogram(x.long(), 3), gpukit.DTypeError, r"histogram: input .*\.float\(\)"),
    (lambda x: gpukit.histogram(x, 0), ValueError, "histogram: bins must be 1 or more, got 0"),
    (lambda x: gpukit.histogram(x, 2, range=(2.0, 1.0)), ValueError, "range must ascend"),
    (lambda x: gpukit.histogram(x, 2, range=(0.0, np.inf)), gpukit.RangeError, "not finite"),
    (lambda x: gpukit.histogram(x, 2, weight=x[0]), gpukit.ShapeError, "weight"),
    (lambda x: gpukit.nanquantile(x, 1.5), ValueError, "q must be from 0 to 1, got 1.5"),
    (lambda x: gpukit.nanquantile(x, 0.5, 2), IndexError, "dim 2"),
    (lambda x: gpukit.nanquantile(x.half(), 0.5), gpukit.DTypeError, "float16"),
    (lambda x: gpukit.nanquantile(x, 0.5, interpolation="up"), ValueError, "'up'"),
    (lambda x: gpukit.interp(x, x, x), gpukit.ShapeError, "interp: xp and fp must be 1-d"),
    (lambda x: gpukit.trapezoid(x, x[:, :2]), gpukit.ShapeError, "differ along dim"),
    (lambda x: gpukit.trapezoid(x, x, dx=1.0), ValueError, "x or dx, not both"),
    (lambda x: gpukit.gradient(x[:, :1]), gpukit.ShapeError, "needs 2 elements along dim 1"),
    (lambda x: gpukit.gradient(x, spacing=[1.0]), ValueError, "one for each of 2 dimensions"),
    (lambda x: gpukit.gradient(x, edge_order=3), ValueError, "edge_order must be 1 or 2, got 3"),
]


@pytest.mark.parametrize(("call", "error", "words"), WRONG)
def test_wrong_arguments(call, error, words):
    with pytest.raises(error, match=words):
        call(gpukit.tensor(Y))
