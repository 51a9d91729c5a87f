"""Times float32 products of one library in a process of its own; prints seconds by size as JSON.

The threads of OpenBLAS and OpenMP spin for a while after a product and take a core from whatever
computes next, so libraries that share a process cannot be compared on products.
"""

from __future__ import annotations

import json
import sys
from statistics import median
from time import perf_counter

import numpy as np

SIZES = (32, 64, 100, 128, 256, 512, 1024, 2048)
SAMPLES = 9
SAMPLE_FLOPS = 1e8


def operands(library: str, n: int):
    data = np.random.default_rng(n).random((2, n, n), dtype=np.float32)
    if library == "gpukit":
        import gpukit

        return gpukit.tensor(data[0]), gpukit.tensor(data[1])
    if library == "torch":
        import torch

        return torch.tensor(data[0]), torch.tensor(data[1])
    return data[0], data[1]


def seconds(library: str, n: int) -> float:
    """The median time of one product."""
    a, b = operands(library, n)
    inner = max(1, int(SAMPLE_FLOPS / (2 * n**3)))
    times = []
    for _ in range(SAMPLES):
        begin = perf_counter()
        for _ in range(inner):
            a @ b
        times.append((perf_counter() - begin) / inner)
    return median(times[2:])


def warm_up(library: str, budget: float = 0.6) -> None:
    """Products until the threads that the libraries start with have settled."""
    a, b = operands(library, 512)
    begin = perf_counter()
    while perf_counter() - begin < budget:
        a @ b


if __name__ == "__main__":
    warm_up(sys.argv[1])
    print(json.dumps({n: seconds(sys.argv[1], n) for n in SIZES}))
