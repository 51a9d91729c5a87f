"""The barrier of the grid, as numba-cuda calls it: all threads of all blocks meet."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import gpukit
from gpukit.cuda import RawKernel

CODE = r"""
extern "C" __global__ void turn(int* rows, int count, int columns, int leaves) {
  const auto grid = cudaCGGetIntrinsicHandle(cudaCGScopeGrid);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (leaves && blockIdx.x == 1) return;
  for (int row = 1; row < count; row++) {
    rows[row * columns + i] = rows[(row - 1) * columns + columns - 1 - i] + 1;
    if (cudaCGSynchronize(grid, 0) != 0) rows[row * columns + i] = -1;
  }
}
"""
PROGRAM = f"""
import json, sys
import gpukit
from gpukit.cuda import RawKernel

kernel = RawKernel({CODE!r}, "turn", options=("-rdc=true",), enable_cooperative_groups=True)
blocks, threads, rows, leaves = json.loads(sys.argv[1])
x = gpukit.zeros(rows, blocks * threads, dtype="int32", device="cuda")
kernel((blocks,), (threads,), (x, rows, blocks * threads, leaves))
print(json.dumps([x[-1].amin().item(), x[-1].amax().item()]))
"""


def run(simulation: str, *values: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(values)],
        env={**os.environ, "GPUKIT_SIMULATE": simulation},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize(("blocks", "threads"), [(1, 128), (8, 128), (5, 33), (3, 1)])
def test_all_threads_meet(blocks, threads):
    kernel = RawKernel(CODE, "turn", options=("-rdc=true",), enable_cooperative_groups=True)
    x = gpukit.zeros(20, blocks * threads, dtype="int32", device="cuda")
    kernel((blocks,), (threads,), (x, 20, blocks * threads, 0))
    assert x.cpu().tolist() == [[row] * (blocks * threads) for row in range(20)]


def test_a_thousand_barriers_take_no_turns_of_waiting():
    done = run("1xT4", 8, 64, 1000, 0)
    assert json.loads(done.stdout) == [999, 999]


def test_checks_see_no_race():
    done = run("1xT4,check=race,init,sync", 4, 64, 5, 0)
    assert json.loads(done.stdout) == [4, 4], done.stderr


def test_a_block_that_leaves_is_named():
    done = run("1xT4", 3, 64, 5, 1)
    assert done.returncode == 1
    assert "the barrier of the grid is reached by 2 of 3 blocks" in done.stderr
