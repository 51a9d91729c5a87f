"""Libraries planted where a loader would look: none of five decoys is ever opened."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

NAMES = (
    "libcuda.so.1",
    "libnvidia-ml.so.1",
    "libcublas.so.12",
    "libopenblas.so.0",
    "libblas.so.3",
)
# Each decoy that is opened appends a line to the file that DECOY_MARK names.
SOURCE = """
#include <cstdio>
#include <cstdlib>
__attribute__((constructor)) static void opened() {
  if (const char* mark = std::getenv("DECOY_MARK")) {
    if (FILE* file = std::fopen(mark, "a")) { std::fputs(NAME "\\n", file); std::fclose(file); }
  }
}
"""
USE = """
import gpukit
x = gpukit.ones(64, 64)
(x @ x).sum().item()
gpukit.cuda.is_available()
gpukit.info()
gpukit.smi()
gpukit.doctor()
"""
ATTACK = "import ctypes; ctypes.CDLL('libcuda.so.1')"


@pytest.fixture(scope="module")
def decoys(tmp_path_factory):
    folder = tmp_path_factory.mktemp("decoys")
    (folder / "decoy.cpp").write_text(SOURCE)
    compiler = os.environ.get("CXX") or shutil.which("c++") or "g++"
    for name in NAMES:
        subprocess.run(
            [compiler, "-shared", "-fPIC", f'-DNAME="{name}"', "decoy.cpp", "-o", name],
            check=True,
            cwd=folder,
        )
    return folder


def opened(script, folder, mark, **environment):
    """Names of the decoys that a process in their folder opened."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("GPUKIT_")}
    subprocess.run(
        [sys.executable, "-c", script],
        cwd=folder,
        env={**kept, "DECOY_MARK": str(mark), **environment},
        capture_output=True,
        check=True,
        timeout=100,
    )
    return mark.read_text().split() if mark.exists() else []


def test_the_decoys_work(decoys, tmp_path):
    assert opened(ATTACK, decoys, tmp_path / "mark", LD_LIBRARY_PATH=":") == ["libcuda.so.1"]


@pytest.mark.parametrize(
    "path",
    [
        "/usr/local/nvidia/lib64:/usr/local/cuda/lib64:",  # Kaggle's, with its empty entry
        ":/nowhere",
        ".",
    ],
)
def test_nothing_is_opened_from_the_working_directory(decoys, tmp_path, path):
    assert opened(USE, decoys, tmp_path / "mark", LD_LIBRARY_PATH=path) == []


def test_nothing_is_opened_from_a_world_writable_folder(decoys, tmp_path):
    decoys.chmod(0o777)
    assert opened(USE, tmp_path, tmp_path / "mark", LD_LIBRARY_PATH=str(decoys)) == []


def test_a_named_library_must_be_absolute_and_safe(decoys, tmp_path):
    decoys.chmod(0o777)
    for value in ("libcuda.so.1", f"{decoys}/libcuda.so.1"):
        found = opened(USE, decoys, tmp_path / "mark", GPUKIT_LIBCUDA=value)
        assert found == []


# NVIDIA's NVML opens the driver by its bare name when it starts.
NVML = """
#include <dlfcn.h>
extern "C" int nvmlInitWithFlags(unsigned) {
  return dlopen("libcuda.so.1", RTLD_NOW) == nullptr ? 12 : 9;
}
"""


def test_nvml_gets_the_driver_beside_it(decoys, tmp_path):
    safe = tmp_path / "driver"
    safe.mkdir(mode=0o755)
    (safe / "nvml.cpp").write_text(NVML)
    (safe / "driver.cpp").write_text("")
    compiler = os.environ.get("CXX") or shutil.which("c++") or "g++"
    for source, name in (("nvml.cpp", "libnvidia-ml.so.1"), ("driver.cpp", "libcuda.so.1")):
        command = [compiler, "-shared", "-fPIC", f"-Wl,-soname,{name}", source, "-o", name, "-ldl"]
        subprocess.run(command, check=True, cwd=safe)
    use = "import gpukit; gpukit.smi()"
    named = {"GPUKIT_LIBCUDA": str(safe / "libcuda.so.1"), "LD_LIBRARY_PATH": ":"}
    assert opened(use, decoys, tmp_path / "mark", **named) == []
