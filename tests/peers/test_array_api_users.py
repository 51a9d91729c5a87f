"""SciPy and scikit-learn compute with gpukit's tensors by the array API (array_api_users.py)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize(("place", "least"), [("cpu", 62), ("cuda:0", 40)])
def test_their_functions_give_tensors_with_the_numbers_of_numpy(place: str, least: int) -> None:
    environment = os.environ | {"GPUKIT_SIMULATE": "1xT4"}
    command = [sys.executable, "-W", "ignore", "-m", "peers.array_api_users", place]
    run = subprocess.run(
        command, cwd=TESTS, env=environment, capture_output=True, text=True, check=True
    )
    faults = json.loads(run.stdout.splitlines()[-1])
    assert {name: fault for name, fault in faults.items() if fault} == {}
    assert len(faults) >= least
