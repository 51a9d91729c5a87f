"""Programs in processes of their own, on gpukit's kernels as NVRTC makes PTX of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from support.mode import PROJECT

if TYPE_CHECKING:
    import pytest

# For programs that multiply: operands of whole numbers in three layouts, on the host and the GPU.
OPERANDS = """
import itertools, sys
import numpy as np
import gpukit

random = np.random.default_rng(0)

def operand(shape, dtype, layout, most):
    host = random.integers(-most, most + 1, shape).astype(np.float64)
    if layout == "rows":
        x = gpukit.tensor(host, dtype=dtype).to("cuda:0")
    elif layout == "columns":
        turned = np.ascontiguousarray(host.swapaxes(-1, -2))
        x = gpukit.tensor(turned, dtype=dtype).to("cuda:0").mT
    else:  # every second row, every third column, from an odd address
        wide = np.zeros((*shape[:-2], 2 * shape[-2], 3 * shape[-1] + 1))
        wide[..., ::2, 1::3] = host
        x = gpukit.tensor(wide, dtype=dtype).to("cuda:0")[..., ::2, 1::3]
    return host, x

def product(shapes, dtype, layouts, most):
    (a, x), (b, y) = (operand(s, dtype, layout, most) for s, layout in zip(shapes, layouts))
    got = (x @ y).cpu().to(gpukit.float64).numpy()
    assert np.array_equal(got, a @ b), (shapes, dtype, layouts)

def sum_of_products(m, n, k, dtype, most):
    (a, x), (b, y) = operand((m, k), dtype, "rows", most), operand((k, n), dtype, "rows", most)
    c, z = operand((m, n), dtype, "rows", most)
    got = gpukit.addmm(z, x, y, beta=3, alpha=2).cpu().to(gpukit.float64).numpy()
    assert np.array_equal(got, 3 * c + 2 * (a @ b)), dtype
    x[3, 7] = float("inf")
    got = (x @ y).cpu().to(gpukit.float64)
    assert not got[3].isfinite().all() and got[:3].isfinite().all() and got[4:].isfinite().all()

LAYOUTS = list(itertools.product(["rows", "columns", "apart"], repeat=2))
DTYPES = [getattr(gpukit, name) for name in sys.argv[1].split()]
MANY = gpukit.cuda.get_device_properties(0).multi_processor_count
"""


def run(code: str, *arguments: str, **variables: str) -> str:
    """What a program prints; without cuBLAS, and without a simulation that it does not ask for."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, "GPUKIT_SIMULATE": "", "GPUKIT_CUBLAS": "none", **variables},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


def texts_of(factory: pytest.TempPathFactory, arch: int, *families: str) -> Path:
    """A folder with the PTX of some families of kernels."""
    folder = factory.mktemp(f"compute_{arch}")
    command = [sys.executable, str(PROJECT / "tools" / "make_ptx.py"), str(arch), str(folder)]
    made = subprocess.run(
        [*command, *families], capture_output=True, text=True, timeout=300, check=False
    )
    assert made.returncode == 0, made.stderr
    return folder
