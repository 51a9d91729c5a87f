"""Products with narrower vector instructions than this processor has."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FILES = ("test_cpu_bfloat16.py", "test_cpu_vectors.py")


@pytest.mark.parametrize("level", ["baseline", "avx2", "avx512"])
def test_products_at_every_level(level):
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        + [str(Path(__file__).with_name(name)) for name in FILES],
        check=False,
        env={**os.environ, "GPUKIT_SIMD": level},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout
