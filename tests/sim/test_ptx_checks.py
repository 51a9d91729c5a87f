"""check=race,init,sync: planted faults are found with their lines; right kernels run through."""

from __future__ import annotations

import ctypes
from ctypes import c_int

import numpy as np
import pytest

from support.nvrtc import compile_ptx
from support.sim_driver import SimDriver, StatusError

CHECK, ILLEGAL = 719, 700
# A line with "// FAULT" is where the fault is reported, one with "// BEFORE" what it names beside.
PLANTED = {
    "forgotten_barrier": r"""
  __shared__ float values[64];
  values[threadIdx.x] = threadIdx.x;  // FAULT
  out[threadIdx.x] = values[63 - threadIdx.x];  // BEFORE
""",
    "overwritten_early": r"""
  __shared__ float values[64];
  values[threadIdx.x] = 1;
  __syncthreads();
  float neighbour = values[63 - threadIdx.x];  // FAULT
  values[threadIdx.x] = 2;  // BEFORE
  out[threadIdx.x] = neighbour;
""",
    "shared_increment": r"""
  out[0] += 1;  // FAULT BEFORE
""",
    "shared_by_blocks": r"""
  if (threadIdx.x == 0) out[0] = blockIdx.x;  // FAULT BEFORE
""",
    "reduction_without_last_barrier": r"""
  __shared__ float part[64];
  part[threadIdx.x] = threadIdx.x;
  for (int half = 32; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];  // BEFORE
  }
  if (threadIdx.x == 40) out[0] = part[0];  // FAULT
""",
    "warp_without_syncwarp": r"""
  __shared__ float part[64];
  part[threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x < 16) part[threadIdx.x] += part[threadIdx.x + 16];  // BEFORE
  if (threadIdx.x < 8) part[threadIdx.x] += part[threadIdx.x + 8];  // FAULT
  out[threadIdx.x] = part[threadIdx.x / 32 * 32 + 31];
""",
    "forgotten_fence": r"""
  __shared__ bool last;
  if (threadIdx.x == 0) {
    out[blockIdx.x] = in[blockIdx.x];  // BEFORE
    last = atomicAdd((unsigned*)out + 100, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 5) out[101] = out[0] + out[1];  // FAULT
""",
    "one_fence_for_all_without_a_barrier": r"""
  __shared__ bool last;
  out[64 * blockIdx.x + threadIdx.x] = in[threadIdx.x];  // BEFORE
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicAdd((unsigned*)out + 200, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (last) out[201 + threadIdx.x % 2] = out[63];  // FAULT
""",
    "a_fence_of_the_block_alone": r"""
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    out[0] = 7;  // BEFORE
    __threadfence_block();
    atomicExch((int*)out + 1, 1);
  }
  if (blockIdx.x == 1 && threadIdx.x == 0) {
    while (atomicAdd((int*)out + 1, 0) == 0) {}
    __threadfence();
    out[2] = out[0];  // FAULT
  }
""",
    "a_lock_without_a_fence_behind_it": r"""
  bool done = threadIdx.x != 0;
  while (!done) {
    if (atomicCAS((int*)out, 0, 1) == 0) {
      out[1] += 1;  // FAULT BEFORE
      __threadfence();
      atomicExch((int*)out, 0);
      done = true;
    }
  }
""",
    "an_early_reader_of_many": r"""
  __shared__ float value;
  if (threadIdx.x == 0) value = 1;
  __syncthreads();
  out[64 * blockIdx.x + threadIdx.x] = value;  // BEFORE
  if (threadIdx.x < 32) asm volatile("bar.sync 1, 32;" ::: "memory");
  if (threadIdx.x == 0) value = 2;  // FAULT
""",
    "shared_that_nobody_wrote": r"""
  __shared__ float values[65];
  values[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = values[threadIdx.x + 1];  // FAULT
""",
    "global_that_nobody_wrote": r"""
  out[threadIdx.x] = fresh[threadIdx.x];  // FAULT
""",
    "barriers_in_branches": r"""
  if (threadIdx.x < 32) {
    out[threadIdx.x] = in[threadIdx.x] * 2;
    __syncthreads();  // BEFORE
    out[threadIdx.x + 64] = 1;
  } else {
    __syncthreads();  // FAULT
    out[threadIdx.x + 64] = in[threadIdx.x] + 3;
  }
""",
    "some_end_before_the_barrier": r"""
  if (threadIdx.x > 50) return;
  __syncthreads();  // FAULT BEFORE
  out[threadIdx.x] = 1;
""",
}
FOUND_BY = dict.fromkeys(PLANTED, "race") | {
    "shared_that_nobody_wrote": "init",
    "global_that_nobody_wrote": "init",
    "barriers_in_branches": "sync",
    "some_end_before_the_barrier": "sync",
}
BETWEEN_BLOCKS = {
    "shared_by_blocks",
    "forgotten_fence",
    "one_fence_for_all_without_a_barrier",
    "a_fence_of_the_block_alone",
    "a_lock_without_a_fence_behind_it",
}
RIGHT = {
    "reduction": r"""
  __shared__ float part[64];
  part[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
""",
    "warps": r"""
  __shared__ volatile float part[64];
  float* mine = (float*)part + threadIdx.x / 32 * 32;
  int lane = threadIdx.x % 32;
  mine[lane] = in[threadIdx.x];
  __syncwarp();
  for (int half = 16; half > 0; half /= 2) {
    float more = lane < half ? mine[lane + half] : 0;
    __syncwarp();
    if (lane < half) mine[lane] += more;
    __syncwarp();
  }
  if (lane == 0) atomicAdd(out, mine[0]);
""",
    "bytes_beside_one_another": r"""
  __shared__ unsigned char bytes[64];
  bytes[threadIdx.x] = threadIdx.x;
  __syncthreads();
  ((unsigned char*)(out + 64 * blockIdx.x))[threadIdx.x] = bytes[63 - threadIdx.x];
""",
    "the_last_block_adds_up": r"""
  __shared__ bool last;
  if (threadIdx.x == 0) {
    out[blockIdx.x] = in[blockIdx.x];
    __threadfence();
    last = atomicAdd((unsigned*)out + 100, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 5) {
    float sum = 0;
    for (int i = 0; i < gridDim.x; i++) sum += out[i];
    out[101] = sum;
  }
""",
    "a_lock": r"""
  bool done = false;
  while (!done) {
    if (atomicCAS((int*)out, 0, 1) == 0) {
      __threadfence();
      out[1] += 1;
      __threadfence();
      atomicExch((int*)out, 0);
      done = true;
    }
  }
""",
    "a_flag_that_releases_and_acquires": r"""
  int seen = 0;
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    out[0] = 7;
    asm volatile("st.release.gpu.global.u32 [%0], 1;" :: "l"(out + 1) : "memory");
  }
  if (blockIdx.x == 1 && threadIdx.x == 0) {
    while (seen == 0)
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(out + 1) : "memory");
    out[2] = out[0];
  }
""",
    "tickets_that_acquire_and_release": r"""
  __shared__ int ticket;
  out[64 * blockIdx.x + threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0)
    asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;"
                 : "=r"(ticket) : "l"(out + 200) : "memory");
  __syncthreads();
  if (ticket == gridDim.x - 1) {
    float sum = 0;
    for (int i = 0; i < 128; i++) sum += out[i];
    out[128 + threadIdx.x] = sum;
  }
""",
    "a_chain_of_two_places": r"""
  volatile float* flag = out + 10;
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    out[0] = 7;
    __threadfence();
    flag[0] = 1;
  }
  if (blockIdx.x == 1 && threadIdx.x == 0) {
    while (flag[0] == 0) {}
    __threadfence();
    flag[1] = 1;
  }
  if (blockIdx.x == 1 && threadIdx.x == 32) {
    while (flag[1] == 0) {}
    __threadfence();
    out[2] = out[0];
  }
""",
    "a_flag_between_blocks": r"""
  volatile float* flag = out + 1;
  if (blockIdx.x == 0 && threadIdx.x == 0) { out[0] = 7; __threadfence(); *flag = 1; }
  if (blockIdx.x == 1 && threadIdx.x == 0) {
    while (*flag == 0) {}
    __threadfence();
    out[2] = out[0];
  }
""",
    "half_a_block_and_the_other": r"""
  __shared__ float part[64];
  if (threadIdx.x < 32) {
    part[threadIdx.x] = in[threadIdx.x];
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    out[64 * blockIdx.x + threadIdx.x] = part[threadIdx.x - 32];
  }
""",
}


def source(bodies: dict[str, str]) -> str:
    return "".join(
        f'extern "C" __global__ void {name}(float* out, const float* in, const float* fresh) {{'
        f"{body}}}\n"
        for name, body in bodies.items()
    )


def lines_of(name: str, mark: str) -> list[str]:
    """kernel.cu:LINE of each line of a planted fault with that mark."""
    lines = source(PLANTED).split("\n")
    start = next(i for i, line in enumerate(lines) if f" {name}(" in line)
    end = next(i for i in range(start, len(lines)) if lines[i].startswith("}"))
    return [f"kernel.cu:{i + 1}" for i in range(start, end) if mark in lines[i]]


def run(driver: SimDriver, text: str, name: str, *, blocks: int = 2, status: int = 0) -> np.ndarray:
    function = driver.function(driver.load(compile_ptx(text)), name)
    out = driver.upload(np.zeros(256, "f4"))
    values = driver.upload(np.arange(64, dtype="f4"))
    driver.launch(function, blocks, 64, out, values, driver.allocate(256))
    driver.call("cuCtxSynchronize", status=status)
    return driver.download(out, 256, "f4") if status == 0 else np.zeros(0)


@pytest.mark.parametrize("name", PLANTED)
def test_planted_faults_are_found_with_both_lines(driver: SimDriver, name: str) -> None:
    driver.start(f"T4,check={FOUND_BY[name]}")
    run(driver, source(PLANTED), name, status=CHECK)
    where, _, what = driver.message().partition(", PTX line")
    assert f"kernel {name}, block (" in where
    assert all(where.endswith(line) for line in lines_of(name, "FAULT")), (where, what)
    assert all(f"{line}, PTX line" in what for line in lines_of(name, "BEFORE")), (where, what)


@pytest.mark.parametrize("name", PLANTED)
def test_nothing_is_watched_without_a_check(driver: SimDriver, name: str) -> None:
    driver.start("T4")
    run(driver, source(PLANTED), name)


@pytest.mark.parametrize("name", RIGHT)
def test_right_kernels_run_through(driver: SimDriver, name: str) -> None:
    driver.start("T4,check=memory,race,init,sync")
    run(driver, source(RIGHT), name)


def test_each_check_finds_its_own_alone(driver: SimDriver) -> None:
    for check in ("race", "init", "sync"):
        found = set()
        for name in PLANTED:
            driver.start(f"T4,check={check}")
            blocks = 2 if name in BETWEEN_BLOCKS else 1
            try:
                run(driver, source(PLANTED), name, blocks=blocks)
            except StatusError:
                found.add(name)
            driver.configure("")
        # A barrier that is forgotten is a read of what is not written yet, too.
        others = {"forgotten_barrier"} if check == "init" else set()
        assert found == {name for name in PLANTED if FOUND_BY[name] == check} | others, check


BEYOND = r"""
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = a * x[i] + y[i];
}
extern "C" __global__ void column(double* x) { x[-1 - (int)threadIdx.x] = 1; }
"""


def test_an_element_beyond_is_named_by_parameter_and_number(driver: SimDriver) -> None:
    driver.start("T4")
    module = driver.load(compile_ptx(BEYOND))
    x, y = (driver.upload(np.ones(n, "f4")) for n in (1024, 2048))
    driver.launch(driver.function(module, "saxpy"), 9, 128, c_int(0), ctypes.c_float(2), x, y)
    driver.call("cuCtxSynchronize", status=ILLEGAL)
    message = driver.message()
    assert "block (8, 0, 0), thread (0, 0, 0), kernel.cu:4" in message
    assert "reads 4 bytes" in message
    assert "parameter 3 of the kernel points to 1024 elements of 4 bytes" in message
    assert "this is number 1024" in message


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("shared_increment", "points to 256 elements of 4 bytes, and this is number 0)"),
        ("forgotten_barrier", "of shared memory (number"),
    ],
)
def test_races_name_the_element(driver: SimDriver, name: str, words: str) -> None:
    driver.start("T4,check=race")
    with pytest.raises(StatusError) as caught:
        run(driver, source(PLANTED), name)
    assert words in str(caught.value)


def test_an_element_before_is_named(driver: SimDriver) -> None:
    driver.start("T4")
    driver.allocate(64)
    function = driver.function(driver.load(compile_ptx(BEYOND)), "column")
    driver.launch(function, 1, 1, driver.upload(np.ones(4)))
    driver.call("cuCtxSynchronize", status=ILLEGAL)
    assert "writes 8 bytes" in driver.message() and "this is number -1" in driver.message()


@pytest.mark.parametrize("text", ["check=races", "check=", "check=race,races"])
def test_an_unknown_check_is_refused(driver: SimDriver, text: str) -> None:
    assert driver.configure(f"T4,{text}") != ""
