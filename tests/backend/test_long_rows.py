"""Rows that no block holds in registers: softmax reads them twice, cross-entropy once."""

from __future__ import annotations

import numpy as np
import pytest

import gpukit
from support.arrays import fetch, put

COLUMNS = 16_384 + 77
ROWS = {
    "drawn": lambda rng: rng.standard_normal(COLUMNS) * 5,
    "ascending": lambda rng: np.linspace(-300, 300, COLUMNS),
    "descending": lambda rng: np.linspace(300, -300, COLUMNS),
    "equal": lambda rng: np.full(COLUMNS, -2.5),
    "largest last": lambda rng: np.append(np.zeros(COLUMNS - 1), 80.0),
    "one that counts": lambda rng: np.append(np.full(COLUMNS - 1, -np.inf), 3.0),
    "first ones hidden": lambda rng: np.append(np.full(COLUMNS // 2, -np.inf),
                                               np.ones(COLUMNS - COLUMNS // 2)),
    "far below zero": lambda rng: np.linspace(-3e38, -2e38, COLUMNS),
    "one infinite": lambda rng: np.append(np.zeros(COLUMNS - 1), np.inf),
    "one NaN": lambda rng: np.append(np.nan, np.zeros(COLUMNS - 1)),
    "none that counts": lambda rng: np.full(COLUMNS, -np.inf),
}  # fmt: skip
LOSSES = {
    **{name: row for name, row in ROWS.items() if name != "far below zero"},  # its sum is infinite
    "short": lambda rng: rng.standard_normal(5),
    "one": lambda rng: np.ones(1),
}


def logarithms(x: np.ndarray) -> np.ndarray:
    """log(softmax(x)) in float64."""
    with np.errstate(all="ignore"):
        distance = x - x.max()
        return distance - np.log(np.exp(distance).sum())


def row_of(rows, name: str, dtype: str) -> np.ndarray:
    return rows[name](np.random.default_rng(7)).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ROWS)
def test_softmax(name, dtype, device):
    x = row_of(ROWS, name, dtype)
    want = logarithms(x.astype(np.float64))
    both = put(np.stack([x, np.zeros(COLUMNS, dtype)]), device)
    tight = 1e-12 if dtype == "float64" else 3e-5
    got = fetch(both.log_softmax(1)).astype(np.float64)
    np.testing.assert_allclose(got[0], want, tight, 1e-4 if dtype == "float32" else 1e-11)
    np.testing.assert_allclose(got[1], -np.log(COLUMNS), tight)  # no row reaches into another
    got = fetch(both.softmax(1)).astype(np.float64)
    np.testing.assert_allclose(got[0], np.exp(want), 2e-4 if dtype == "float32" else 1e-11, 1e-37)


def test_softmax_of_halves(device):
    x = row_of(ROWS, "drawn", "float16")
    want = np.exp(logarithms(x.astype(np.float64)))
    got = fetch(put(x[None], device).softmax(1))[0].astype(np.float64)
    np.testing.assert_allclose(got, want, 1e-3, 6e-8)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("name", LOSSES)
def test_cross_entropy(name, smoothing, device):
    x = row_of(LOSSES, name, "float32")
    log = logarithms(x.astype(np.float64))
    target = len(x) - 1
    want = -(1 - smoothing) * log[target]
    if smoothing:
        want += smoothing / len(x) * -log.sum()
    loss = gpukit.nn.functional.cross_entropy(
        put(x[None], device), put(np.array([target]), device), label_smoothing=smoothing
    )
    np.testing.assert_allclose(fetch(loss), want, 3e-5, 1e-4)
