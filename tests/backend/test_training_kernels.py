"""Fused steps of optimizers and fused cross-entropy on every device; NumPy is the yardstick."""

from __future__ import annotations

import numpy as np
import pytest

import gpukit
from gpukit import nn, optim
from gpukit.nn import functional as F
from support.arrays import fetch, put

# A tile's edge of the kernel, one element, none, a matrix, and more tensors than one launch takes.
SHAPES = [(1024,), (1025,), (1,), (0,), (3, 5), (), *[(2,)] * 50]
TOLERANCE = {"float16": 4e-3, "bfloat16": 3e-2, "float32": 2e-6, "float64": 1e-12}


def sgd(
    p, g, state, *, lr, momentum=0, dampening=0, weight_decay=0, nesterov=False, maximize=False
):
    g = (-g if maximize else g) + weight_decay * p
    if momentum:
        old = state.get("momentum_buffer")
        state["momentum_buffer"] = g if old is None else momentum * old + (1 - dampening) * g
        g = g + momentum * state["momentum_buffer"] if nesterov else state["momentum_buffer"]
    return p - lr * g


def adam(
    p, g, state, *, lr, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, amsgrad=False,
    maximize=False, decoupled=False,
):  # fmt: skip
    g = -g if maximize else g
    if decoupled:
        p = p * (1 - lr * weight_decay)
    else:
        g = g + weight_decay * p
    state["step"] = n = state.get("step", 0) + 1
    state["exp_avg"] = betas[0] * state.get("exp_avg", 0) + (1 - betas[0]) * g
    state["exp_avg_sq"] = square = betas[1] * state.get("exp_avg_sq", 0) + (1 - betas[1]) * g * g
    if amsgrad:
        state["max_exp_avg_sq"] = square = np.maximum(state.get("max_exp_avg_sq", 0), square)
    root = np.sqrt(square) / np.sqrt(1 - betas[1] ** n)
    return p - lr / (1 - betas[0] ** n) * state["exp_avg"] / (root + eps)


def adamw(p, g, state, **settings):
    return adam(p, g, state, decoupled=True, **{"weight_decay": 1e-2, **settings})


RULES = {
    "SGD": (optim.SGD, sgd, {"lr": 0.1}),
    "SGD decay": (optim.SGD, sgd, {"lr": 0.1, "weight_decay": 0.1, "maximize": True}),
    "SGD momentum": (optim.SGD, sgd, {"lr": 0.1, "momentum": 0.9, "dampening": 0.3}),
    "SGD nesterov": (optim.SGD, sgd, {"lr": 0.1, "momentum": 0.9, "nesterov": True}),
    "Adam": (optim.Adam, adam, {"lr": 0.1}),
    "Adam all": (
        optim.Adam,
        adam,
        {"lr": 0.1, "betas": (0.7, 0.9), "eps": 1e-3, "weight_decay": 0.1, "amsgrad": True},
    ),
    "AdamW": (optim.AdamW, adamw, {"lr": 0.1}),
    "AdamW maximize": (optim.AdamW, adamw, {"lr": 0.1, "weight_decay": 0.3, "maximize": True}),
}


def gradients(seed):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape) for shape in SHAPES]


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_trajectory(name, dtype, device):
    make, rule, settings = RULES[name]
    values = [array.astype(dtype) for array in gradients(0)]
    params = [nn.Parameter(put(value, device)) for value in values]
    optimizer = make(params, **settings)
    wanted, states = [v.astype(np.float64) for v in values], [{} for _ in values]
    for number in range(4):
        for i, gradient in enumerate(gradients(number + 1)):
            params[i].grad = put(gradient.astype(dtype), device)
            wanted[i] = rule(wanted[i], gradient.astype(dtype), states[i], **settings)
        optimizer.step()
    for param, want in zip(params, wanted, strict=True):
        np.testing.assert_allclose(
            fetch(param.detach()), want, rtol=5 * TOLERANCE[dtype], atol=5 * TOLERANCE[dtype]
        )
    assert set(optimizer.state[params[0]]) == set(states[0])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", ["SGD momentum", "Adam all"])
def test_half_types(name, dtype, device):
    make, rule, settings = RULES[name]
    values = [gpukit.tensor(array).to(dtype) for array in gradients(0)[:6]]
    params = [nn.Parameter(value.to(device, copy=True)) for value in values]
    for param, gradient in zip(params, gradients(1), strict=False):
        param.grad = gpukit.tensor(gradient).to(dtype).to(device)
    make(params, **settings).step()
    for param, value, gradient in zip(params, values, gradients(1), strict=False):
        narrow = gpukit.tensor(gradient).to(dtype).double().numpy()
        want = rule(value.double().numpy(), narrow, {}, **settings)
        got = fetch(param.detach().double())
        np.testing.assert_allclose(got, want, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])


def test_elements_that_do_not_lie_row_by_row(device):
    base = np.arange(12, dtype=np.float32).reshape(3, 4)
    param = nn.Parameter(put(base, device).T)
    param.grad = put(np.ones((3, 4), np.float32), device).T
    optimizer = optim.SGD([param], lr=1.0, momentum=0.5)
    optimizer.step()
    optimizer.step()
    np.testing.assert_array_equal(fetch(param.detach()), base.T - 2.5)


def test_parameters_without_a_gradient_stay(device):
    params = [nn.Parameter(put(np.ones(2, np.float32), device)) for _ in range(3)]
    params[1].grad = put(np.ones(2, np.float32), device)
    optimizer = optim.Adam(params, lr=0.5)
    optimizer.step()
    assert [round(p.detach().sum().item(), 4) for p in params] == [2.0, 1.0, 2.0]
    assert list(optimizer.state) == [params[1]]
    params[0].grad = params[1].grad
    optimizer.step()
    assert optimizer.state[params[0]]["step"].item() == 1
    assert optimizer.state[params[1]]["step"].item() == 2


def test_dtypes_of_one_group_may_differ(device):
    params = [nn.Parameter(gpukit.ones(3, dtype=d, device=device)) for d in ("float32", "float64")]
    for param in params:
        param.grad = gpukit.ones_like(param.detach())
    optim.SGD(params, lr=0.5).step()
    assert [p.detach().sum().item() for p in params] == [1.5, 1.5]


def cross_entropy(x, target, weight, ignore, smoothing, reduction):
    x = x.astype(np.float64)
    rows = x - x.max(1, keepdims=True)
    rows -= np.log(np.exp(rows).sum(1, keepdims=True))
    classes = x.shape[1]
    weight = np.ones(classes) if weight is None else weight.astype(np.float64)
    counts = target != ignore
    known = np.where(counts, target, 0)
    share = weight[known] * counts
    losses = -(1 - smoothing) * rows[np.arange(len(x)), known] * share
    losses -= smoothing / classes * (rows * weight).sum(1) * counts
    return {"none": losses, "sum": losses.sum(), "mean": losses.sum() / share.sum()}[reduction]


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("classes", [1, 10, 37, 1000])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_cross_entropy(reduction, classes, dtype, device):
    rng = np.random.default_rng(classes)
    x = (rng.standard_normal((33, classes)) * 5).astype(dtype)
    target = rng.integers(0, classes, 33)
    target[::5] = -100
    weight = rng.random(classes).astype(dtype) + 0.5
    for w, smoothing in ((None, 0.0), (weight, 0.0), (None, 0.2), (weight, 0.2)):
        got = F.cross_entropy(
            put(x, device),
            put(target, device),
            None if w is None else put(w, device),
            reduction=reduction,
            label_smoothing=smoothing,
        )
        want = cross_entropy(x, target, w, -100, smoothing, reduction)
        tolerance = 10 * TOLERANCE[dtype]
        np.testing.assert_allclose(fetch(got), want, rtol=tolerance, atol=tolerance)


def test_cross_entropy_of_extremes(device):
    x = np.array([[1e4, -1e4], [np.inf, 0], [-np.inf, 0], [np.nan, 0]], np.float32)
    got = fetch(
        F.cross_entropy(put(x, device), put(np.array([1, 0, 1, 1]), device), reduction="none")
    )
    assert got[0] == 20000 and np.isnan(got[1]) and got[2] == 0 and np.isnan(got[3])


@pytest.mark.parametrize("rows", [1, 15, 16, 17, 64, 65, 1000])
@pytest.mark.parametrize("classes", [2, 3, 64, 65])
def test_short_rows_beside_each_other(rows, classes, device):
    """As many rows as a vector has lanes are worked on at once; each is as if it were alone."""
    rng = np.random.default_rng(rows)
    x = (rng.standard_normal((rows, classes)) * 5).astype(np.float32)
    x[-1] = np.inf if rows > 1 else 0
    target = rng.integers(0, classes, rows)
    logits, classes_of = put(x, device).requires_grad_(), put(target, device)
    losses = F.cross_entropy(logits, classes_of, reduction="none")
    losses.sum().backward()
    finite = slice(0, rows - 1 if rows > 1 else 1)
    want = cross_entropy(x[finite], target[finite], None, -100, 0.0, "none")
    np.testing.assert_allclose(fetch(losses.detach())[finite], want, rtol=2e-5, atol=2e-5)
    got = fetch(logits.grad)
    exact = np.exp(x[finite].astype(np.float64) - x[finite].max(1, keepdims=True))
    exact /= exact.sum(1, keepdims=True)
    exact[np.arange(len(exact)), target[finite]] -= 1
    np.testing.assert_allclose(got[finite], exact, rtol=0, atol=2e-6)
    if rows > 1:
        assert np.isnan(got[-1]).all()


def test_cross_entropy_of_nothing(device):
    x, target = put(np.zeros((0, 3), np.float32), device), put(np.zeros(0, np.int64), device)
    assert np.isnan(F.cross_entropy(x, target).item())
    assert F.cross_entropy(x, target, reduction="sum").item() == 0
    assert F.cross_entropy(x, target, reduction="none").shape == (0,)
    ignored = put(np.array([-100]), device)
    assert np.isnan(F.cross_entropy(put(np.zeros((1, 2), np.float32), device), ignored).item())


def test_target_outside_the_classes(device):
    x, target = put(np.zeros((2, 3), np.float32), device), put(np.array([0, -1]), device)
    with pytest.raises(IndexError, match=r"target\[1\] is -1"):
        F.cross_entropy(x, target).item()


def test_clip_grad_norm(device):
    params = [nn.Parameter(gpukit.zeros(2, device=device)) for _ in range(2)]
    params[0].grad = put(np.array([3.0, 0.0], np.float32), device)
    params[1].grad = put(np.array([0.0, 4.0], np.float32), device)
    assert nn.utils.clip_grad_norm_(params, 1.0).item() == 5
    assert fetch(params[1].grad)[1] == pytest.approx(0.8)
    assert nn.utils.clip_grad_norm_(params, 10.0, float("inf")).item() == pytest.approx(0.8)
    assert fetch(params[1].grad)[1] == pytest.approx(0.8)
    params[0].grad = params[0].grad * float("nan")
    with pytest.raises(gpukit.GpukitError, match="finite"):
        nn.utils.clip_grad_norm_(params, 1.0, error_if_nonfinite=True)
    assert nn.utils.clip_grad_norm_([nn.Parameter(gpukit.ones(1))], 1.0).item() == 0
