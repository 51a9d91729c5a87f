"""Fourier transforms: powers of two, a size of other factors, a prime, batches, and planes."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.fft
import torch
from harness import Row, as_array, assert_same, compare

import gpukit

CASES = {
    "1024": (1024,),
    "16384": (2**14,),
    "65536": (2**16,),
    "1048576": (2**20,),
    "1000": (1000,),
    "1009": (1009,),
    "1000×1024": (1000, 1024),
    "64×16384": (64, 2**14),
}
# numpy.fft computes complex64 in double and rounds, so its ratio counts for powers of two alone.
POWERS = {"numpy": 3.0, "torch": 2.0}


def parts(answer: object) -> np.ndarray:
    """Real and imaginary parts as float64."""
    array = answer.numpy() if hasattr(answer, "numpy") else np.asarray(answer)
    return as_array(np.stack([array.real, array.imag]))


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("name", CASES)
def test_lines(record, name, dtype):
    rng = np.random.default_rng(0)
    shape = CASES[name]
    x = (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(dtype)
    mine, torchs = gpukit.tensor(x), torch.tensor(x)
    works = {
        "gpukit": lambda: gpukit.fft.fft(mine),
        "numpy": lambda: np.fft.fft(x),
        "torch": lambda: torch.fft.fft(torchs),
        "scipy": lambda: scipy.fft.fft(x, workers=gpukit.get_num_threads()),
    }
    assert_same({library: parts(work()) for library, work in works.items()}, 2e-6)
    size = shape[-1]
    goals = POWERS if dtype == "complex64" and size & (size - 1) == 0 else {}
    row: Row = compare("fft", f"{dtype} {name}", works, goals, check=False)
    row.note = f"{5 * x.size * np.log2(size) / row.ns['gpukit']:.1f} GFLOP/s"
    record(row)


@pytest.mark.parametrize("size", [512, 1024])
def test_planes(record, size):
    rng = np.random.default_rng(0)
    x = (rng.normal(size=(size, size)) + 1j * rng.normal(size=(size, size))).astype(np.complex64)
    mine, torchs = gpukit.tensor(x), torch.tensor(x)
    works = {
        "gpukit": lambda: gpukit.fft.fft2(mine),
        "numpy": lambda: np.fft.fft2(x),
        "torch": lambda: torch.fft.fft2(torchs),
    }
    assert_same({library: parts(work()) for library, work in works.items()}, 2e-6)
    row: Row = compare("fft", f"fft2 complex64 {size}×{size}", works, POWERS, check=False)
    row.note = f"{10 * x.size * np.log2(size) / row.ns['gpukit']:.1f} GFLOP/s"
    record(row)
