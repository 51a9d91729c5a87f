"""The CPU's answers with narrower vector instructions than this processor has."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PRODUCTS = ("test_cpu_bfloat16.py", "test_cpu_vectors.py")
FUNCTIONS = ("test_cpu_math.py", "test_layer_norm.py")


def run_at(level, files, **environment):
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        + [str(Path(__file__).with_name(name)) for name in files],
        check=False,
        env={**os.environ, "GPUKIT_SIMD": level, **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("level", ["baseline", "avx2", "avx512"])
def test_products_at_every_level(level):
    run_at(level, PRODUCTS)


@pytest.mark.parametrize("level", ["baseline", "avx2", "avx512"])
def test_functions_and_rows_at_every_level(level):
    run_at(level, FUNCTIONS, GPUKIT_TEST_MODE="cpu")
