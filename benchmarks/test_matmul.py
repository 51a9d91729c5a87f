"""Products by dtype and size, batched ones, and a row by a matrix."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from statistics import median

import numpy as np
import pytest
import torch
from harness import Row, assert_same, compare, triple
from products import SIZES

import gpukit

# Fifteen fresh processes go before the first row.
pytestmark = pytest.mark.timeout(900)
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
def test_float32(record, products, n):
    (ga, na, ta), (gb, nb, tb) = triple((n, n)), triple((n, n), 1)
    assert_same({"gpukit": ga @ gb, "numpy": na @ nb, "torch": ta @ tb}, 1e-4)
    goals = {"numpy": 1.0, "torch": 1.0} if n >= 256 else {"numpy": 1.5 if n <= 32 else 1.6}
    times = {library: products[library][n] for library in LIBRARIES}
    ns = {library: median(values) for library, values in times.items()}
    spread = {k: (max(v) - min(v)) / 2 / ns[k] for k, v in times.items()}
    note = f"{2 * n**3 / ns['gpukit']:.0f} GFLOP/s, fresh processes"
    record(Row("matmul", f"float32 {n}×{n}", ns, spread, goals, note))


def converted(n, dtype):
    """Two n × n matrices of a dtype in gpukit and torch."""
    (ga, na, ta), (gb, nb, tb) = triple((n, n)), triple((n, n), 1)
    kinds = getattr(gpukit, dtype), getattr(torch, dtype)
    return (ga.to(kinds[0]), gb.to(kinds[0])), (na, nb), (ta.to(kinds[1]), tb.to(kinds[1]))


def test_float64(record):
    (ga, gb), (na, nb), (ta, tb) = converted(512, "float64")
    na, nb = na.astype(np.float64), nb.astype(np.float64)
    works = {"gpukit": lambda: ga @ gb, "numpy": lambda: na @ nb, "torch": lambda: ta @ tb}
    record(compare("matmul", "float64 512×512", works, {"numpy": 0.98, "torch": 0.98}))


HALF = [("float16", 512, 35), ("bfloat16", 512, 0.9), ("bfloat16", 1024, 0.9)]


@pytest.mark.parametrize(("dtype", "n", "goal"), HALF)
def test_half_types(record, dtype, n, goal):
    (ga, gb), _, (ta, tb) = converted(n, dtype)
    works = {"gpukit": lambda: ga @ gb, "torch": lambda: ta @ tb}
    record(compare("matmul", f"{dtype} {n}×{n}", works, {"torch": goal}, rtol=2e-2))


def test_batched(record):
    (ga, na, ta), (gb, nb, tb) = triple((64, 128, 128)), triple((64, 128, 128), 1)
    works = {
        "gpukit": lambda: gpukit.bmm(ga, gb),
        "numpy": lambda: na @ nb,
        "torch": lambda: torch.bmm(ta, tb),
    }
    record(compare("matmul", "64 products 128×128", works, {"torch": 1}))


def compare_vectors(name, left, right, dtype="float32"):
    """A product of two arrays, one of which is a vector, in the three libraries."""
    na, nb = left.astype(dtype), right.astype(dtype)
    ga, gb, ta, tb = gpukit.tensor(na), gpukit.tensor(nb), torch.tensor(na), torch.tensor(nb)
    works = {"gpukit": lambda: ga @ gb, "numpy": lambda: na @ nb, "torch": lambda: ta @ tb}
    return compare("matmul", name, works, {"numpy": 1})


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_row_by_matrix(record, dtype):
    row, matrix = triple((1, 4096))[1], triple((4096, 4096), 1)[1]
    kind = "" if dtype == "float32" else f"{dtype} "
    record(compare_vectors(f"{kind}1×4096 @ 4096×4096", row, matrix, dtype))


def test_matrix_by_column(record):
    matrix, column = triple((4096, 4096), 1)[1], triple((4096, 1))[1]
    record(compare_vectors("4096×4096 @ 4096×1", matrix, column))
