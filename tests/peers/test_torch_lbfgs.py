"""LBFGS beside torch's: parameters after each step, with and without line search."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
import torch

import gpukit

OPTIONS = {
    "wolfe": {"line_search_fn": "strong_wolfe"},
    "wolfe from a long step": {"lr": 20.0, "line_search_fn": "strong_wolfe"},
    "wolfe from a short step": {"lr": 1e-3, "line_search_fn": "strong_wolfe", "max_iter": 7},
    "few evaluations": {"line_search_fn": "strong_wolfe", "max_eval": 5},
    "short history": {"line_search_fn": "strong_wolfe", "history_size": 2},
    "no search": {"lr": 0.1, "max_iter": 5},
    "tolerances": {"lr": 0.1, "tolerance_grad": 0.5, "tolerance_change": 0.01},
}


def rosenbrock(a: Any, b: Any) -> Any:
    x = a.reshape(-1)
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum() + (b * b * 3).sum()


def quadratic(a: Any, b: Any) -> Any:
    return (a * a).sum() * 2 + ((b - 1) ** 2).sum() + (a.sum() * b.sum()) * 0.1


def run(library: Any, function: Any, options: dict[str, Any]) -> list[Any]:
    start = np.random.default_rng(1).normal(size=(2, 2))
    a = library.tensor(start, dtype=library.float64, requires_grad=True)
    b = library.tensor([0.5, -2.0], dtype=library.float64, requires_grad=True)
    optimizer = library.optim.LBFGS([a, b], **options)
    calls = 0

    def closure() -> Any:
        nonlocal calls
        calls += 1
        optimizer.zero_grad()
        loss = function(a, b)
        loss.backward()
        return loss

    seen = []
    for _ in range(4):
        loss = optimizer.step(closure)
        values = [*a.detach().numpy().ravel(), *b.detach().numpy()]
        state = optimizer.state[a]
        seen += [loss.item(), *values, calls, state["n_iter"], state["func_evals"]]
    saved = copy.deepcopy(optimizer.state_dict())
    optimizer = library.optim.LBFGS([a, b], **options)
    optimizer.load_state_dict(saved)
    seen.append(optimizer.step(closure).item())
    return [*seen, *a.detach().numpy().ravel()]


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("function", [rosenbrock, quadratic])
def test_steps(name, function):
    if function is rosenbrock and "line_search_fn" not in OPTIONS[name]:
        function = quadratic  # without line search it leaves every bound
    options = {**OPTIONS[name]}
    if function is rosenbrock:
        options.setdefault("max_iter", 4)  # differences of rounding grow by 10 in a step
    want = run(torch, function, options)
    got = run(gpukit, function, options)
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-7)


def test_wrong_arguments():
    p = gpukit.nn.Parameter(gpukit.ones(1))
    with pytest.raises(ValueError, match="per-parameter options"):
        gpukit.optim.LBFGS([{"params": [p]}, {"params": [gpukit.nn.Parameter(gpukit.ones(1))]}])
    with pytest.raises(ValueError, match="'strong_wolfe' is supported"):
        gpukit.optim.LBFGS([p], line_search_fn="armijo")
    with pytest.raises(TypeError, match="closure is needed"):
        gpukit.optim.LBFGS([p]).step()
    with pytest.raises(ValueError, match="history_size must be 0 or more"):
        gpukit.optim.LBFGS([p], history_size=-1)
