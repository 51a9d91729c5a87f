"""The list of faults: each gives the exception class and the words of the real one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.sim_driver import installed_folder

PROGRAM = """
import gpukit
try:
    x = gpukit.ones(4, device="cuda:0")
    print("fine", (x + 1).cpu().tolist())
except gpukit.GpukitError as error:
    print(type(error).__name__, "|", error, "| fix:", error.fix)
    assert gpukit.ones(2).sum().item() == 2  # the CPU goes on
    try:
        gpukit.ones(4, device="cuda:0").cpu()
        print("then fine")
    except gpukit.GpukitError as again:
        print("then", type(again).__name__)
"""
FINE = ("fine", "[2.0, 2.0, 2.0, 2.0]")
FAULTS: dict[str, tuple[str, ...]] = {
    "driver_too_old": ("DeviceNotFoundError", "supports up to CUDA 11.4", "driver 525 or newer"),
    "stub": ("DeviceNotFoundError", "CUDA_ERROR_STUB_LIBRARY (34)", "LD_LIBRARY_PATH"),
    "no_device": ("DeviceNotFoundError", "CUDA_ERROR_NO_DEVICE (100)", "shows no GPU"),
    "hidden": ("DeviceNotFoundError", "CUDA_ERROR_NO_DEVICE (100)", "CUDA_VISIBLE_DEVICES"),
    "no_arch": ("DeviceError", "compute capability 3.5", "no kernels"),
    "lost@1": ("DeviceError", "CUDA_ERROR_ILLEGAL_ADDRESS (700)", "then DeviceError"),
    "ecc@1": ("DeviceError", "CUDA_ERROR_ECC_UNCORRECTABLE (214)", "then DeviceError"),
    "launch_fail@1": ("DeviceError", "CUDA_ERROR_LAUNCH_FAILED (719)", "then DeviceError"),
    "oom@1": FINE,  # tried again after the cache was emptied
    "oom@3": FINE,
    "oom@1+": ("OutOfMemoryError", "asked 16 B", "empty_cache()", "then OutOfMemoryError"),
    "no_symbol:cuFuncLoad": FINE,
    "no_symbol:cuMemAllocAsync": FINE,
    "fail:cuInit:999@1+": ("DeviceNotFoundError", "CUDA_ERROR_UNKNOWN (999)"),
    "fail:cuInit:802@1+": ("DeviceNotFoundError", "CUDA_ERROR_SYSTEM_NOT_READY (802)", "fabric"),
    "fail:cuInit:803@1+": ("DeviceNotFoundError", "SYSTEM_DRIVER_MISMATCH (803)", "Reboot"),
    "fail:cuDevicePrimaryCtxRetain:46@1+": ("DeviceNotFoundError", "DEVICE_UNAVAILABLE (46)"),
    "fail:cuStreamCreateWithPriority:2@1+": ("OutOfMemoryError",),
    "fail:cuModuleLoadData:209@1+": ("DeviceError", "NO_BINARY_FOR_GPU (209)"),
    "fail:cuLaunchKernel:701@1": ("DeviceError", "LAUNCH_OUT_OF_RESOURCES (701)", "then fine"),
}


def run(program: str = PROGRAM, **environment: str) -> str:
    """What a program prints, in a process of its own."""
    kept = {k: v for k, v in os.environ.items() if k not in {"GPUKIT_SIMULATE", "GPUKIT_LIBCUDA"}}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**kept, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("fault", FAULTS)
def test_fault(fault: str, count: int) -> None:
    said = run(GPUKIT_SIMULATE=f"{count}xT4,fault={fault}")
    assert [words for words in FAULTS[fault] if words not in said] == [], said


TWO_GPUS = """
import gpukit
kept = gpukit.ones(4, device="cuda:0")  # the driver's first allocation
try:
    print("fine", gpukit.ones(1 << 22, device="cuda:1").sum().item())
except gpukit.OutOfMemoryError as error:
    print("refused |", error)
try:
    gpukit.ones(1 << 22, device="cuda:0")
except gpukit.OutOfMemoryError as error:
    print("then", str(error)[:6])
print("kept", (kept + 1).tolist())
"""


def test_memory_that_runs_out_on_the_second_gpu_names_it_and_leaves_the_first() -> None:
    said = run(TWO_GPUS, GPUKIT_SIMULATE="2xT4,fault=oom@2+")
    assert "refused | cuda:1: asked 16.0 MiB" in said
    assert "then cuda:0" in said
    assert "kept [2.0, 2.0, 2.0, 2.0]" in said


@pytest.mark.parametrize("number", [1, 2, 3])
def test_one_refused_allocation_of_two_gpus_is_asked_for_again(number: int) -> None:
    said = run(TWO_GPUS, GPUKIT_SIMULATE=f"2xT4,fault=oom@{number}")
    assert said == "fine 4194304.0\nkept [2.0, 2.0, 2.0, 2.0]\n"


@pytest.mark.parametrize("branch", [525, 535, 550, 560, 570, 580])
def test_an_older_driver_without_the_newer_functions_works(branch: int) -> None:
    said = run(GPUKIT_SIMULATE=f"1xT4,driver={branch}")
    assert FINE[1] in said, said


@pytest.mark.parametrize("branch", [470, 520])
def test_a_driver_before_525_is_refused(branch: int) -> None:
    assert "driver 525 or newer" in run(GPUKIT_SIMULATE=f"1xT4,driver={branch}")


def library_without(folder: Path, symbol: str) -> Path:
    """A copy of the simulated driver that does not export `symbol`."""
    shutil.copytree(installed_folder(), folder, dirs_exist_ok=True)
    library = folder / "libgpukit_simcuda.so"
    content = library.read_bytes()
    wanted = b"\0" + symbol.encode() + b"\0"
    assert wanted in content
    library.write_bytes(content.replace(wanted, b"\0x" + wanted[2:]))
    return library


@pytest.mark.parametrize(
    ("symbol", "words"),
    [
        ("cuMemAlloc_v2", ("DeviceNotFoundError", "cuMemAlloc_v2")),
        ("cuLaunchKernel", ("DeviceNotFoundError", "cuLaunchKernel")),
        ("cuFuncLoad", FINE),
        ("cuGetProcAddress_v2", FINE),
        ("cuStreamBeginCapture_v2", FINE),
    ],
)
def test_a_library_that_lacks_a_function(
    tmp_path: Path, symbol: str, words: tuple[str, ...]
) -> None:
    said = run(GPUKIT_LIBCUDA=str(library_without(tmp_path / "lib", symbol)))
    assert [one for one in words if one not in said] == [], said
