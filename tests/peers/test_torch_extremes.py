"""Activations and losses at extremes beside torch's float64 of the same input.

Where torch's own float64 is NaN at a finite or infinite input, gpukit may know the limit; a NaN of
gpukit where torch has a number is a failure.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import torch
import torch.nn.functional as TF

import gpukit
import gpukit.nn.functional as GF

INF, NAN = float("inf"), float("nan")
STEPS = (
    0.0,
    1e-40,
    1e-8,
    0.5,
    1,
    3,
    6,
    11,
    20,
    20.5,
    50,
    88,
    89,
    100,
    104,
    709,
    746,
    1e4,
    1e30,
    INF,
)
EXTREMES = np.array([s * v for v in STEPS for s in (1, -1)] + [NAN])
DTYPES = ("float32", "float64", "float16", "bfloat16")
TOLERANCE = {"float32": 1e-5, "float64": 1e-11, "float16": 2e-3, "bfloat16": 1.6e-2}
# Below it a dtype has fewer digits, and vector units may flush.
SMALLEST = {"float32": 1e-36, "float64": 1e-300, "float16": 1e-4, "bfloat16": 1e-36}

ACTIVATIONS = {
    **{n: (n, {}) for n in ("relu", "elu", "gelu", "silu", "softplus", "logsigmoid", "sigmoid",
                            "tanh", "leaky_relu")},
    "elu alpha": ("elu", {"alpha": 0.5}),
    "gelu tanh": ("gelu", {"approximate": "tanh"}),
    "softplus beta": ("softplus", {"beta": 2.0, "threshold": 5.0}),
    "leaky_relu slope": ("leaky_relu", {"negative_slope": 0.3}),
}  # fmt: skip
LOSSES = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy_with_logits")


def rounded(values, dtype):
    """The inputs that the dtype holds, as float64."""
    return torch.tensor(values, dtype=torch.float64).to(getattr(torch, dtype)).double()


def hold(name, dtype, got, want, inputs, magnitude=None):
    got = np.array(got.double().tolist(), float).ravel()
    limit = torch.tensor(want).to(getattr(torch, dtype)).double().numpy().ravel()
    want = np.asarray(want, float).ravel()
    scale = np.abs(want) if magnitude is None else np.maximum(np.abs(want), magnitude)
    with np.errstate(invalid="ignore", over="ignore"):
        close = np.abs(got - want) <= TOLERANCE[dtype] * scale + SMALLEST[dtype]
    # What torch's float64 has too large for the dtype is infinite there. Of NaN no slope is asked.
    fine = close | (got == limit) | np.isnan(want) | np.isnan(np.ravel(inputs))
    if not fine.all():
        bad = [(inputs[i], got[i], want[i]) for i in np.flatnonzero(~fine)[:6]]
        raise AssertionError(f"{name} {dtype}: (input, got, torch) {bad}")


def gradients(function, tensors, ones_like, keywords):
    out = function(*tensors, **keywords)
    out.backward(ones_like(out))
    return out.detach(), [t.grad for t in tensors if t.requires_grad]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations(name, dtype, device):
    function, keywords = ACTIVATIONS[name]
    inputs = rounded(EXTREMES, dtype)
    theirs = inputs.clone().requires_grad_()
    mine = gpukit.tensor(inputs.tolist(), dtype=gpukit.dtype(dtype), device=device)
    mine.requires_grad_()
    want, (slope,) = gradients(getattr(TF, function), [theirs], torch.ones_like, keywords)
    got, (mine_slope,) = gradients(getattr(GF, function), [mine], gpukit.ones_like, keywords)
    # gelu is 1 + erf(…): digits of 1, as in torch.
    kept = 3.0 if function == "gelu" and dtype != "float64" else 0.0
    hold(f"{name} value", dtype, got.cpu(), want.numpy(), inputs.tolist(), kept)
    assert np.isnan(np.array(got.cpu().double().tolist())[-1])
    # Slopes near 0 that are differences of numbers near 1 keep the digits of these.
    near = 1.0 if function in {"sigmoid", "tanh", "gelu"} else 0.0
    hold(f"{name} gradient", dtype, mine_slope.cpu(), slope.numpy(), inputs.tolist(), near)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", LOSSES)
def test_losses(name, dtype, device):
    for target in (0.0, 1.0, 0.25):
        inputs = rounded(EXTREMES, dtype)
        targets = torch.full_like(inputs, target)
        theirs = inputs.clone().requires_grad_()
        kind = gpukit.dtype(dtype)
        mine = gpukit.tensor(inputs.tolist(), dtype=kind, device=device).requires_grad_()
        aim = gpukit.tensor(targets.tolist(), dtype=kind, device=device)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            want, (slope,) = gradients(
                lambda x, t=targets: getattr(TF, name)(x, t, reduction="none"),
                [theirs], torch.ones_like, {},
            )  # fmt: skip
        got, (mine_slope,) = gradients(
            lambda x, t=aim: getattr(GF, name)(x, t, reduction="none"), [mine], gpukit.ones_like, {}
        )
        # A difference keeps the digits of what is subtracted.
        size = np.maximum(np.nan_to_num(np.abs(inputs.numpy()), posinf=0), target)
        hold(f"{name} {target}", dtype, got.cpu(), want.numpy(), inputs.tolist(), size)
        hold(f"{name} {target} gradient", dtype, mine_slope.cpu(), slope.numpy(), inputs.tolist(),
             1.0)  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["cross_entropy", "nll_loss", "binary_cross_entropy"])
def test_classes(name, dtype, device):
    """Rows of one extreme beside 0 and 1; probabilities at 0 and 1."""
    if name == "binary_cross_entropy":
        rows = rounded([0.0, 1.0, 1e-8, 1 - 1e-3, 0.5, 1e-30], dtype)
        targets = torch.tensor([0.0, 1.0, 1.0, 0.0, 0.5, 1.0], dtype=torch.float64)
    else:
        finite = EXTREMES[np.isfinite(EXTREMES)]
        rows = rounded(np.stack([finite, 0 * finite, 0 * finite + 1], 1), dtype)
        rows = rows[torch.isfinite(rows).all(1)]
        targets = torch.arange(len(rows)) % 3
    theirs = rows.clone().requires_grad_()
    mine = gpukit.tensor(rows.tolist(), dtype=gpukit.dtype(dtype), device=device).requires_grad_()
    floating = targets.is_floating_point()
    aim = gpukit.tensor(
        targets.tolist(), dtype=gpukit.dtype(dtype) if floating else gpukit.int64, device=device
    )
    want, (slope,) = gradients(
        lambda x: getattr(TF, name)(x, targets, reduction="none"), [theirs], torch.ones_like, {}
    )
    got, (mine_slope,) = gradients(
        lambda x: getattr(GF, name)(x, aim, reduction="none"), [mine], gpukit.ones_like, {}
    )
    hold(name, dtype, got.cpu(), want.numpy(), list(range(len(rows))), 1.0)
    if name != "binary_cross_entropy":  # there torch's gradient is bounded by a number of its dtype
        hold(f"{name} gradient", dtype, mine_slope.cpu(), slope.numpy(), rows.ravel().tolist(), 1.0)
