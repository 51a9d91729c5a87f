"""The cost of one small operation from Python."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from harness import compare, triple

import gpukit


def binary_works(n):
    (ga, na, ta), (gb, nb, tb) = triple(n), triple(n, 1)
    return {"gpukit": lambda: ga + gb, "numpy": lambda: na + nb, "torch": lambda: ta + tb}


def test_add_one_element(record):
    record(compare("dispatch", "a + b, 1 element", binary_works((1,)), {"numpy": 4, "torch": 14}))


def test_add_thousand(record):
    record(compare("dispatch", "a + b, 1 000 elements", binary_works((1000,)), {"numpy": 2}))


def test_add_scalar(record):
    g, n, t = triple((1,))
    works = {"gpukit": lambda: g + 1.0, "numpy": lambda: n + 1.0, "torch": lambda: t + 1.0}
    record(compare("dispatch", "a + 1.0, 1 element", works, {"numpy": 1 / 0.3}))


VIEWS = {
    "a[3:10]": lambda x: x[3:10],
    "a.T": lambda x: x.T,
    "a[0]": lambda x: x[0],
    "a.reshape(8, 32)": lambda x: x.reshape(8, 32),
}


@pytest.mark.parametrize("name", VIEWS)
def test_views(record, name):
    g, n, t = triple((16, 16))
    view = VIEWS[name]
    works = {"gpukit": lambda: view(g), "numpy": lambda: view(n), "torch": lambda: view(t)}
    record(
        compare("dispatch", name, works, {"numpy": 1, "torch": 8 if "reshape" not in name else 4})
    )


def test_sum_thousand(record):
    g, n, t = triple((1000,))
    works = {"gpukit": g.sum, "numpy": n.sum, "torch": t.sum}
    record(compare("dispatch", "sum of 1 000", works, {"numpy": 1 / 0.15}))


def test_matmul_two(record):
    (ga, na, ta), (gb, nb, tb) = triple((2, 2)), triple((2, 2), 1)
    works = {"gpukit": lambda: ga @ gb, "numpy": lambda: na @ nb, "torch": lambda: ta @ tb}
    record(compare("dispatch", "2×2 @ 2×2", works, {"numpy": 5}))


def test_item(record):
    g, n, t = triple((1,))
    works = {"gpukit": g.item, "numpy": n.item, "torch": t.item}
    record(compare("dispatch", "item()", works, {"numpy": 1, "torch": 3}))


def test_from_list(record):
    values = [1.0, 2.0, 3.0]
    works = {
        "gpukit": lambda: gpukit.tensor(values),
        "numpy": lambda: np.array(values),
        "torch": lambda: torch.tensor(values),
    }
    record(compare("dispatch", "tensor([1., 2., 3.])", works, {"numpy": 1}))


def test_zeros(record):
    works = {
        "gpukit": lambda: gpukit.zeros((2, 3)),
        "numpy": lambda: np.zeros((2, 3)),
        "torch": lambda: torch.zeros((2, 3)),
    }
    record(compare("dispatch", "zeros((2, 3))", works, {"numpy": 1}))
