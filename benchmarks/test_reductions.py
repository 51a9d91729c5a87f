"""Reductions of large arrays, all threads."""

from __future__ import annotations

import pytest
from harness import compare, triple

REDUCTIONS = {
    "sum": {"torch": 1},
    "mean": {"torch": 1},
    "max": {"numpy": 1.2},
    "argmax": {"numpy": 1.2, "torch": 20},
}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_all_elements(record, name):
    g, n, t = triple((1_000_000,))
    works = {"gpukit": getattr(g, name), "numpy": getattr(n, name), "torch": getattr(t, name)}
    record(compare("reductions", f"{name} 1e6", works, REDUCTIONS[name]))


@pytest.mark.parametrize("dim", [0, 1])
def test_rows_and_columns(record, dim):
    g, n, t = triple((2048, 2048))
    works = {"gpukit": lambda: g.sum(dim), "numpy": lambda: n.sum(dim), "torch": lambda: t.sum(dim)}
    record(compare("reductions", f"sum 2048² over dimension {dim}", works, {"torch": 1}))
