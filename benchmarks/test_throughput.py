"""Large arrays: elementwise, reductions and products on all threads."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from harness import compare
from test_dispatch import triple

import gpukit

torch.set_num_threads(gpukit.get_num_threads())


def test_add_ten_million(record):
    (ga, na, ta), (gb, nb, tb) = triple((10_000_000,)), triple((10_000_000,), 1)
    works = {"gpukit": lambda: ga + gb, "numpy": lambda: na + nb, "torch": lambda: ta + tb}
    record(
        compare(
            "elementwise",
            "add 1e7 into a new result",
            works,
            {"torch": 4, "numpy": 1.5},
            check=False,
        )
    )


ELEMENTWISE = {"exp": {"torch": 4, "numpy": 2}, "tanh": {"torch": 7, "numpy": 1}}


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_functions(record, name):
    g, n, t = triple((1_000_000,))
    works = {
        "gpukit": lambda: getattr(gpukit, name)(g),
        "numpy": lambda: getattr(np, name)(n),
        "torch": lambda: getattr(torch, name)(t),
    }
    record(compare("elementwise", f"{name} 1e6", works, ELEMENTWISE[name]))


REDUCTIONS = {
    "sum": {"torch": 1},
    "mean": {"torch": 1},
    "max": {"numpy": 1.2},
    "argmax": {"numpy": 1.2, "torch": 20},
}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(record, name):
    g, n, t = triple((1_000_000,))
    works = {"gpukit": getattr(g, name), "numpy": getattr(n, name), "torch": getattr(t, name)}
    record(compare("reductions", f"{name} 1e6", works, REDUCTIONS[name]))


@pytest.mark.parametrize("n", [32, 64, 100, 128, 256, 512, 1024, 2048])
def test_matmul(record, n):
    (ga, na, ta), (gb, nb, tb) = triple((n, n)), triple((n, n), 1)
    works = {"gpukit": lambda: ga @ gb, "numpy": lambda: na @ nb, "torch": lambda: ta @ tb}
    goals = {"numpy": 0.98, "torch": 0.95} if n >= 256 else {"numpy": 1.5 if n <= 32 else 1.6}
    flops = f"{2 * n**3 / 1e9:.3g} GFLOP"
    record(compare("matmul", f"float32 {n}×{n}", works, goals, rtol=1e-4, note=flops, budget_s=6))


def test_broadcast(record):
    (ga, na, ta), (gb, nb, tb) = triple((1000, 1000)), triple((1000,), 1)
    works = {"gpukit": lambda: ga + gb, "numpy": lambda: na + nb, "torch": lambda: ta + tb}
    record(compare("elementwise", "(1000, 1000) + (1000,)", works, {"torch": 1}))
