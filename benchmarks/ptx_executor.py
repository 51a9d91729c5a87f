"""How fast the simulator interprets PTX, on one core: millions of thread-instructions a second.

    python benchmarks/ptx_executor.py

By name only. Instructions are counted by a launch of their own (`counts=1`); the time is that of
the process's CPU, so that other programs matter less. Simulated devices have no speed: this is
the interpreter's.
"""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from gpukit._simulation import launch_counts
from support.nvrtc import compile_ptx
from support.sim_driver import SimDriver, installed_folder

SOURCE = r"""
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
extern "C" __global__ void block_sum(int n, float a, const float* x, float* y) {
  __shared__ float part[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) y[blockIdx.x] = part[0];
}
extern "C" __global__ void collatz(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, steps = 0;
  for (unsigned v = i + 1; v != 1 && steps < 100; steps++) v = v & 1 ? 3 * v + 1 : v / 2;
  y[i] = steps;
}
"""
BLOCKS, THREADS = 512, 256
SECONDS = 1.0


class Case:
    """A kernel of the source on a fresh simulation."""

    def __init__(self, driver: SimDriver, name: str, settings: str) -> None:
        driver.start(f"T4{settings}")
        n = BLOCKS * THREADS
        self.driver = driver
        self.function = driver.function(driver.load(compile_ptx(SOURCE)), name)
        self.arguments: list[Any] = [ctypes.c_int(n), ctypes.c_float(2)]
        self.arguments += [driver.upload(np.ones(n, "f4")) for _ in range(2)]

    def run(self) -> None:
        self.driver.launch(self.function, BLOCKS, THREADS, *self.arguments)
        self.driver.call("cuCtxSynchronize")


def thread_instructions(driver: SimDriver, name: str) -> int:
    """Of one launch: lanes of warps, idle ones too, as the interpreter works for them."""
    Case(driver, name, ",counts=1").run()
    counts = launch_counts.read(driver.library, driver.library.gpukitSimEvents(None, 0) - 1)
    assert counts is not None
    return counts.warp_instructions * 32


def rate(driver: SimDriver, name: str) -> float:
    """Thread-instructions a second of CPU time: the best of the rounds."""
    instructions = thread_instructions(driver, name)
    case, best, spent = Case(driver, name, ""), float("inf"), 0.0
    case.run()
    while spent < SECONDS:
        begin = process_time()
        case.run()
        took = process_time() - begin
        best, spent = min(best, took), spent + took
    return instructions / best


def main() -> None:
    """Prints a line for each kernel."""
    driver = SimDriver(installed_folder() / "libgpukit_simcuda.so")
    for name in ("saxpy", "block_sum", "collatz"):
        print(f"{name}: {rate(driver, name) / 1e6:.0f} million thread-instructions/s")


if __name__ == "__main__":
    main()
