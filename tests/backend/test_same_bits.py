"""The same bits on every processor: digests that were made on x86-64 by GCC.

Random numbers, conversions, square roots and what orders numbers are the same on the CPU and on
GPUs. On a GPU sums have one order, too. On the CPU it depends on the width of the vectors.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest

import gpukit
from support.arrays import fetch
from support.mode import TESTS

EVERYWHERE = {
    "rand": "49e1a8adee10",
    "rand float64": "144fa9a18791",
    "rand float16": "d82afa2800e6",
    "rand bfloat16": "bc049769d77e",
    "randint": "d9a9d253081c",
    "randperm": "f535404a7c3e",
    "bernoulli": "b257ab8f2116",
    "sqrt": "d3a684391347",
    "1 / x": "e55c7520a95b",
    "round": "64441bab013f",
    "floor_divide": "39c84d884b57",
    "float16": "8f4c5a123b2a",
    "float16 and back": "b06413c6a3e3",
    "bfloat16 and back": "7c10c5febc77",
    "int32": "bcc93d14b03e",
    "uint8": "1753358909fc",
    "argsort": "9d3ef3e6bb46",
    "argmax": "f2e5c5662de8",
    "sum of int32": "0d59cd2c23ab",
}
ON_GPUS = {
    "sum": "5c7fdccd3330",
    "sum of rows": "45f1c3ea7515",
    "sum of columns": "6614ce20bbd4",
    "mean of float16": "efebe57fe230",
    "prod": "1f2ab6792ef8",
    "cumsum": "5ef66f1f1626",
    "index_add_": "251908025832",
}


def numbers(device, count=10_007):
    """Of all signs and sizes, made by NumPy; no product of two is subnormal."""
    drawn = np.random.default_rng(3)
    values = drawn.standard_normal(count) * 10.0 ** drawn.integers(-4, 5, count)
    return gpukit.tensor(values.astype(np.float32), device=device)


def digest(tensor):
    values = np.ascontiguousarray(fetch(tensor))
    return hashlib.sha256(values.tobytes() + str(tensor.dtype).encode()).hexdigest()[:12]


def random(draw):
    def made(device):
        gpukit.manual_seed(20)
        return draw(device)

    return made


DRAWN = {
    "rand": random(lambda d: gpukit.rand(10_007, device=d)),
    "rand float64": random(lambda d: gpukit.rand(1_003, device=d, dtype=gpukit.float64)),
    "rand float16": random(lambda d: gpukit.rand(1_003, device=d, dtype=gpukit.float16)),
    "rand bfloat16": random(
        lambda d: gpukit.rand(1_003, device=d, dtype=gpukit.bfloat16).to(gpukit.float32)
    ),
    "randint": random(lambda d: gpukit.randint(-5, 1_000_003, (10_007,), device=d)),
    "randperm": random(lambda d: gpukit.randperm(5_003, device=d)),
    "bernoulli": random(lambda d: gpukit.bernoulli(gpukit.full((10_007,), 0.3, device=d))),
}
CONVERTED = {
    "sqrt": lambda d: numbers(d).abs().sqrt(),
    "1 / x": lambda d: 1 / numbers(d),
    "round": lambda d: numbers(d).round(),
    "floor_divide": lambda d: numbers(d).floor_divide(0.7),
    "float16": lambda d: numbers(d).to(gpukit.float16),
    "float16 and back": lambda d: (numbers(d) * 1e-6).to(gpukit.float16).to(gpukit.float32),
    "bfloat16 and back": lambda d: numbers(d).to(gpukit.bfloat16).to(gpukit.float32),
    "int32": lambda d: numbers(d).to(gpukit.int32),
    "uint8": lambda d: numbers(d).to(gpukit.int32).to(gpukit.uint8),
    "argsort": lambda d: numbers(d).argsort(),
    "argmax": lambda d: numbers(d)[:10_000].reshape(100, 100).argmax(1),
    "sum of int32": lambda d: numbers(d).to(gpukit.int32).cumsum(0),
}
SUMMED = {
    "sum": lambda d: numbers(d).sum(),
    "sum of rows": lambda d: numbers(d)[:10_000].reshape(100, 100).sum(1),
    "sum of columns": lambda d: numbers(d)[:10_000].reshape(100, 100).sum(0),
    "mean of float16": lambda d: numbers(d)[:9_000].to(gpukit.float16).reshape(90, 100).mean(0),
    "prod": lambda d: numbers(d)[:1_000].reshape(100, 10).prod(1),
    "cumsum": lambda d: numbers(d).cumsum(0),
    "index_add_": lambda d: gpukit.zeros(7, device=d).index_add_(
        0, gpukit.arange(700, device=d) % 7, numbers(d)[:700]
    ),
}


@pytest.mark.parametrize("name", [*DRAWN, *CONVERTED])
def test_bits_on_every_device(device, name):
    assert digest({**DRAWN, **CONVERTED}[name](device)) == EVERYWHERE[name]


@pytest.mark.parametrize("name", SUMMED)
def test_order_of_sums_on_gpus(name):
    for device in range(gpukit.num_gpus()):
        assert digest(SUMMED[name](f"cuda:{device}")) == ON_GPUS[name]


OWN_PRODUCT = """
from backend.test_same_bits import digest, numbers
for device in {devices}:
    a = numbers(device)[:9_900]
    print(digest(a.reshape(99, 100) @ a.reshape(100, 99)))
"""


def test_order_of_sums_of_products_without_cublas():
    """cuBLAS chooses an order of its own."""
    wanted = "dd3a3f145239"
    devices = [f"cuda:{index}" for index in range(gpukit.num_gpus())]
    paths = [str(TESTS), *sys.path]
    done = subprocess.run(
        [sys.executable, "-c", OWN_PRODUCT.format(devices=devices)],
        env={**os.environ, "GPUKIT_CUBLAS": "none", "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == [wanted] * len(devices)
