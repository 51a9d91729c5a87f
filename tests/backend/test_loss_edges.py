"""Losses and rectifiers at NaN, infinities and the ends of ranges: torch's values and slopes."""

from __future__ import annotations

import math

import numpy as np
import pytest

import gpukit
from gpukit.nn import functional as F
from support.arrays import fetch

NAN, INF = math.nan, math.inf
DTYPES = ("float16", "bfloat16", "float32", "float64")


def slopes(function, values, device, dtype="float32", **others):
    """The gradient of the sum of function(x)."""
    x = gpukit.tensor(values, dtype=dtype, device=device, requires_grad=True)
    function(x, **others).sum().backward()
    return fetch(x.grad.double())


def same(found, wanted, rtol=1e-6):
    np.testing.assert_allclose(found, wanted, rtol=rtol, atol=0, equal_nan=True)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_slope_of_probabilities_at_0_and_1(device, dtype):
    # (p - t) / max(p (1 - p), 1e-12), with 1e-12 as a float32 in both
    least = float(np.float32(1e-12))
    target = gpukit.tensor([1.0, 0.25, 1.0, 0.0, 0.5], dtype=dtype, device=device)
    found = slopes(
        lambda p: F.binary_cross_entropy(p, target, reduction="sum"),
        [0.0, 0.0, 1.0, 1.0, 0.25],
        device,
        dtype,
    )
    same(found, [-1 / least, -0.25 / least, 0, 1 / least, -0.25 / 0.1875], rtol=1e-6)
    if dtype == "float64":
        same(found[:1], [-1 / least], rtol=1e-15)


def test_slope_of_targets(device):
    # log(1 - p) - log(p), which the loss's bound of -100 does not hold back
    p = gpukit.tensor([0.0, 1.0, 0.5, 0.25], device=device)
    found = slopes(
        lambda target: F.binary_cross_entropy(p, target, reduction="sum"),
        [0.5, 0.5, 0.5, 0.5],
        device,
    )
    same(found, [INF, -INF, 0, math.log(3)], rtol=1e-6)


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("input_dtype", DTYPES)
@pytest.mark.parametrize("target_dtype", [*DTYPES, "int32"])
def test_dtypes_of_two_dtypes(device, reduction, input_dtype, target_dtype):
    x = gpukit.ones(3, dtype=input_dtype, device=device)
    y = gpukit.zeros(3, dtype=target_dtype, device=device)
    promoted = gpukit.promote_types(x.dtype, y.dtype)
    assert F.huber_loss(x, y, reduction).dtype is x.dtype  # torch gives it the input's
    for loss in (F.smooth_l1_loss, F.l1_loss):
        assert loss(x, y, reduction).dtype is promoted


def bent(x, width, height):
    if math.isnan(x):
        return NAN
    return max(-height, min(height, x * height / width))


@pytest.mark.parametrize("dtype", DTYPES)
def test_slopes_of_bent_losses(device, dtype):
    x = [NAN, INF, -INF, 0.0, 0.25, -0.25, 2.0, -2.0, 3e4]
    zeros = gpukit.zeros(len(x), dtype=dtype, device=device)

    def found(loss, **others):
        return slopes(lambda t: loss(t, zeros, reduction="sum", **others), x, device, dtype)

    same(found(F.l1_loss), [0, 1, -1, 0, 1, -1, 1, -1, 1])  # torch's abs is flat at NaN
    same(found(F.smooth_l1_loss, beta=0), [0, 1, -1, 0, 1, -1, 1, -1, 1])
    same(found(F.smooth_l1_loss, beta=0.5), [bent(v, 0.5, 1) for v in x])
    same(found(F.huber_loss, delta=0.5), [bent(v, 0.5, 0.5) for v in x])
    back = slopes(lambda t: F.huber_loss(zeros, t, reduction="sum"), x, device, dtype)
    same(back, [-NAN if math.isnan(v) else bent(v, 1, 1) for v in x])  # of the target


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_slopes_of_rectifiers(device, dtype):
    most = float(np.finfo(dtype).max)
    x = [-most, most, -1e30, 1e30, 0.0]
    doubled = slopes(lambda t: F.silu(t) * 2, x, device, dtype)
    same(doubled, [0, 2, 0, 2, 1])  # x times the gradient alone overflows
    same(slopes(F.elu, [*x, NAN, INF, -INF], device, dtype), [0, 1, 0, 1, 1, NAN, 1, 0])


@pytest.mark.parametrize(
    "call",
    [
        lambda x: F.leaky_relu(x, 1e300),
        lambda x: F.elu(x, 1e300),
        lambda x: F.softplus(x, 1e300),
        lambda x: F.softplus(x, 1.0, -1e300),
        lambda x: F.huber_loss(x, x, delta=1e300),
        lambda x: F.smooth_l1_loss(x, x, beta=1e300),
    ],
)
@pytest.mark.parametrize("dtype", DTYPES)
def test_numbers_that_do_not_fit(call, dtype):
    x = gpukit.ones(3, dtype=dtype)
    if dtype == "float64":
        assert call(x).dtype is gpukit.float64
        return
    with pytest.raises(gpukit.RangeError, match=r"1e\+300 does not fit into float32"):
        call(x)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("target", [0, 1])
def test_an_infinite_logit_makes_its_row_nan(device, dtype, smoothing, target):
    # as log_softmax, in which inf - inf stands
    rows = [[1.0, INF, 2.0], [1.0, 2.0, 3.0]]
    classes = gpukit.tensor([target, 2], device=device)
    x = gpukit.tensor(rows, dtype=dtype, device=device, requires_grad=True)
    losses = F.cross_entropy(x, classes, reduction="none", label_smoothing=smoothing)
    losses.sum().backward()
    assert math.isnan(losses[0].item()) and math.isfinite(losses[1].item())
    grad = fetch(x.grad)
    assert np.isnan(grad[0]).all() and np.isfinite(grad[1]).all()
    assert math.isnan(F.cross_entropy(x, classes).item())


def test_rows_that_do_not_count_count_nothing(device):
    rows = gpukit.tensor([[-1.0, -2.0], [-3.0, -4.0]], device=device)
    classes = gpukit.tensor([0, 1], device=device)
    weight = gpukit.tensor([INF, 2.0], device=device)
    assert F.nll_loss(rows, classes, weight, ignore_index=0, reduction="sum").item() == 8
    assert F.nll_loss(rows, classes, weight, ignore_index=0).item() == 4
    logits = gpukit.tensor([[INF, 1.0], [0.0, 0.0]], device=device, requires_grad=True)
    F.cross_entropy(logits, classes, ignore_index=0).backward()
    same(fetch(logits.grad), [[0, 0], [0.5, -0.5]])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_softplus_of_half_types_is_rounded_once(device, dtype):
    smallest = gpukit.tensor([2.0**-24], dtype=dtype, device=device)
    assert F.softplus(smallest, 0.5, 0.0).item() == 2.0**-24  # above the threshold: itself
    x = gpukit.linspace(-4, 4, 33, device=device).to(dtype)
    assert F.softplus(x, 0.3).tolist() == F.softplus(x.float(), 0.3).to(dtype).tolist()


@pytest.mark.parametrize("weight", [0.5, 1.0, 2.0])
def test_target_of_infinite_logits(device, weight):
    """d/dt = logsigmoid(-x) - w * logsigmoid(x), which no difference of infinities spoils."""
    x = gpukit.tensor([-INF, INF, 0.0], device=device, requires_grad=True)
    t = gpukit.tensor([0.5, 1.0, 0.25], device=device, requires_grad=True)
    w = gpukit.tensor([weight], device=device)
    F.binary_cross_entropy_with_logits(x, t, pos_weight=w, reduction="sum").backward()
    same(fetch(t.grad), [INF, -INF, (weight - 1) * math.log(2)])
    same(fetch(x.grad), [-0.5 * weight, 0.0, 0.5 * 0.75 - 0.5 * 0.25 * weight])
