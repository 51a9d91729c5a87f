"""cp.async.bulk between global and shared memory, and what of it needs clusters or tensors."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from support.nvrtc import compile_ptx
from support.ptx_runner import HEAD, free_message
from support.sim_driver import Address, SimDriver

# Each block reverses its tile: it comes by a barrier and goes by a group.
SOURCE = r"""
typedef unsigned long long u64;
extern "C" __global__ void reverse(int* out, const int* in, int bytes) {
  __shared__ __align__(16) int tile[256], turned[256], third[256];
  __shared__ u64 barrier;
  unsigned b = (unsigned)__cvta_generic_to_shared(&barrier), i = threadIdx.x;
  unsigned to = (unsigned)__cvta_generic_to_shared(tile);
  unsigned from = (unsigned)__cvta_generic_to_shared(turned);
  unsigned between = (unsigned)__cvta_generic_to_shared(third);
  const int* start = in + blockIdx.x * 256;
  if (i == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(b));
    asm volatile("fence.proxy.async.shared::cta;");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                 " [%0], [%1], %2, [%3];" :: "r"(to), "l"(start), "r"(bytes), "r"(b) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(b), "r"(bytes));
  }
  __syncthreads();
  asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n"
               "@!p bra again; }" :: "r"(b) : "memory");
  turned[255 - i] = tile[i];
  __syncthreads();
  if (i == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;" :: "r"(b));
    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
                 " [%0], [%1], 1024, [%2];" :: "r"(between), "r"(from), "r"(b) : "memory");
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
                 :: "l"(out + blockIdx.x * 256), "r"(between), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;" ::: "memory");
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], 64;" :: "l"(in));
  }
}
extern "C" __global__ void early(int* out, const int* in, int bytes) {
  __shared__ __align__(16) int tile[256];
  __shared__ u64 barrier;
  unsigned b = (unsigned)__cvta_generic_to_shared(&barrier);
  unsigned to = (unsigned)__cvta_generic_to_shared(tile), over;
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(b));
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;" :: "r"(b));
  for (int half = 0; half < 2; half++) {
    asm volatile("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes"
                 " [%0], [%1], 512, [%2];" :: "r"(to), "l"(in), "r"(b) : "memory");
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], 0;\n"
                 "selp.u32 %0, 1, 0, p; }" : "=r"(over) : "r"(b) : "memory");
    out[half] = over;
  }
}
extern "C" __global__ void misplaced(char* out, const char* in, int bytes) {
  __shared__ __align__(16) int tile[256];
  unsigned from = (unsigned)__cvta_generic_to_shared(tile);
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
               :: "l"(out + bytes % 16), "r"(from), "r"(bytes / 256) : "memory");
}
"""


def launched(driver: SimDriver, name: str, blocks: int, threads: int, size: int) -> Address:
    driver.start("H100" if name == "misplaced" else "H100,check=all")
    function = driver.function(driver.load(compile_ptx(SOURCE, 90)), name)
    out = driver.upload(np.zeros(1024, "i4"))
    values = driver.upload(np.arange(1024, dtype="i4"))
    driver.launch(function, blocks, threads, out, values, ctypes.c_int(size))
    return out


def test_tiles_come_and_go(driver: SimDriver) -> None:
    out = launched(driver, "reverse", 4, 256, 1024)
    got = driver.download(out, 1024, "i4").reshape(4, 256)
    assert np.array_equal(got, np.arange(1024).reshape(4, 256)[:, ::-1])


def test_the_barrier_waits_for_all_bytes(driver: SimDriver) -> None:
    assert driver.download(launched(driver, "early", 1, 1, 0), 2, "i4").tolist() == [0, 1]


@pytest.mark.parametrize(
    ("bytes_and_shift", "status", "what"),
    [
        (16 * 256 + 4, 716, "destination"),
        (24 * 256, 716, "size"),
        (1040 * 256, 700, "of shared memory, which has 1024 bytes"),
    ],
)
def test_wrong_copies_are_faults(
    driver: SimDriver, bytes_and_shift: int, status: int, what: str
) -> None:
    launched(driver, "misplaced", 1, 1, bytes_and_shift)
    driver.call("cuCtxSynchronize", status=status)
    assert what in driver.message()


REFUSED = {
    "cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes"
    " [%r0], [%l0, {%r1}], [%r1]": "uses tensor maps",
    "tex.1d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [name, {%r1}]": "reads or writes a texture",
    "ld.param.u32 %r0, [k_param_0, {%r1}]": "addresses of several parts",
    "st.global.u32 [%l0, 4], %r1": "addresses of several parts",
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
    " [%r0], [%l0], 16, [%r1], %h0": "uses clusters",
    "cp.async.bulk.shared::cta.global.bulk_group [%r0], [%l0], 16": "needs .mbarrier",
    "cp.async.bulk.global.shared::cta.mbarrier::complete_tx::bytes"
    " [%l0], [%r0], 16, [%r1]": "needs",
    "cp.async.bulk.shared::cta.mbarrier::complete_tx::bytes [%r0], [%l0], 16, [%r1]": "one space",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%l0], [%r0], 16": "is not run",
}


@pytest.mark.parametrize("code", REFUSED)
def test_what_needs_more_is_refused_by_name(driver: SimDriver, code: str) -> None:
    driver.start("B200")
    text = (
        f"{HEAD}.visible .entry k(.param .u64 k_param_0)\n{{\n"
        ".reg .b16 %h<2>; .reg .b32 %r<4>; .reg .b64 %l<2>;\n"
    )
    message = free_message(driver, f"{text}{code};\nret;\n}}\n")
    assert "line 7; error: " in message and REFUSED[code] in message, message
