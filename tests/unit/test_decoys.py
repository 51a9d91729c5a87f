"""Libraries planted where a loader would look: none of five decoys is ever opened."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from gpukit import _core

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


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with an NVML and the driver that came with it."""
    safe = tmp_path_factory.mktemp("driver")
    safe.chmod(0o755)
    (safe / "nvml.cpp").write_text(NVML)
    (safe / "driver.cpp").write_text("")
    compiler = os.environ.get("CXX") or shutil.which("c++") or "g++"
    for source, name in (("nvml.cpp", "libnvidia-ml.so.1"), ("driver.cpp", "libcuda.so.1")):
        command = [compiler, "-shared", "-fPIC", f"-Wl,-soname,{name}", source, "-o", name, "-ldl"]
        subprocess.run(command, check=True, cwd=safe)
    return safe


@pytest.mark.parametrize("path", [":", "lib:/nowhere", "/nowhere;."])
def test_nvml_gets_the_driver_beside_it(decoys, installed, tmp_path, path):
    named = {"GPUKIT_LIBCUDA": str(installed / "libcuda.so.1"), "LD_LIBRARY_PATH": path}
    assert opened("import gpukit; gpukit.smi()", decoys, tmp_path / "mark", **named) == []


def test_nvml_gets_the_driver_that_the_loader_finds(decoys, installed, tmp_path):
    """One in an absolute folder, as that of cuda-compat; a build without CUDA opens no NVML."""
    named = {"GPUKIT_LIBCUDA": str(installed / "libcuda.so.1"), "LD_LIBRARY_PATH": str(decoys)}
    found = opened("import gpukit; gpukit.smi()", tmp_path, tmp_path / "mark", **named)
    assert found == (["libcuda.so.1"] if _core.build_info()["cuda"] else [])


def test_nvml_gets_the_driver_that_is_open(decoys, installed, tmp_path):
    script = f"""
import ctypes, pathlib
ctypes.CDLL({str(decoys / "libcuda.so.1")!r})
import gpukit
gpukit.smi()
assert {str(installed / "libcuda.so.1")!r} not in pathlib.Path("/proc/self/maps").read_text()
"""
    named = {"GPUKIT_LIBCUDA": str(installed / "libcuda.so.1"), "LD_LIBRARY_PATH": ":"}
    assert opened(script, tmp_path, tmp_path / "mark", **named) == ["libcuda.so.1"]
