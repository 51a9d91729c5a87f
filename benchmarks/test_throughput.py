"""Large arrays: elementwise, reductions and products on all threads."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from statistics import median

import numpy as np
import pytest
import torch
from harness import Row, assert_same, compare
from products import SIZES
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


ROUNDS = 5
LIBRARIES = ("gpukit", "numpy", "torch")


@pytest.fixture(scope="module")
def products():
    """Nanoseconds of a product by library and size, from fresh processes in turn."""
    seen = {library: {n: [] for n in SIZES} for library in LIBRARIES}
    for _ in range(ROUNDS):
        for library in LIBRARIES:
            program = [sys.executable, str(Path(__file__).with_name("products.py")), library]
            text = subprocess.run(program, capture_output=True, check=True, text=True).stdout
            for n, seconds in json.loads(text).items():
                seen[library][int(n)].append(seconds * 1e9)
    return seen


@pytest.mark.parametrize("n", SIZES)
def test_matmul(record, products, n):
    (ga, na, ta), (gb, nb, tb) = triple((n, n)), triple((n, n), 1)
    assert_same({"gpukit": ga @ gb, "numpy": na @ nb, "torch": ta @ tb}, 1e-4)
    goals = {"numpy": 0.98, "torch": 0.95} if n >= 256 else {"numpy": 1.5 if n <= 32 else 1.6}
    times = {library: products[library][n] for library in LIBRARIES}
    ns = {library: median(values) for library, values in times.items()}
    spread = {k: (max(v) - min(v)) / 2 / ns[k] for k, v in times.items()}
    note = f"{2 * n**3 / ns['gpukit']:.0f} GFLOP/s, fresh processes"
    record(Row("matmul", f"float32 {n}×{n}", ns, spread, goals, note))


def test_broadcast(record):
    (ga, na, ta), (gb, nb, tb) = triple((1000, 1000)), triple((1000,), 1)
    works = {"gpukit": lambda: ga + gb, "numpy": lambda: na + nb, "torch": lambda: ta + tb}
    record(compare("elementwise", "(1000, 1000) + (1000,)", works, {"torch": 1}))
