"""Kernels as NVIDIA's compiler writes them: what it takes for granted of carries and of grids."""

from __future__ import annotations

import numpy as np
import pytest

import gpukit
from gpukit.cuda import RawKernel, RawModule

DIVISION = r"""
extern "C" __global__ void divide(const unsigned long long* a, unsigned long long* out) {
  const int i = threadIdx.x;
  a += 4 * i;
  out += 4 * i;
  const unsigned __int128 number = (unsigned __int128)a[1] << 64 | a[0];
  const unsigned __int128 by = (unsigned __int128)a[3] << 64 | a[2];
  const unsigned __int128 quotient = number / by, rest = number % by;
  out[0] = quotient;
  out[1] = quotient >> 64;
  out[2] = rest;
  out[3] = rest >> 64;
}
"""


def test_division_of_128_bit_numbers() -> None:
    random = np.random.default_rng(7)
    words = random.integers(0, 1 << 64, size=(256, 4), dtype="u8")
    words[::3, 3] = 0
    words[::5, 1] >>= np.uint64(40)
    words[:, 2] |= np.uint64(1)
    out = gpukit.zeros(256, 4, dtype="int64", device="cuda")
    kernel = RawKernel(DIVISION, "divide", options=("--device-int128",))
    kernel(1, 256, (gpukit.tensor(words.view("i8"), device="cuda"), out))
    want = []
    for low, high, by_low, by_high in words.tolist():
        quotient, rest = divmod(high << 64 | low, by_high << 64 | by_low)
        want.append([x >> n & (1 << 64) - 1 for x in (quotient, rest) for n in (0, 64)])
    np.testing.assert_array_equal(out.cpu().numpy().view("u8"), np.array(want, "u8"))


@pytest.mark.parametrize("bits", [32, 64])
def test_a_difference_carries_where_it_borrows_nothing(bits: int) -> None:
    r = f"%w{bits}_"
    code = f"""
.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out)
{{
  .reg .b64 %l<4>; .reg .b{bits} {r}<9>;
  ld.param.u64 %l0, [out];
  mov.b{bits} {r}1, 5; mov.b{bits} {r}2, 7; mov.b{bits} {r}8, 0;
  sub.cc.u{bits} {r}3, {r}2, {r}1; addc.u{bits} {r}4, {r}8, {r}8;
  sub.cc.u{bits} {r}3, {r}1, {r}2; addc.u{bits} {r}5, {r}8, {r}8;
  sub.cc.u{bits} {r}3, {r}1, {r}1; subc.u{bits} {r}6, {r}8, {r}8;
  add.cc.u{bits} {r}3, {r}1, {r}2; subc.u{bits} {r}7, {r}8, {r}8;
  st.global.u{bits} [%l0], {r}4; st.global.u{bits} [%l0+8], {r}5;
  st.global.u{bits} [%l0+16], {r}6; st.global.u{bits} [%l0+24], {r}7;
  ret;
}}
"""
    out = gpukit.zeros(8, dtype="int32", device="cuda")
    RawModule(code=code).get_function("k")(1, 1, (out,))
    assert out.tolist()[::2] == [1, 0, 0, -1]


# As cooperative_groups.h does it where the device runtime is not linked.
GRID = r"""
__device__ unsigned* arrivals() {
  unsigned high, low;
  asm("mov.u32 %0, %%envreg1;" : "=r"(high));
  asm("mov.u32 %0, %%envreg2;" : "=r"(low));
  return (unsigned*)((unsigned long long)high << 32 | low);
}
__device__ void sync_grid() {
  __syncthreads();
  if (threadIdx.x == 0) {
    volatile unsigned* const arrived = arrivals() + 1;
    const unsigned add = blockIdx.x == 0 ? 0x80000000u - (gridDim.x - 1) : 1;
    __threadfence();
    const unsigned before = atomicAdd((unsigned*)arrived, add);
    while (((before ^ *arrived) & 0x80000000u) == 0) {
    }
    __threadfence();
  }
  __syncthreads();
}
extern "C" __global__ void rotate(int* a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int round = 0; round < 20; round++) {
    const int next = a[(i + 1) % n];
    sync_grid();
    a[i] = next + 1;
    sync_grid();
  }
}
extern "C" __global__ void has_barrier(int* out) { out[0] = arrivals() != nullptr; }
"""


def test_the_barrier_of_the_grid_in_cooperative_launches() -> None:
    count = 256
    numbers = gpukit.arange(count, dtype="int32", device="cuda")
    module = RawModule(code=GRID, enable_cooperative_groups=True)
    used = gpukit.cuda.memory_allocated()
    module.get_function("rotate")(8, count // 8, (numbers, count))
    assert numbers.tolist() == [(i + 20) % count + 20 for i in range(count)]
    assert gpukit.cuda.memory_allocated() == used


@pytest.mark.parametrize("cooperates", [False, True])
def test_only_cooperative_launches_have_that_barrier(cooperates: bool) -> None:
    out = gpukit.zeros(1, dtype="int32", device="cuda")
    module = RawModule(code=GRID, enable_cooperative_groups=cooperates)
    module.get_function("has_barrier")(1, 1, (out,))
    assert out.item() == cooperates
