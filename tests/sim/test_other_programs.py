"""Programs other than gpukit that open the simulated driver where they look for NVIDIA's."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.nvrtc import builtins_path, library_path
from support.sim_driver import installed_folder

COUNT = """
import ctypes
driver = ctypes.CDLL("libcuda.so.1")
count, name = ctypes.c_int(), ctypes.create_string_buffer(100)
assert driver.cuInit(0) == 0
assert driver.cuDeviceGetCount(ctypes.byref(count)) == 0
assert driver.cuDeviceGetName(name, 100, count.value - 1) == 0
print(count.value, name.value.decode())
"""

# As cuda.core and numba do: NVRTC, which opens libcuda.so.1 by itself at its first compilation.
COMPILE = """
import ctypes, sys
builtins, nvrtc = (ctypes.CDLL(path) for path in sys.argv[1:])
program, size = ctypes.c_void_p(), ctypes.c_size_t()
source = b'extern "C" __global__ void twice(float* x) { x[threadIdx.x] *= 2; }'
assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, b"a.cu", 0, None, None) == 0
options = (ctypes.c_char_p * 1)(b"--gpu-architecture=compute_75")
assert nvrtc.nvrtcCompileProgram(program, 1, options) == 0
assert nvrtc.nvrtcGetPTXSize(program, ctypes.byref(size)) == 0
text = ctypes.create_string_buffer(size.value)
assert nvrtc.nvrtcGetPTX(program, text) == 0
print(text.value.decode())
"""


@pytest.fixture
def beside(tmp_path: Path) -> dict[str, str]:
    """An environment in which the simulated driver lies where libcuda.so.1 is looked for."""
    (tmp_path / "libcuda.so.1").symlink_to(installed_folder() / "libgpukit_simcuda.so")
    known = {name: value for name, value in os.environ.items() if name != "GPUKIT_SIMULATE"}
    return {**known, "LD_LIBRARY_PATH": str(tmp_path), "CUDA_CACHE_PATH": str(tmp_path / "cache")}


def run(
    program: str, *arguments: str, env: dict[str, str], gives: int = 0
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env=env,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == gives, done.stderr
    return done


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("2xT4", "2 Tesla T4 (simulated)"),
        ("T4+A100", "2 NVIDIA A100-SXM4-40GB (simulated)"),
        ("3,mem=1GiB", "3 Tesla T4 (simulated)"),
        ("", "1 Tesla T4 (simulated)"),
    ],
)
def test_others_see_every_device(beside: dict[str, str], text: str, shown: str) -> None:
    done = run(COUNT, env={**beside, "GPUKIT_SIMULATE": text})
    assert done.stdout.strip() == shown
    assert not done.stderr


@pytest.mark.parametrize(
    ("visible", "shown"),
    [
        ("1,0", "2 Tesla T4 (simulated)"),
        ("1", "1 NVIDIA A100-SXM4-40GB (simulated)"),
        ("0,1,7", "2 NVIDIA A100-SXM4-40GB (simulated)"),
        ("0,x,1", "1 Tesla T4 (simulated)"),
    ],
)
def test_visible_devices_are_read_when_the_driver_starts(
    beside: dict[str, str], visible: str, shown: str
) -> None:
    env = {**beside, "GPUKIT_SIMULATE": "T4+A100", "CUDA_VISIBLE_DEVICES": visible}
    assert run(COUNT, env=env).stdout.strip() == shown


@pytest.mark.parametrize("visible", ["", "-1", "0,0"])
def test_hidden_devices(beside: dict[str, str], visible: str) -> None:
    env = {**beside, "GPUKIT_SIMULATE": "2xT4", "CUDA_VISIBLE_DEVICES": visible}
    program = "import ctypes; raise SystemExit(ctypes.CDLL('libcuda.so.1').cuInit(0))"
    run(program, env=env, gives=100)


@pytest.mark.parametrize("text", ["2xT5", "2xT4,colour=red", "2xT4,fault=no_such@1", "65xT4"])
def test_a_text_that_means_nothing_is_named(beside: dict[str, str], text: str) -> None:
    done = run(COUNT, env={**beside, "GPUKIT_SIMULATE": text})
    assert done.stdout.strip() == "1 Tesla T4 (simulated)"
    assert f"GPUKIT_SIMULATE='{text}' is not used" in done.stderr


def test_nvrtc_compiles_beside_the_simulator(beside: dict[str, str]) -> None:
    libraries = (str(builtins_path()), str(library_path()))  # in this order: see support.nvrtc
    done = run(COMPILE, *libraries, env={**beside, "GPUKIT_SIMULATE": "2xT4"})
    assert ".entry twice(" in done.stdout
