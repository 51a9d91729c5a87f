"""Kernels of one's own on simulated devices: sessions, faults with lines, checks, counts."""

from __future__ import annotations

import gc
import os
import subprocess
import sys

import pytest

import gpukit
from gpukit import _core
from gpukit.cuda import RawKernel, RawModule

SAXPY = r"""
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
"""
BAD = r"""extern "C" __global__ void unsafe(int n, float* x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = 1;  // without if (i < n)
}
extern "C" __global__ void racing(float* x) {
  __shared__ float part[64];
  part[threadIdx.x] = x[threadIdx.x];
  x[threadIdx.x] = part[63 - threadIdx.x];
}
extern "C" __global__ void unwritten(float* x) {
  __shared__ float part[65];
  part[threadIdx.x] = 1;
  __syncthreads();
  x[threadIdx.x] = part[threadIdx.x + 1];
}
extern "C" __global__ void diverging(float* x) {
  if (threadIdx.x < 32) { x[0] = 1; __syncthreads(); x[1] = 2; }
  else { __syncthreads(); x[2] = 3; }
}
"""


def run(code: str, simulate: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"GPUKIT_SIMULATE": simulate},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def test_each_device_has_its_own():
    saxpy = RawKernel(SAXPY, "saxpy")
    for device in ("cuda:0", "cuda:1", "cuda:0"):
        x, y = gpukit.ones(8, device=device), gpukit.ones(8, device=device)
        saxpy(1, 8, (8, 4.0, x, y))
        assert y.tolist() == [5.0] * 8 and y.device == gpukit.device(device)
    here, there = gpukit.ones(8, device="cuda:0"), gpukit.ones(8, device="cuda:1")
    with pytest.raises(gpukit.DeviceMismatchError, match=r"args\[3\] is on cuda:1.*on cuda:0"):
        saxpy(1, 8, (8, 1.0, here, there))
    with pytest.raises(gpukit.DeviceMismatchError, match=r"args\[2\] is on cuda:0.*on cuda:1"):
        saxpy[1, 8, gpukit.cuda.Stream("cuda:1")](8, 1.0, here, there)
    with gpukit.cuda.device(1):
        count = RawModule(
            code='__device__ int where; extern "C" __global__ void f() { where = 9; }'
        )
        count.get_function("f")(1, 1, ())
        assert count.get_global("where", dtype="int32").item() == 9
        assert count.get_global("where").device == gpukit.device("cuda:1")


def test_one_simulation_after_another():
    code = f"""
import gc, gpukit
from gpukit import _core
kernel = gpukit.cuda.RawKernel({SAXPY!r}, "saxpy")
source = '__device__ int v = 4; extern "C" __global__ void f() {{ v = 5; }}'
module = gpukit.cuda.RawModule(code=source)
compiled, real = [], _core.compile_code
_core.compile_code = lambda *a: compiled.append(1) or real(*a)
old = []
for card in ("T4", "T4", "RTX 2080 Ti"):
    with gpukit.simulate(2, card):
        x = gpukit.ones(4, device="cuda:1")
        kernel(1, 4, (4, 1.0, x, x))
        print(x.tolist(), module.get_global("v", dtype="int32").item(), kernel.binary_version)
        old += [x, module.get_global("v"), module.get_function("f"), kernel._function(0)]
for each in old[::4]:
    try:
        kernel(1, 4, (4, 1.0, each, each))
    except gpukit.DeviceError as error:
        print("has ended" in str(error))
try:
    old[-1].launch(1, 1, (), None, 0, False)
except gpukit.DeviceError as error:
    print("has ended" in str(error))
del old, x, kernel, module
gc.collect()
print(gpukit.ones(2).tolist())
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={k: v for k, v in os.environ.items() if k != "GPUKIT_SIMULATE"},
        capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip
    lines = done.stdout.splitlines()
    assert lines[:3] == ["[2.0, 2.0, 2.0, 2.0] 4 75"] * 3, done
    assert lines[3:] == ["True"] * 4 + ["[1.0, 1.0]"], done.stderr


FAULT = """
import gpukit
kernel = gpukit.cuda.RawModule(code={code!r}).get_function({name!r})
x = gpukit.zeros(64, device="cuda")
try:
    kernel({grid}, 64, {arguments})
    gpukit.cuda.synchronize()
    print("no fault")
except gpukit.DeviceError as error:
    print(error.details["status"])
    print(gpukit._simulation.session._active.last_message())
"""


@pytest.mark.parametrize(
    ("name", "check", "arguments", "status", "words"),
    [
        ("unsafe", "memory", "(64, x)", 700, ["module.cu:3", "block (1, 0, 0)", "writes 4 bytes"]),
        (
            "racing",
            "race",
            "(x,)",
            719,
            ["module.cu:7", "a race", "module.cu:8", "thread (31, 0, 0)"],
        ),
        (
            "unwritten",
            "race,init",
            "(x,)",
            719,
            ["module.cu:14", "which no thread of the block wrote"],
        ),
        ("diverging", "sync", "(x,)", 719, ["module.cu:17", "module.cu:18"]),
    ],
)
def test_faults_name_the_line_of_the_source(name, check, arguments, status, words):
    done = run(
        FAULT.format(code=BAD, name=name, grid=2 if name == "unsafe" else 1, arguments=arguments),
        f"1xT4,check={check}",
    )
    assert done.stdout.startswith(f"{status}\n"), done
    assert done.stdout.split("\n", 1)[1].strip() in done.stderr
    assert all(word in done.stderr for word in words), done.stderr
    assert f"kernel {name}" in done.stderr


def test_the_compiler_is_the_one_of_the_wheel():
    code = f"""
import gpukit
gpukit.cuda.RawKernel({SAXPY!r}, "saxpy").compile()
maps = open("/proc/self/maps").read().split()
print(sorted({{line for line in maps if "nvrtc" in line}}))
"""
    done = run(code, "1xT4")
    assert "cuda_nvrtc/lib/libnvrtc.so.12" in done.stdout, done.stderr
    assert "cuda_nvrtc/lib/libnvrtc-builtins.so.12.9" in done.stdout


def test_counts_of_a_launch():
    code = f"""
import gpukit
saxpy = gpukit.cuda.RawKernel({SAXPY!r}, "saxpy")
with gpukit.simulate(1, counts=True) as simulation:
    x, y = gpukit.ones(1024, device="cuda"), gpukit.ones(1024, device="cuda")
    saxpy(4, 256, (1024, 2.0, x, y))
    gpukit.cuda.synchronize()
    counts = simulation.events()[-1].counts
    print(counts.kernel, counts.launches, counts.global_reads.bytes, counts.sector_efficiency)
"""
    done = run(code, "")
    assert done.stdout == "saxpy 1 8192 1.0\n", done


def test_machine_code_is_refused_with_what_to_do():
    image, _, _ = _core.compile_code(0, SAXPY, "saxpy.cu", [], [], True)
    assert image.startswith(b"\x7fELF")
    with pytest.raises(gpukit.CompileError, match="PTX") as caught:
        RawKernel(image, "saxpy").compile()
    assert caught.value.details["status"] == 209


def test_a_cut_cubin_never_reaches_a_driver():
    image, _, _ = _core.compile_code(0, SAXPY, "saxpy.cu", [], [], True)
    for end in (4, 20, 63, 64, 200, len(image) // 2, len(image) - 1):
        with pytest.raises(ValueError, match=r"cut off|neither"):
            RawKernel(image[:end], "saxpy")
    RawKernel(image, "saxpy")


def test_ptx_too_new_for_a_driver_is_compiled_to_machine_code(monkeypatch):
    """A driver that returns 222 is given a cubin: the only way to load code on an older card."""
    asked, real = [], _core.DeviceCode

    def load(index: int, image: bytes, name: str) -> _core.DeviceCode:
        asked.append(bytes(image[:4]))
        if len(asked) == 1:
            raise gpukit.CompileError("too new", details={"status": 222})
        return real(index, _core.compile_code(0, SAXPY, name, [], [], False)[0], name)

    monkeypatch.setattr(_core, "DeviceCode", load)
    kernel = RawKernel(SAXPY, "saxpy")
    x, y = gpukit.ones(4, device="cuda"), gpukit.ones(4, device="cuda")
    kernel(1, 4, (4, 1.0, x, y))
    assert y.tolist() == [2.0] * 4 and asked[1] == b"\x7fELF"


def test_modules_are_unloaded():
    """Many short-lived modules leave none behind but the last few."""
    before = gpukit.cuda.mem_get_info()[0]
    for round_ in range(60):
        kernel = RawKernel(
            "__device__ char room[4 << 20];"
            f'extern "C" __global__ void f() {{ room[0] = {round_}; }}',
            "f",
        )
        kernel(1, 1, ())
    del kernel
    gc.collect()
    assert before - gpukit.cuda.mem_get_info()[0] <= 20 * (4 << 20)


def test_no_gpu_is_said():
    code = """
import gpukit
kernel = gpukit.cuda.RawKernel('extern "C" __global__ void f() {}', "f")
uses = (lambda: kernel(1, 1, ()), lambda: kernel[1, 1](), lambda: kernel.num_regs)
for use in (*uses, kernel.compile):
    try:
        use()
    except gpukit.DeviceNotFoundError as error:
        print("ok")
"""
    given = {k: v for k, v in os.environ.items() if k != "GPUKIT_SIMULATE"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=given | {"GPUKIT_LIBCUDA": "none"},
        capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip
    assert done.stdout == "ok\n" * 4, done.stderr
