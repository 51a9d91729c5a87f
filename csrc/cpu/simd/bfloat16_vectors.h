// Vectors of bfloat16 to and from float32.
#pragma once

#include "cpu/simd/vector.h"

namespace gpukit::cpu::GPUKIT_SIMD_LEVEL {

inline constexpr int kFloats = kLanes<float>;
typedef VecN<std::uint16_t, kFloats> Words;

GPUKIT_SIMD_FN F32 float_from_bfloat16(Words bits) {
  return bits_as<F32>(__builtin_convertvector(bits, U32) << 16);
}
/// Round to nearest even; NaN stays NaN.
GPUKIT_SIMD_FN Words bfloat16_from_float(F32 x) {
  const U32 bits = bits_as<U32>(x);
  const U32 rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  const U32 quiet = (bits >> 16) | 0x40u;
  return __builtin_convertvector(x != x ? quiet : rounded, Words);
}

}  // namespace gpukit::cpu::GPUKIT_SIMD_LEVEL
