"""A copy of the simulated driver that no other test, and not gpukit itself, uses."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.mode import PROJECT
from support.sim_driver import SimDriver, installed_folder


@pytest.fixture(scope="session")
def sim_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copies of the simulated libraries: a copied file is another library, with its own state."""
    folder = tmp_path_factory.mktemp("sim")
    for library in installed_folder().glob("*.so"):
        shutil.copy(library, folder)
    return folder


@pytest.fixture(scope="session")
def loaded_driver(sim_folder: Path) -> SimDriver:
    """The copy, loaded."""
    return SimDriver(sim_folder / "libgpukit_simcuda.so")


@pytest.fixture(scope="session")
def own_ptx(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """gpukit's kernels as NVRTC makes PTX of them for compute_75: some ten seconds."""
    folder = tmp_path_factory.mktemp("ptx75")
    made = subprocess.run(
        [sys.executable, str(PROJECT / "tools" / "make_ptx.py"), "75", str(folder)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    return folder


@pytest.fixture
def driver(loaded_driver: SimDriver) -> Iterator[SimDriver]:
    """The copy with no simulation of an earlier test in it."""
    loaded_driver.configure("")
    yield loaded_driver
    loaded_driver.configure("")
