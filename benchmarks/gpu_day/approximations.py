"""Stage approximations: instructions whose result the PTX manual leaves open, over all of float32.

Each answer is compared with the correctly rounded one, computed in float64. The PTX executor of
simulated GPUs returns the correctly rounded number, or one beside it: the table says how far the
hardware is from that.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any

import numpy as np

import gpukit
from gpu_day.sheet import Sheet, simulated

# Instruction -> float64 expression of x in CUDA C++, and the same function here.
FUNCTIONS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "ex2.approx.f32": ("exp2(x)", np.exp2),
    "ex2.approx.ftz.f32": ("exp2(x)", np.exp2),
    "lg2.approx.f32": ("log2(x)", np.log2),
    "rcp.approx.f32": ("1.0 / x", np.reciprocal),
    "rcp.approx.ftz.f32": ("1.0 / x", np.reciprocal),
    "rsqrt.approx.f32": ("rsqrt(x)", lambda x: 1 / np.sqrt(x)),
    "sqrt.approx.f32": ("sqrt(x)", np.sqrt),
    "sin.approx.f32": ("sin(x)", np.sin),
    "cos.approx.f32": ("cos(x)", np.cos),
    "tanh.approx.f32": ("tanh(x)", np.tanh),
}
STRIDE = (1 << 20) + 7 if simulated() else 1
BLOCKS, THREADS = (2, 64) if simulated() else (2112, 256)
ALL = 1 << 32

# Answers that differ are counted by their distance in units of the last place, up to FAR; NaN and
# finite, or infinite and finite, is a difference in kind.
FAR = 16
SOURCE = r"""
__device__ int ordered(float value) {
  int bits = __float_as_int(value);
  return bits < 0 ? static_cast<int>(0x80000000u) - bits : bits;
}

extern "C" __global__ void compare(unsigned long long inputs, unsigned long long stride,
                                   unsigned long long* counts, unsigned long long* worst,
                                   unsigned long long* digest) {
  __shared__ unsigned int near[2 * FAR + 1];
  for (int i = threadIdx.x; i < 2 * FAR + 1; i += blockDim.x) near[i] = 0;
  __syncthreads();
  unsigned long long kinds = 0, sum = 0, largest = 0;
  unsigned long long step = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  unsigned long long first = static_cast<unsigned long long>(blockIdx.x) * blockDim.x;
  for (unsigned long long i = first + threadIdx.x; i < inputs; i += step) {
    unsigned int bits = static_cast<unsigned int>(i * stride);
    float argument = __uint_as_float(bits), answer;
    asm(INSTRUCTION " %0, %1;" : "=f"(answer) : "f"(argument));
    double x = argument;
    float exact = static_cast<float>(EXPRESSION);
    unsigned long long mixed = static_cast<unsigned long long>(bits) << 32;
    mixed |= __float_as_uint(answer);
    mixed = (mixed ^ (mixed >> 31)) * 0x9e3779b97f4a7c15ull;
    sum += mixed ^ (mixed >> 29);
    if (isnan(answer) && isnan(exact)) {
      atomicAdd(&near[FAR], 1u);
      continue;
    }
    if (isnan(answer) != isnan(exact) || isinf(answer) != isinf(exact)) {
      ++kinds;
      continue;
    }
    long long distance = static_cast<long long>(ordered(answer)) - ordered(exact);
    unsigned long long size = distance < 0 ? -distance : distance;
    unsigned long long candidate = (size << 32) | bits;
    if (candidate > largest) largest = candidate;
    if (distance > FAR) distance = FAR;
    if (distance < -FAR) distance = -FAR;
    atomicAdd(&near[distance + FAR], 1u);
  }
  atomicAdd(digest, sum);
  atomicAdd(&counts[2 * FAR + 1], kinds);
  atomicMax(worst, largest);
  __syncthreads();
  for (int i = threadIdx.x; i < 2 * FAR + 1; i += blockDim.x) atomicAdd(&counts[i], near[i]);
}

extern "C" __global__ void answers(unsigned int first, unsigned int count, float* out) {
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) asm(INSTRUCTION " %0, %1;" : "=f"(out[i]) : "f"(__uint_as_float(first + i)));
}
"""


def program(instruction: str) -> gpukit.cuda.RawModule:
    source = SOURCE.replace("INSTRUCTION", f'"{instruction}"')
    source = source.replace("EXPRESSION", FUNCTIONS[instruction][0]).replace("FAR", str(FAR))
    return gpukit.cuda.RawModule(code=source)


def absolute_error(instruction: str, module: gpukit.cuda.RawModule, argument: float) -> float:
    """|answer - exact| at the argument that is furthest in units of the last place."""
    bits = int(np.float32(argument).view(np.uint32))
    out = gpukit.zeros(1, device="cuda")
    module.get_function("answers")((1,), (1,), (bits, 1, out))
    exact = FUNCTIONS[instruction][1](np.float64(argument))
    return abs(out.item() - float(exact))


def compare(sheet: Sheet, instruction: str) -> None:
    """One row: how many answers are exact, 1 and 2 units away, further, and the furthest."""
    module, inputs = program(instruction), ALL // STRIDE
    counts = gpukit.zeros(2 * FAR + 2, dtype="int64", device="cuda")
    worst, digest = (gpukit.zeros(1, dtype="int64", device="cuda") for _ in range(2))
    kernel = module.get_function("compare")
    kernel((BLOCKS,), (THREADS,), (inputs, STRIDE, counts, worst, digest))
    seen = counts.cpu().numpy()
    near, kinds = seen[:-1], int(seen[-1])
    by_size = {n: int(near[FAR + n] + (near[FAR - n] if n else 0)) for n in range(3)}
    packed = int(worst.item()) & 0xFFFFFFFFFFFFFFFF
    argument = float(np.uint32(packed & 0xFFFFFFFF).view(np.float32))
    error = absolute_error(instruction, module, argument) if isfinite(argument) else float("nan")
    sheet.add(
        instruction=instruction,
        inputs=inputs,
        exact=by_size[0],
        one=by_size[1],
        two=by_size[2],
        further=int(near.sum()) - sum(by_size.values()),
        kind=kinds,
        furthest_ulp=packed >> 32,
        at=repr(argument),
        absolute=error,
        digest=f"{int(digest.item()) & 0xFFFFFFFFFFFFFFFF:016x}",
    )


def fault_of(sheet: Sheet, instruction: str) -> str:
    """Compares; why that could not be done, if it could not."""
    try:
        compare(sheet, instruction)
    except gpukit.CompileError as error:
        return f"{instruction}: {error}"
    return ""


def main() -> int:
    sheet = Sheet()
    faults = [fault for name in FUNCTIONS if (fault := fault_of(sheet, name))]
    for fault in faults:
        sheet.note(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
