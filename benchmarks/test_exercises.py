"""The tutorials' exercise of a thousand products and their norms, as they write it."""

from __future__ import annotations

import numpy as np
import torch
from harness import compare, triple

import gpukit

COUNT, SIZE = 1000, 100


def test_norm_converted_each_time(record):
    g, n, t = triple((SIZE, SIZE))
    works = {
        "gpukit": lambda: [float((g @ g).norm()) for _ in range(COUNT)],
        "numpy": lambda: [float(np.linalg.norm(n @ n)) for _ in range(COUNT)],
        "torch": lambda: [float((t @ t).norm()) for _ in range(COUNT)],
    }
    record(compare("exercises", "1 000 products 100×100, float(norm)", works, {"numpy": 1 / 0.9}))


def test_norms_kept_and_converted_once(record):
    g, n, t = triple((SIZE, SIZE))
    works = {
        "gpukit": lambda: gpukit.stack([(g @ g).norm() for _ in range(COUNT)]),
        "numpy": lambda: np.stack([np.linalg.norm(n @ n) for _ in range(COUNT)]),
        "torch": lambda: torch.stack([(t @ t).norm() for _ in range(COUNT)]),
    }
    record(compare("exercises", "…, norms kept, converted once", works, {"numpy": 1 / 0.9}))


def test_products_kept_alive(record):
    g, n, t = triple((SIZE, SIZE))
    works = {
        "gpukit": lambda: [g @ g for _ in range(COUNT)][-1],
        "numpy": lambda: [n @ n for _ in range(COUNT)][-1],
        "torch": lambda: [t @ t for _ in range(COUNT)][-1],
    }
    record(compare("exercises", "…, all products kept alive", works, {"numpy": 2}))
