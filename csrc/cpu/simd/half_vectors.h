// Vectors of the 16-bit formats to and from float32.
#pragma once

#include "cpu/simd/vector.h"

namespace gpukit::cpu::GPUKIT_SIMD_LEVEL {

/// Bits of the 16-bit formats; the bit type tells them apart from integers.
enum class HalfBits : std::uint16_t {};
enum class BFloat16Bits : std::uint16_t {};

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

#if defined(__AVX512F__)
GPUKIT_SIMD_FN F32 float_from_half(Words bits) {
  return _mm512_maskz_cvtph_ps(kAllLanes, bits_as<__m256i>(bits));
}
GPUKIT_SIMD_FN Words half_from_float(F32 x) {
  return bits_as<Words>(_mm512_maskz_cvtps_ph(kAllLanes, x, _MM_FROUND_TO_NEAREST_INT));
}
#elif defined(__F16C__) && defined(__AVX2__)
GPUKIT_SIMD_FN F32 float_from_half(Words bits) { return _mm256_cvtph_ps(bits_as<__m128i>(bits)); }
GPUKIT_SIMD_FN Words half_from_float(F32 x) {
  return bits_as<Words>(_mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
}
#elif defined(__aarch64__)
GPUKIT_SIMD_FN F32 float_from_half(Words bits) {
  return bits_as<F32>(vcvt_f32_f16(bits_as<float16x4_t>(bits)));
}
GPUKIT_SIMD_FN Words half_from_float(F32 x) {
  return bits_as<Words>(vcvt_f16_f32(bits_as<float32x4_t>(x)));
}
#else
// The bit steps of base/half.h, on vectors.
GPUKIT_SIMD_FN F32 float_from_half(Words bits) {
  const U32 wide = __builtin_convertvector(bits, U32);
  const U32 sign = (wide & 0x8000u) << 16;
  const U32 shifted = (wide & 0x7fffu) << 13;
  const U32 exponent = wide & 0x7c00u;
  const U32 normal = shifted + (112u << 23);
  const U32 special = shifted | 0x7f800000u;
  const U32 tiny =
      bits_as<U32>(__builtin_convertvector(bits_as<I32>(wide & 0x3ffu), F32) * 0x1p-24f);
  const U32 magnitude = exponent == 0x7c00u ? special : (exponent == 0u ? tiny : normal);
  return bits_as<F32>(magnitude | sign);
}
GPUKIT_SIMD_FN Words half_from_float(F32 x) {
  const U32 bits = bits_as<U32>(x);
  const U32 sign = (bits >> 16) & 0x8000u;
  const U32 magnitude = bits & 0x7fffffffu;
  const U32 rounded = (magnitude + 0xfffu + ((magnitude >> 13) & 1u) - 0x38000000u) >> 13;
  const U32 tiny = bits_as<U32>(bits_as<F32>(magnitude) + 0.5f) & 0xffffu;
  const U32 nan = 0x7e00u | ((magnitude >> 13) & 0x1ffu);
  U32 result = magnitude < 0x38800000u ? tiny : rounded;
  result = magnitude >= 0x477ff000u ? U32{} + 0x7c00u : result;
  result = magnitude > 0x7f800000u ? nan : result;
  return __builtin_convertvector(result | sign, Words);
}
#endif

}  // namespace gpukit::cpu::GPUKIT_SIMD_LEVEL
