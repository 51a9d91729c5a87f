"""Barriers in shared memory, and the address of a variable in a cluster of one block."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from support.nvrtc import compile_ptx
from support.sim_driver import Address, SimDriver

SOURCE = r"""
typedef unsigned long long u64;
__device__ unsigned place(u64* b) { return (unsigned)__cvta_generic_to_shared(b); }
__device__ void wait(unsigned b, unsigned parity) {
  asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
               "@!p bra again; }" :: "r"(b), "r"(parity) : "memory");
}
// Every thread's part is read by its neighbour of another warp, phase by phase.
extern "C" __global__ void phases(int* out) {
  __shared__ u64 barrier;
  __shared__ int part[256];
  unsigned b = place(&barrier), i = threadIdx.x, n = blockDim.x;
  if (i == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(b), "r"(n));
  __syncthreads();
  int sum = 0;
  for (int round = 0; round < 6; round++) {
    part[i] = i * (round + 1);
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(b) : "memory");
    wait(b, 2 * round & 1);
    sum += part[(i + 32) % n];
    asm volatile("{ .reg .b64 s; mbarrier.arrive.release.cta.shared::cta.b64 s, [%0]; }" :: "r"(b));
    wait(b, 1);
  }
  out[i] = sum;
}
extern "C" __global__ void states(int* out) {
  __shared__ u64 barrier;
  unsigned b = place(&barrier), pending, done[3];
  u64 first, second;
  asm volatile("mbarrier.init.shared.b64 [%0], 3;" :: "r"(b));
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(first) : "r"(b));
  asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], 1;" : "=l"(second) : "r"(b));
  asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(second));
  #define TEST(i, s) asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2;" \
      "selp.u32 %0, 1, 0, p; }" : "=r"(done[i]) : "r"(b), "l"(s))
  TEST(0, first);
  asm volatile("mbarrier.arrive_drop.shared.b64 _, [%0];" :: "r"(b));
  TEST(1, first);
  // Two are left, and bytes are announced: the phase ends with the last of both.
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 %0, [%1], 64;" : "=l"(first) : "r"(b));
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" :: "r"(b));
  TEST(2, first);
  asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 64;" :: "r"(b));
  unsigned last;
  asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 1;"
      "selp.u32 %0, 1, 0, p; }" : "=r"(last) : "r"(b));
  asm volatile("mbarrier.inval.shared.b64 [%0];" :: "r"(b));
  out[0] = pending; out[1] = done[0]; out[2] = done[1]; out[3] = done[2]; out[4] = last;
}
extern "C" __global__ void copies(const int* x, int* out) {
  __shared__ u64 barrier;
  __shared__ int room[64];
  unsigned b = place(&barrier), i = threadIdx.x, to = (unsigned)__cvta_generic_to_shared(room + i);
  if (i == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" :: "r"(b));
  __syncthreads();
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to), "l"(x + i));
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" :: "r"(b));
  wait(b, 0);
  out[i] = room[63 - i];
}
extern "C" __global__ void ranks(int* out) {
  __shared__ int here;
  here = 5;
  unsigned at = (unsigned)__cvta_generic_to_shared(&here), mapped, rank;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(at), "r"(out[1]));
  asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(rank) : "r"(mapped));
  out[0] = mapped == at && rank == 0 ? 7 : 0;
}
extern "C" __global__ void never_initialised() {
  __shared__ u64 barrier;
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" :: "r"(place(&barrier)));
}
extern "C" __global__ void too_many() {
  __shared__ u64 barrier;
  asm volatile("mbarrier.init.shared.b64 [%0], 2;" :: "r"(place(&barrier)));
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], 3;" :: "r"(place(&barrier)));
}
"""
Launch = Callable[..., np.ndarray]


@pytest.fixture(scope="module")
def image() -> bytes:
    return compile_ptx(SOURCE, arch=90)


@pytest.fixture
def launch(driver: SimDriver, image: bytes) -> Launch:
    driver.start("H100,limit=3000000")
    module = driver.load(image)

    def run(name: str, out: np.ndarray, *args: Address, block: int, status: int = 0) -> np.ndarray:
        room = driver.upload(out)
        driver.launch(driver.function(module, name), 1, block, *args, room)
        driver.call("cuCtxSynchronize", status=status)
        return driver.download(room, out.size, out.dtype) if status == 0 else out

    return run


def test_phases_follow_one_another(launch: Launch) -> None:
    i = np.arange(128)
    assert np.array_equal(launch("phases", np.zeros(128, "i4"), block=128), (i + 32) % 128 * 21)


def test_states_counts_and_bytes(launch: Launch) -> None:
    assert launch("states", np.zeros(5, "i4"), block=1).tolist() == [2, 0, 1, 0, 1]


def test_copies_arrive(driver: SimDriver, launch: Launch) -> None:
    x = np.arange(64, dtype="i4")
    assert np.array_equal(launch("copies", x * 0, driver.upload(x), block=64), x[::-1])


def test_a_block_is_a_cluster_of_its_own(launch: Launch) -> None:
    assert launch("ranks", np.zeros(2, "i4"), block=1)[0] == 7


def test_there_is_no_other_block_in_it(driver: SimDriver, launch: Launch) -> None:
    launch("ranks", np.ones(2, "i4"), block=1, status=717)
    assert "block 1 of a cluster of one block" in driver.message()


@pytest.mark.parametrize(
    ("name", "words"),
    [("never_initialised", "before mbarrier.init"), ("too_many", "3 arrivals at an mbarrier")],
)
def test_misuse_is_named_with_its_line(
    driver: SimDriver, launch: Launch, name: str, words: str
) -> None:
    launch(name, np.zeros(1, "i4"), block=1, status=719)
    assert words in driver.message() and "kernel.cu:" in driver.message()
