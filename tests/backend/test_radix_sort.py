"""Long rows, which GPUs sort by digits, beside a stable sort of NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import gpukit
from support.arrays import ALL, fetch, put

# Around the lengths where the way changes, and of tiles of 4096.
LENGTHS = (1024, 1025, 2048, 2049, 4096, 4097, 8193, 20_000)


def drawn(dtype: str, shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    """All bits at random: of floats every sign of zero and many values that are no numbers."""
    random = np.random.default_rng(seed)
    if dtype == "bool":
        return random.integers(0, 2, shape).astype(bool)
    kind = np.dtype("uint16" if dtype == "bfloat16" else dtype)
    bits = random.integers(0, 256, (*shape, kind.itemsize), dtype=np.uint8).view(kind)[..., 0]
    if kind.kind == "f":
        special = np.array([0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf, 1.5], kind)
        bits = np.where(random.random(shape) < 0.3, random.choice(special, shape), bits)
    return bits


def expected(x: np.ndarray, descending: bool) -> np.ndarray:
    """The stable order, by NumPy; of equal items the first stays first, also downwards."""
    if not descending:
        return np.argsort(x, -1, kind="stable")
    return x.shape[-1] - 1 - np.argsort(x[..., ::-1], -1, kind="stable")[..., ::-1]


def bits_of(x: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(x).view(f"u{x.dtype.itemsize}")


def check(x: np.ndarray, device: str, descending: bool) -> None:
    values, indices = gpukit.sort(put(x, device), descending=descending)
    order = expected(x, descending)
    np.testing.assert_array_equal(fetch(indices), order)
    np.testing.assert_array_equal(bits_of(fetch(values)), bits_of(np.take_along_axis(x, order, -1)))


@pytest.mark.parametrize("dtype", [name for name in ALL if name != "bfloat16"])
def test_every_dtype_both_ways(device, dtype):
    for descending in (False, True):
        check(drawn(dtype, (2, 9000)), device, descending)


@pytest.mark.parametrize("length", LENGTHS)
def test_lengths(device, length):
    for dtype in ("uint8", "int16", "float32", "int64"):
        check(drawn(dtype, (length,)), device, False)


@pytest.mark.parametrize("kind", ["constant", "sorted", "reversed", "few", "rows"])
def test_kinds_of_input(device, kind):
    inputs = {
        "constant": np.full(9001, -2.5, np.float32),
        "sorted": np.arange(9001, dtype=np.float32),
        "reversed": np.arange(9001, dtype=np.float32)[::-1].copy(),
        "few": np.random.default_rng(1).integers(-2, 3, 9001).astype(np.float32),
        "rows": drawn("float32", (40, 2100)),
    }
    for descending in (False, True):
        check(inputs[kind], device, descending)


def test_bfloat16_by_its_values(device):
    bits = drawn("bfloat16", (5000,))
    x = (bits.astype(np.uint32) << 16).view(np.float32)
    mine = put(x, device).bfloat16()
    for descending in (False, True):
        got = fetch(gpukit.argsort(mine, descending=descending))
        np.testing.assert_array_equal(got, expected(x, descending))


def test_what_sorts_underneath(device):
    x = drawn("int32", (30_000,)) % 500
    tensor = put(x, device)
    values, counts = np.unique(x, return_counts=True)
    got = gpukit.unique(tensor, return_counts=True)
    np.testing.assert_array_equal(fetch(got[0]), values)
    np.testing.assert_array_equal(fetch(got[1]), counts)
    np.testing.assert_array_equal(fetch(gpukit.topk(tensor, 9).values), np.sort(x)[::-1][:9])
    order = fetch(gpukit.argsort(put(x.reshape(3, -1), device), 0))
    np.testing.assert_array_equal(order, np.argsort(x.reshape(3, -1), 0, kind="stable"))
