"""What a build without its CUDA part says; with it, that the simulator is included."""

from __future__ import annotations

from pathlib import Path

import pytest

import gpukit
from gpukit import _core


def test_simulate_works_or_says_why_it_cannot() -> None:
    simulator = Path(_core.__file__).parent / "_sim"
    assert simulator.is_dir() == _core.build_info()["cuda"]
    if not simulator.is_dir():
        with pytest.raises(gpukit.SimulationError, match="GPUKIT_CUDA=0"):
            gpukit.simulate(2)
