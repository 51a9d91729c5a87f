"""Adafactor and Muon beside torch's, step by step: parameters and states, settings, files."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import gpukit

SHAPES = {"vector": (5,), "number": (), "matrix": (3, 4), "high": (6, 2), "stack": (2, 3, 4)}
ADAFACTOR: list[dict[str, Any]] = [
    {},
    {"lr": 0.5, "d": 1.5, "weight_decay": 0.1},
    {"lr": 0.1, "beta2_decay": -0.5, "eps": (1e-2, 0.5), "maximize": True},
    {"foreach": True, "eps": (1e-8, 1e-3)},
]
MUON: list[dict[str, Any]] = [
    {},
    {"lr": 0.5, "weight_decay": 0, "nesterov": False},
    {"lr": 0.1, "momentum": 0.5, "adjust_lr_fn": "match_rms_adamw"},
    {"lr": 0.1, "ns_steps": 3, "eps": 10.0, "adjust_lr_fn": "original"},
    {"lr": 0.1, "ns_coefficients": (2.0, -1.5, 0.5), "ns_steps": 8},
]


def run(
    t: Any, make: Any, shapes: list[tuple[int, ...]], dtype: str, size: float = 1
) -> list[list[np.ndarray]]:
    """Parameters and states after each of five steps on drawn gradients; the third has none."""
    drawn = np.random.default_rng(0)
    params = [
        t.nn.Parameter(t.tensor(drawn.normal(size=s), dtype=getattr(t, dtype))) for s in shapes
    ]
    optimizer, found = make(params), []
    for count in range(5):
        for p in params:
            gradient = drawn.normal(size=tuple(p.shape)) * size * 10.0**-count
            p.grad = None if count == 2 and p.ndim > 1 else t.tensor(gradient, dtype=p.dtype)
        optimizer.step()
        states = [value for p in params for _, value in sorted(optimizer.state[p].items())]
        found.append([np.array(each.detach().tolist()) for each in [*params, *states]])
    return found


def hold(mine: list[list[np.ndarray]], theirs: list[list[np.ndarray]], near: float) -> None:
    for a, b in zip(mine, theirs, strict=True):
        for x, y in zip(a, b, strict=True):
            np.testing.assert_allclose(x, y, rtol=near, atol=near)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("settings", ADAFACTOR)
def test_adafactor_steps_as_torchs(settings: dict[str, Any], shape: str, dtype: str) -> None:
    runs = [
        run(t, lambda p, t=t: t.optim.Adafactor(p, **settings), [SHAPES[shape], (2, 2)], dtype)
        for t in (gpukit, torch)
    ]
    hold(*runs, 1e-12 if dtype == "float64" else 2e-5)


@pytest.mark.parametrize(("dtype", "size"), [("float32", 1e-6), ("float64", 1e-14)])
@pytest.mark.parametrize("shape", SHAPES)
def test_adafactor_of_gradients_near_the_dtypes_precision(
    shape: str, dtype: str, size: float
) -> None:
    runs = [
        run(t, lambda p, t=t: t.optim.Adafactor(p), [SHAPES[shape], (2, 2)], dtype, size)
        for t in (gpukit, torch)
    ]
    hold(*runs, 1e-12 if dtype == "float64" else 2e-5)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", ["matrix", "high"])
@pytest.mark.parametrize("settings", MUON)
def test_muon_steps_as_torchs(settings: dict[str, Any], shape: str, dtype: str) -> None:
    """Roundings of bfloat16 are each library's own: `test_muon_is_its_formula` is sharper."""
    runs = [
        run(t, lambda p, t=t: t.optim.Muon(p, **settings), [SHAPES[shape], (1, 3)], dtype)
        for t in (gpukit, torch)
    ]
    hold(*runs, 0.05 * settings.get("lr", 1e-3) * 5)


def orthogonal(x: np.ndarray, coefficients: tuple[float, float, float], count: int) -> np.ndarray:
    """The iteration in float64."""
    a, b, c = coefficients
    x = x / np.linalg.norm(x)
    for _ in range(count):
        gram = x @ x.T
        x = a * x + (b * gram + c * gram @ gram) @ x
    return x


# How far the roundings of bfloat16 may lead away; the first iteration has every term.
@pytest.mark.parametrize(("count", "near"), [(1, 0.02), (2, 0.04), (3, 0.06), (5, 0.15)])
@pytest.mark.parametrize("coefficients", [(3.4445, -4.775, 2.0315), (2.0, -1.5, 0.5)])
@pytest.mark.parametrize("nesterov", [False, True])
@pytest.mark.parametrize("shape", [(3, 4), (6, 2), (5, 5)])
def test_muon_is_its_formula(
    shape: tuple[int, int],
    nesterov: bool,
    coefficients: tuple[float, float, float],
    count: int,
    near: float,
) -> None:
    drawn = np.random.default_rng(0)
    p = gpukit.nn.Parameter(gpukit.tensor(drawn.normal(size=shape), dtype=gpukit.float32))
    optimizer = gpukit.optim.Muon(
        [p], 0.5, momentum=0.8, nesterov=nesterov, ns_coefficients=coefficients, ns_steps=count
    )
    mean = np.zeros(shape)
    for _ in range(4):
        before, gradient = np.array(p.tolist()), drawn.normal(size=shape)
        mean = 0.8 * mean + 0.2 * gradient
        p.grad = gpukit.tensor(gradient, dtype=gpukit.float32)
        optimizer.step()
        ahead = 0.2 * gradient + 0.8 * mean if nesterov else mean
        step = (before * (1 - 0.5 * 0.1) - np.array(p.tolist())) / 0.5
        want = orthogonal(ahead, coefficients, count) * max(1, shape[0] / shape[1]) ** 0.5
        np.testing.assert_allclose(step, want, rtol=0, atol=near)


@pytest.mark.parametrize("kind", ["Adafactor", "Muon"])
def test_a_state_is_loaded_both_ways(kind: str) -> None:
    for source, target in ((torch, gpukit), (gpukit, torch)):
        ends = []
        for taken in (source, target):
            first = source.nn.Parameter(source.ones(2, 3))
            saved = getattr(source.optim, kind)([first])
            for _ in range(2):
                first.grad = source.arange(6.0).reshape(2, 3) + 1
                saved.step()
            second = taken.nn.Parameter(taken.tensor(first.tolist()))
            loaded = getattr(taken.optim, kind)([second])
            state = saved.state_dict()
            if taken is not source:
                state["state"] = {
                    0: {
                        name: value if value is None else taken.tensor(value.tolist())
                        for name, value in state["state"][0].items()
                    }
                }
            loaded.load_state_dict(state)
            second.grad = taken.arange(6.0).reshape(2, 3) - 3
            loaded.step()
            ends.append(np.array(second.tolist()))
        np.testing.assert_allclose(ends[0], ends[1], atol=1e-4)


BAD: list[tuple[str, dict[str, Any]]] = [
    ("Adafactor", {"lr": -1}),
    ("Adafactor", {"beta2_decay": 0.5}),
    ("Adafactor", {"eps": (-1.0, 1e-3)}),
    ("Adafactor", {"eps": (None, -1.0)}),
    ("Adafactor", {"d": 0.5}),
    ("Adafactor", {"weight_decay": -1}),
    ("Muon", {"lr": -1}),
    ("Muon", {"momentum": -1}),
    ("Muon", {"weight_decay": -1}),
    ("Muon", {"adjust_lr_fn": "other"}),
]


@pytest.mark.parametrize(("kind", "settings"), BAD)
def test_refuses_what_torch_refuses(kind: str, settings: dict[str, Any]) -> None:
    for t in (torch, gpukit):
        with pytest.raises(ValueError, match=r"\w"):
            getattr(t.optim, kind)([t.nn.Parameter(t.ones(2, 2))], **settings)


def test_muon_is_for_matrices() -> None:
    for t in (torch, gpukit):
        with pytest.raises(ValueError, match=r"2D|matrix"):
            t.optim.Muon([t.nn.Parameter(t.ones(3))])


@pytest.mark.parametrize("kind", ["Adafactor", "Muon"])
def test_complex_parameters_are_refused(kind: str) -> None:
    params = [gpukit.ones(2, 2), gpukit.ones(2, 2, dtype=gpukit.complex64)]
    with pytest.raises(gpukit.DTypeError, match=f"{kind}: parameter 1 is complex64"):
        getattr(gpukit.optim, kind)(params)
