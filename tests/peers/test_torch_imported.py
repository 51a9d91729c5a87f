"""gpukit imported beside torch, in either order, and used."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize("order", [("torch", "gpukit"), ("gpukit", "torch")])
def test_either_is_imported_first(order):
    script = "; ".join(
        [*(f"import {name}" for name in order), "print(gpukit.ones(3).sum().item())"]
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout.strip() == "3.0", done.stderr
