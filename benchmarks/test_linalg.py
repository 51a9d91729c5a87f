"""Factorizations: batches of small matrices, and large ones, which threads share."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from harness import Row, as_array, assert_same, compare

import gpukit

BATCHES = [(1000, 8), (500, 16), (200, 32)]
SIZES = [64, 512, 2048]
# NumPy computes float32 in double.
SMALL: dict[str, dict[str, float]] = {
    "solve": {"numpy": 5.0},
    "cholesky": {"numpy": 5.0},
    "inv": {},
    "det": {},
    "qr": {"numpy": 1.5},
    "eigh": {"numpy": 1.5},
    "svd": {"numpy": 1.5},
}
LARGE = {"solve", "cholesky", "inv", "qr", "eigh", "svd"}


def symmetric(a: np.ndarray) -> np.ndarray:
    """A positive definite matrix of each."""
    n = a.shape[-1]
    return (a @ a.swapaxes(-1, -2) / n + np.eye(n)).astype(a.dtype)


def works_of(name: str, a: np.ndarray, b: np.ndarray) -> dict[str, object]:
    """One function in the three libraries."""
    matrix = symmetric(a) if name in {"cholesky", "eigh"} else a
    operands = (matrix, b) if name == "solve" else (matrix,)
    ours = tuple(gpukit.tensor(x) for x in operands)
    theirs = tuple(torch.tensor(x) for x in operands)
    return {
        "gpukit": lambda: getattr(gpukit.linalg, name)(*ours),
        "numpy": lambda: getattr(np.linalg, name)(*operands),
        "torch": lambda: getattr(torch.linalg, name)(*theirs),
    }


def values(name: str, answer: object) -> np.ndarray:
    """What is the same in all libraries: factors of qr, eigh and svd have free signs."""
    if name in {"eigh", "svd"}:
        answer = answer[0 if name == "eigh" else 1]  # type: ignore[index]
    if name == "qr":
        answer = abs(answer[1])  # type: ignore[index]
    return as_array(answer)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize(("batch", "n"), BATCHES)
def test_batches_of_small_matrices(record, name, batch, n, dtype):
    rng = np.random.default_rng(0)
    a = rng.normal(size=(batch, n, n)).astype(dtype) + 2 * np.eye(n, dtype=dtype)
    works = works_of(name, a, rng.normal(size=(batch, n, 1)).astype(dtype))
    assert_same({library: values(name, work()) for library, work in works.items()}, 1e-2)
    goals = SMALL[name] if n == 8 and dtype == "float32" else {}
    row: Row = compare(
        "linalg", f"{name} {batch}×{n}×{n} {dtype}", works, goals, check=False, budget_s=1.0
    )
    record(row)


@pytest.mark.parametrize("name", sorted(LARGE))
@pytest.mark.parametrize("n", SIZES)
def test_large_matrices(record, name, n):
    if n == 2048 and name in {"eigh", "svd"}:
        n = 1024  # a minute of it, otherwise
    rng = np.random.default_rng(0)
    a = (rng.normal(size=(n, n)) + 2 * np.sqrt(n) * np.eye(n)).astype(np.float32)
    works = works_of(name, a, rng.normal(size=(n, 8)).astype(np.float32))
    assert_same({library: values(name, work()) for library, work in works.items()}, 1e-2)
    goals = {"numpy": 0.9} if n == 64 else {"numpy": 1.0, "torch": 1.0}
    record(compare("linalg", f"{name} {n}×{n}", works, goals, check=False, budget_s=1.0))


# What test_large_matrices leaves out: float64, and other shapes.
@pytest.mark.parametrize(
    ("shape", "dtype"),
    [((n, n), "float64") for n in (512, 1024, 2048)]
    + [((1024, 1024), "float32"), ((4096, 256), "float32"), ((4096, 256), "float64")],
)
def test_qr(record, shape, dtype):
    a = np.random.default_rng(0).normal(size=shape).astype(dtype)
    works = works_of("qr", a, a)
    assert_same({library: values("qr", work()) for library, work in works.items()}, 1e-2)
    goals = {"numpy": 1.0, "torch": 1.0}
    label = f"qr {shape[0]}×{shape[1]} {dtype}"
    record(compare("linalg", label, works, goals, check=False, budget_s=1.0))
