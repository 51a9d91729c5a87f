"""Elementwise functions on large arrays, all threads."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from harness import compare, triple

import gpukit


def test_add_ten_million(record):
    (ga, na, ta), (gb, nb, tb) = triple((10_000_000,)), triple((10_000_000,), 1)
    works = {"gpukit": lambda: ga + gb, "numpy": lambda: na + nb, "torch": lambda: ta + tb}
    goals = {"torch": 5, "numpy": 1.5}
    record(compare("elementwise", "add 1e7 into a new result", works, goals))


def test_add_in_place(record):
    (ga, na, ta), (gb, nb, tb) = triple((10_000_000,)), triple((10_000_000,), 1)
    zero = 0.0 * gb, 0.0 * nb, 0.0 * tb  # adding it again and again changes nothing
    works = {
        "gpukit": lambda: ga.add_(zero[0]),
        "numpy": lambda: np.add(na, zero[1], out=na),
        "torch": lambda: ta.add_(zero[2]),
    }
    record(compare("elementwise", "add 1e7 in place", works, {"torch": 1}))


FUNCTIONS = {
    "exp": {"torch": 4, "numpy": 2},
    "tanh": {"torch": 7, "numpy": 1},
    "relu": {"torch": 1},
    "sqrt": {},
    "sigmoid": {},
}
IN_NUMPY = {
    "relu": lambda x: np.maximum(x, np.float32(0)),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(record, name):
    g, n, t = triple((1_000_000,))
    in_numpy = IN_NUMPY.get(name) or getattr(np, name)
    works = {
        "gpukit": lambda: getattr(gpukit, name)(g),
        "numpy": lambda: in_numpy(n),
        "torch": lambda: getattr(torch, name)(t),
    }
    record(compare("elementwise", f"{name} 1e6", works, FUNCTIONS[name]))


def test_broadcast(record):
    (ga, na, ta), (gb, nb, tb) = triple((1000, 1000)), triple((1000,), 1)
    works = {"gpukit": lambda: ga + gb, "numpy": lambda: na + nb, "torch": lambda: ta + tb}
    record(compare("elementwise", "(1000, 1000) + (1000,)", works, {"torch": 1}))


def test_transpose_copy(record):
    g, n, t = triple((4096, 4096))
    works = {
        "gpukit": g.T.contiguous,
        "numpy": lambda: np.ascontiguousarray(n.T),
        "torch": t.T.contiguous,
    }
    record(compare("elementwise", "transpose copy 4096²", works, {"torch": 3}))


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_conversions(record, name):
    g, n, t = triple((1_000_000,))
    works = {
        "gpukit": lambda: g.to(getattr(gpukit, name)),
        "torch": lambda: t.to(getattr(torch, name)),
    }
    if name == "float16":
        works["numpy"] = lambda: n.astype(np.float16)
    record(compare("elementwise", f"float32 → {name} 1e6", works, {"torch": 1}, rtol=1e-2))


def test_softmax(record):
    g, n, t = triple((4096, 1024))

    def in_numpy():
        e = np.exp(n - n.max(1, keepdims=True))
        return e / e.sum(1, keepdims=True)

    works = {
        "gpukit": lambda: gpukit.softmax(g, 1),
        "numpy": in_numpy,
        "torch": lambda: torch.softmax(t, 1),
    }
    record(compare("elementwise", "softmax 4096×1024", works, {"torch": 1.8}))


def test_layer_norm(record):
    g, n, t = triple((4096, 1024))

    def in_numpy():
        return (n - n.mean(1, keepdims=True)) / np.sqrt(n.var(1, keepdims=True) + 1e-5)

    works = {
        "gpukit": lambda: gpukit.nn.functional.layer_norm(g, (1024,)),
        "numpy": in_numpy,
        "torch": lambda: torch.nn.functional.layer_norm(t, (1024,)),
    }
    record(compare("elementwise", "layer norm 4096×1024", works, {"torch": 1}))
