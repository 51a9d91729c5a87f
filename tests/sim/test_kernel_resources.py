"""Registers and stack of every embedded kernel, on each architecture: no spill goes unseen."""

from __future__ import annotations

from fnmatch import fnmatch

import pytest

from gpukit import _core
from support.kernel_resources import Resources, embedded_kernels

FILE_REGISTERS = 65536  # of a multiprocessor
# With these a multiprocessor holds 1024 threads.
MOST_REGISTERS = 64
# Kernels that may have more, and why.
REGISTERS = {
    "gk_matmul_mma_large_*": 255,  # a tile of 64 x 64 sums in a warp
    "gk_matmul_mma_*": 144,  # a tile of 32 x 32 sums in a warp
    "gk_matmul_large_f64": 248,  # sums and operands of a tile in each thread
    "gk_matmul_large_f32": 184,
    "gk_matmul_thin_*": 168,
    "gk_matmul_*": 128,
    "gk_chain_f32": 128,  # interprets: its stack is in registers
    "gk_binary_f64": 88,  # all operations in one kernel
    "gk_binary_f32": 80,
    "gk_unary_f64": 72,
}
# Bytes of stack that a kernel may have, and why.
STACK = {
    # Arrays with an index that is known when the kernel runs, and rare paths of CUDA's own
    # functions: `pow` and its like, the trigonometric functions of large numbers.
    "gk_binary_f32": 40,
    "gk_binary_f64": 56,
    "gk_chain_f32": 32,
    "gk_complex_function": 40,
    "gk_fft_c64": 264,
    "gk_fft_c128": 272,
    "gk_normal_f64": 40,
    "gk_unary_f32": 80,
    "gk_unary_f64": 56,
    # Spills of one to four registers, each on some architectures only: more would cost occupancy.
    "gk_cross_entropy_backward_f64": 16,
    "gk_cumulative_f32": 8,
    "gk_cumulative_f64": 8,
    "gk_matmul_i64": 16,
    "gk_softmax_f32": 8,
}


@pytest.fixture(scope="module")
def kernels() -> dict[tuple[int, str], Resources]:
    return embedded_kernels()


def test_each_architecture_has_every_kernel(kernels: dict[tuple[int, str], Resources]) -> None:
    archs = {int(arch) for arch in str(_core.build_info()["cuda_archs"]).split()}
    names = {name for _, name in kernels}
    assert len(names) > 150
    assert kernels.keys() == {(arch, name) for arch in archs for name in names}


def test_registers_leave_room_for_other_warps(kernels: dict[tuple[int, str], Resources]) -> None:
    over = {}
    for (arch, name), kernel in kernels.items():
        stated = [most for pattern, most in REGISTERS.items() if fnmatch(name, pattern)]
        if kernel.registers > [*stated, MOST_REGISTERS][0]:
            over[arch, name] = kernel.registers
        held = -(-kernel.registers // 8) * 8 * kernel.threads
        assert 0 < held <= FILE_REGISTERS, (arch, name, "no block fits")
    assert not over, "free registers, or state the reason in REGISTERS"


def test_nothing_spills(kernels: dict[tuple[int, str], Resources]) -> None:
    over = {key: one.stack for key, one in kernels.items() if one.stack > STACK.get(key[1], 0)}
    assert not over, "keep it in registers, or state the reason in STACK"
