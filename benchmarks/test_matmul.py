"""Products by dtype and size, batched ones, and a row by a matrix."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from statistics import median

import pytest
from alone import PRODUCTS
from harness import Row, alone, alone_row, assert_same, triple
from products import SIZES

# Thirty fresh processes go before the first row.
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


@pytest.fixture(scope="module")
def others():
    return alone("matmul")


@pytest.mark.parametrize("name", PRODUCTS)
def test_others(record, others, name):
    record(alone_row("matmul", name, others[name]))
