"""counts=1: planted kernels are told their sectors and conflicts; random ones agree with a count
of their own; launches off the switch are not counted."""

from __future__ import annotations

import random
from ctypes import c_int

import numpy as np
import pytest

import gpukit
from gpukit._simulation import launch_counts
from gpukit._simulation.launch_counts import LaunchCounts
from support.nvrtc import compile_ptx
from support.ptx_runner import HEAD
from support.sim_driver import SimDriver

SOURCE = r"""
extern "C" __global__ void contiguous(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] + 1;
}
extern "C" __global__ void strided(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[8 * i % n];
}
extern "C" __global__ void four_a_thread(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 4; k++) ((volatile float*)out)[4 * i + k] = k;
}
extern "C" __global__ void conflicts(float* out, const float* in, int n) {
  __shared__ volatile float tile[32 * 32];
  tile[threadIdx.x * 32 % 1024] = 1;
  out[threadIdx.x] = tile[threadIdx.x];
}
extern "C" __global__ void padded(float* out, const float* in, int n) {
  __shared__ volatile float tile[32 * 33];
  tile[threadIdx.x % 32 * 33] = 1;
  out[threadIdx.x] = tile[threadIdx.x % 32 * 33 + 1];
}
extern "C" __global__ void divergent(float* out, const float* in, int n) {
  int i = threadIdx.x;
  if (i & 1) {
    for (int k = 0; k < n; k++) out[i] += in[k];
  }
}
extern "C" __global__ void adds(float* out, const float* in, int n) {
  atomicAdd(out + threadIdx.x % 2, 1.0f);
}
"""


def count(driver: SimDriver, text: str, name: str, blocks: int, threads: int) -> LaunchCounts:
    """What one launch of kernel(out, in, 256) is counted by."""
    driver.start("T4,counts=1")
    function = driver.function(driver.load(compile_ptx(text)), name)
    out, values = driver.upload(np.zeros(4096, "f4")), driver.upload(np.ones(4096, "f4"))
    driver.launch(function, blocks, threads, out, values, c_int(256))
    return last(driver)


def last(driver: SimDriver) -> LaunchCounts:
    driver.call("cuCtxSynchronize")
    logged = driver.library.gpukitSimEvents(None, 0)
    counts = launch_counts.read(driver.library, logged - 1)
    assert counts is not None
    return counts


def test_contiguous_work_uses_what_it_asks_for(driver: SimDriver) -> None:
    counts = count(driver, SOURCE, "contiguous", 3, 96)
    assert (counts.kernel, counts.blocks, counts.threads) == ("contiguous", 3, 96)
    assert counts.global_reads == counts.global_writes == (8, 32, 32, 1024)
    assert counts.sector_efficiency == 1 and counts.bank_conflicts == 0
    assert counts.instructions["float"] == 8  # the last warp is beyond n
    assert counts.occupancy == 30 / 32


def test_a_stride_is_told(driver: SimDriver) -> None:
    counts = count(driver, SOURCE, "strided", 1, 32)
    assert counts.global_reads == (1, 32, 4, 128)
    assert counts.global_writes == (1, 4, 4, 128)


def test_neighbours_written_by_one_thread_are_told(driver: SimDriver) -> None:
    counts = count(driver, SOURCE, "four_a_thread", 2, 64)
    assert counts.global_writes == (16, 16 * 16, 16 * 4, 16 * 128)
    assert counts.sector_efficiency == 0.25


def test_conflicts_of_banks_are_told(driver: SimDriver) -> None:
    counts = count(driver, SOURCE, "conflicts", 1, 64)
    assert (counts.shared_requests, counts.bank_conflicts) == (4, 62)
    counts = count(driver, SOURCE, "padded", 1, 64)
    assert (counts.shared_requests, counts.bank_conflicts) == (4, 0)


def test_divergent_branches_are_told(driver: SimDriver) -> None:
    assert count(driver, SOURCE, "divergent", 1, 128).divergent_branches == 4
    assert count(driver, SOURCE, "contiguous", 1, 128).divergent_branches == 0


def test_atomic_operations_are_counted_apart(driver: SimDriver) -> None:
    counts = count(driver, SOURCE, "adds", 2, 64)
    assert counts.global_atomics == (4, 4, 4, 32)
    assert counts.instructions["atomic"] == 4
    assert counts.global_writes.requests == counts.global_reads.requests == 0


CLASSES = {
    "integer": "add.u32 %r1, %r1, 1; lop3.b32 %r1, %r1, %r2, %r3, 17; setp.lt.s64 %p1, %rd1, 5;",
    "float": "fma.rn.f32 %f1, %f1, %f2, %f3; set.gt.u32.f32 %r1, %f1, %f2; neg.f32 %f1, %f2;",
    "half": "add.rn.f16x2 %r1, %r1, %r2; fma.rn.bf16x2 %r1, %r2, %r2, %r3;",
    "double": "add.rn.f64 %d1, %d1, %d2; setp.lt.f64 %p1, %d1, %d2;",
    "special": "ex2.approx.f32 %f1, %f2; sqrt.rn.f64 %d1, %d2;",
    "conversion": "cvt.rn.f32.s32 %f1, %r1;",
    "move": "mov.u32 %r1, %tid.x; selp.b32 %r1, %r1, %r2, %p1; ld.param.u64 %rd2, [k_param_0];",
    "memory": "ld.global.u32 %r1, [%rd1]; st.shared.u32 [tile], %r2; st.local.u32 [own], %r2;",
    "atomic": "red.global.add.u32 [%rd1], 1; atom.shared.add.u32 %r1, [tile], 1;",
    "warp": "shfl.sync.idx.b32 %r1, %r1, 0, 31, -1; vote.sync.any.pred %p1, %p2, -1;",
    "barrier": "bar.sync 0; bar.warp.sync -1;",
    "control": "bra END;",
}


@pytest.mark.parametrize("kind", CLASSES)
def test_instructions_have_their_class(driver: SimDriver, kind: str) -> None:
    body = CLASSES[kind].replace("; ", ";\n")
    text = (
        f"{HEAD}.visible .entry k(.param .u64 k_param_0)\n{{\n.reg .b32 %r<5>;\n.reg .b64 %rd<5>;\n"
        ".reg .f32 %f<5>;\n.reg .f64 %d<5>;\n.reg .pred %p<5>;\n.shared .b32 tile[4];\n"
        f".local .b32 own[4];\nld.param.u64 %rd1, [k_param_0];\n{body}\nEND:\nret;\n}}\n"
    )
    driver.start("B200,counts=1")
    function = driver.function(driver.load(text.encode()), "k")
    driver.launch(function, 2, 40, driver.upload(np.zeros(64, "u4")))
    counts = last(driver)
    want = dict.fromkeys(counts.instructions, 0) | {"move": 4, "control": 4}
    want[kind] += 4 * len(body.split("\n"))
    assert counts.instructions == want
    assert counts.thread_instructions == 20 * sum(want.values())
    if kind == "memory":
        assert (counts.local_requests, counts.shared_requests) == (4, 4)


# ---- addresses drawn at random, counted a second time

SCATTER = r"""
extern "C" __global__ void global_{type}({type}* out, const int* places, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (places[i] >= 0) out[places[i]] = {type}();
}}
extern "C" __global__ void shared_{type}({type}* out, const int* places, int n) {{
  __shared__ {type} tile[1024];
  int i = threadIdx.x;
  if (places[i] >= 0) ((volatile {word}*)(tile + places[i]))[0] = 0;
  out[0] = tile[1];
}}
"""
WIDTHS = {"char": 1, "short": 2, "float": 4, "double": 8}


def places_of(seed: int) -> np.ndarray:
    draw = random.Random(seed)
    kind = draw.choice(["any", "near", "stride", "same"])
    start, stride = draw.randrange(64), draw.choice([1, 2, 3, 8, 16, 32])
    places = {
        "any": [draw.randrange(1024) for _ in range(32)],
        "near": [start + draw.randrange(40) for _ in range(32)],
        "stride": [(start + stride * i) % 1024 for i in range(32)],
        "same": [start] * 32,
    }[kind]
    off = draw.choice([0, 0, 0.3])
    return np.array([-1 if draw.random() < off else place for place in places], "i4")


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kind", WIDTHS)
def test_drawn_addresses_agree_with_a_second_count(driver: SimDriver, kind: str, seed: int) -> None:
    width, places = WIDTHS[kind], places_of(seed)
    word = {1: "char", 2: "short", 4: "float", 8: "double"}[width]
    text = SCATTER.format(type=kind, word=word)
    driver.start("T4,counts=1")
    module = driver.load(compile_ptx(text))
    out, given = driver.allocate(16384), driver.upload(places)
    taking_part = [int(place) for place in places if place >= 0]
    touched = {place * width + k for place in taking_part for k in range(width)}
    driver.launch(driver.function(module, f"global_{kind}"), 1, 32, out, given, c_int(0))
    counts = last(driver)
    sectors = {at // 32 for at in touched}
    requests = 1 if taking_part else 0
    assert counts.global_writes == (requests, len(sectors), -(-len(touched) // 32), len(touched))
    assert counts.global_reads == (1, 4, 4, 128)

    driver.launch(driver.function(module, f"shared_{kind}"), 1, 32, out, given, c_int(0))
    counts = last(driver)
    conflicts = 0
    for half in np.split(places, 2 if width == 8 else 1):
        words = {(place * width + k) // 4 for place in half if place >= 0 for k in range(width)}
        turns = max((sum(at % 32 == bank for at in words) for bank in range(32)), default=0)
        conflicts += max(0, turns - 1)
    assert counts.bank_conflicts == conflicts


# ---- the switch, and where the counts are shown


def test_nothing_is_counted_without_the_switch(driver: SimDriver) -> None:
    driver.start("T4")
    function = driver.function(driver.load(compile_ptx(SOURCE)), "adds")
    driver.launch(function, 1, 32, driver.upload(np.zeros(4, "f4")), driver.allocate(64), c_int(0))
    driver.call("cuCtxSynchronize")
    assert launch_counts.read(driver.library, 0) is None
    assert launch_counts.read(driver.library, 10**12) is None


@pytest.mark.parametrize("value", ["2", "maybe", ""])
def test_the_switch_takes_a_flag(driver: SimDriver, value: str) -> None:
    assert "counts cannot be" in driver.configure(f"T4,counts={value}")


def test_simulate_refuses_what_is_no_flag() -> None:
    with pytest.raises(TypeError, match="counts must be True or False, got 1"):
        gpukit.simulate(counts=1)  # type: ignore[arg-type]
