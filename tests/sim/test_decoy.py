"""A foreign libcuda.so.1, loaded for the whole process, changes nothing for the simulation."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

SOURCE = """
extern "C" int cuInit(unsigned) { return 999; }
extern "C" int cuMemAlloc_v2() { return 999; }
"""
LOAD = "import ctypes; ctypes.CDLL({path!r}, mode=ctypes.RTLD_GLOBAL)\n"
COMPUTE = """
import gpukit
def compute():
    x = gpukit.arange(10, dtype="float32", device="cuda:1")
    assert (x * 2).sum().item() == 90.0 and x.device.simulated
"""


@pytest.fixture(scope="module")
def decoy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("decoy")
    (folder / "decoy.cpp").write_text(SOURCE)
    library = folder / "libcuda.so.1"
    compiler = os.environ.get("CXX") or shutil.which("c++") or "g++"
    command = [compiler, "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "decoy.cpp", "-o", library]
    subprocess.run(command, check=True, cwd=folder)
    return str(library)


@pytest.mark.parametrize("order", ["before", "after"])
def test_simulation_beside_a_decoy(decoy, order):
    load = LOAD.format(path=decoy)
    parts = [load, COMPUTE, "compute()\n"] if order == "before" else [COMPUTE, "compute()\n", load]
    program = "".join([*parts, "\ncompute()\n", "assert ctypes.CDLL(None).cuInit(0) == 999\n"])
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        env={**os.environ, "GPUKIT_SIMULATE": "2xT4"},
    )
    assert done.returncode == 0, done.stderr
