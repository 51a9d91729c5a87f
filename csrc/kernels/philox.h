// Philox4x32-10 random numbers: counter based, so that any grid, any card and the CPU give the same
// sequence.
//
// One block of four 32-bit words is philox(counter = (block number, offset), key = seed); every
// call of a generator takes the next offset. Element i of an output uses
//   uniform f32, f16, bf16   word i % 4 of block i / 4, its upper 24 bits
//   uniform f64              words 2 (i % 2) and the next of block i / 2, the upper 53 bits
//   normal f32, f16, bf16    words 2 p, 2 p + 1 of block i / 4, p = i % 4 / 2: Box-Muller; even i
//   takes the cosine normal f64               all four words of block i / 2; even i takes the
//   cosine integers of any dtype    words 2 (i % 2) (low half) and the next (high half) of block i
//   / 2
#pragma once

#include "kernels/portable.h"

#if !defined(__CUDACC__)
#include <math.h>
#endif

namespace gpukit {

struct PhiloxWords {
  gk_u32 word[4];
};

GK_FN PhiloxWords philox(gk_u64 block, gk_u64 offset, gk_u64 seed) {
  gk_u32 c0 = static_cast<gk_u32>(block), c1 = static_cast<gk_u32>(block >> 32);
  gk_u32 c2 = static_cast<gk_u32>(offset), c3 = static_cast<gk_u32>(offset >> 32);
  gk_u32 k0 = static_cast<gk_u32>(seed), k1 = static_cast<gk_u32>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const gk_u64 left = static_cast<gk_u64>(0xD2511F53u) * c0;
    const gk_u64 right = static_cast<gk_u64>(0xCD9E8D57u) * c2;
    c0 = static_cast<gk_u32>(right >> 32) ^ c1 ^ k0;
    c1 = static_cast<gk_u32>(right);
    c2 = static_cast<gk_u32>(left >> 32) ^ c3 ^ k1;
    c3 = static_cast<gk_u32>(left);
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return PhiloxWords{{c0, c1, c2, c3}};
}

GK_FN gk_u64 join_words(gk_u32 low, gk_u32 high) { return static_cast<gk_u64>(high) << 32 | low; }

/// [0, 1) in steps of 2^-24.
GK_FN float unit_float(gk_u32 word) {
  return static_cast<float>(word >> 8) * 5.9604644775390625e-8f;
}
/// [0, 1) in steps of 2^-53.
GK_FN double unit_double(gk_u64 bits) {
  return static_cast<double>(bits >> 11) * 1.1102230246251565e-16;
}

// One rounding on every machine; a separate multiply and add would be contracted on some and not on
// others.
GK_FN float fused_multiply_add(float a, float b, float c) {
#if defined(__CUDACC__)
  return fmaf(a, b, c);
#else
  return __builtin_fmaf(a, b, c);
#endif
}
GK_FN double fused_multiply_add(double a, double b, double c) {
#if defined(__CUDACC__)
  return fma(a, b, c);
#else
  return __builtin_fma(a, b, c);
#endif
}

/// What maps [0, 1) to [low, high). `below_high` is the largest number of the output dtype under
/// `high`: rounding may otherwise reach `high` itself.
template <class T>
struct UniformRange {
  T low, span, below_high;
};

template <class T>
GK_FN T uniform_value(T unit, UniformRange<T> range) {
  const T value = fused_multiply_add(unit, range.span, range.low);
  return value < range.below_high ? value : range.below_high;
}

/// [low, low + span) from 64 random bits. The probability of a value is off by at most span / 2^64
/// of itself.
GK_FN gk_i64 random_integer(gk_u64 bits, gk_i64 low, gk_u64 span) {
#if defined(__CUDACC__)
  const gk_u64 distance = __umul64hi(bits, span);
#else
  __extension__ typedef unsigned __int128 Wide;
  const gk_u64 distance = static_cast<gk_u64>(static_cast<Wide>(bits) * span >> 64);
#endif
  return static_cast<gk_i64>(static_cast<gk_u64>(low) + distance);
}

template <class T>
struct NormalPair {
  T even, odd;  ///< cosine and sine of the pair
};

// a * b + c where a last bit more or less does not matter: fused only where that costs nothing.
GK_FN float multiply_add(float a, float b, float c) {
#if defined(__CUDACC__) || defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  return fused_multiply_add(a, b, c);
#else
  return a * b + c;
#endif
}

GK_FN float float_of_bits(gk_u32 bits) {
#if defined(__CUDACC__)
  return __uint_as_float(bits);
#else
  float value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
#endif
}
GK_FN gk_u32 bits_of_float(float value) {
#if defined(__CUDACC__)
  return __float_as_uint(value);
#else
  gk_u32 bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
#endif
}

/// Natural logarithm of a normal positive number within 1 ulp, the same bits wherever multiply_add
/// is fused.
GK_FN float philox_log(float x) {
  // x = m * 2^e with m in [sqrt(1/2), sqrt(2)).
  const gk_u32 shifted = bits_of_float(x) - 0x3f3504f3u;
  const float e = static_cast<float>(static_cast<gk_i32>(shifted) >> 23);
  const float f = float_of_bits((shifted & 0x007fffffu) + 0x3f3504f3u) - 1.0f;
  float p = 0.073325015604496f;
  p = multiply_add(p, f, -0.1165991723537445f);
  p = multiply_add(p, f, 0.11634667217731476f);
  p = multiply_add(p, f, -0.12396702170372009f);
  p = multiply_add(p, f, 0.1425115466117859f);
  p = multiply_add(p, f, -0.16669151186943054f);
  p = multiply_add(p, f, 0.2000068873167038f);
  p = multiply_add(p, f, -0.24999980628490448f);
  p = multiply_add(p, f, 0.3333333134651184f);
  const float square = f * f;
  float tail = p * square * f;
  tail = multiply_add(e, -2.12194440e-4f, tail);
  tail = multiply_add(square, -0.5f, tail);
  return multiply_add(e, 0.693359375f, f + tail);
}

/// cos and sin of 2 pi k / 2^24 for a 24-bit k; the reduction to an eighth of a turn is exact.
GK_FN NormalPair<float> turn_cos_sin(gk_u32 k) {
  const gk_u32 quadrant = (k + (1u << 21)) >> 22;
  const gk_i32 rest = static_cast<gk_i32>(k) - static_cast<gk_i32>(quadrant << 22);
  const float f = static_cast<float>(rest) * 5.9604644775390625e-8f;
  const float square = f * f;
  float s = multiply_add(-75.40206909179688f, square, 81.5925521850586f);
  s = multiply_add(s, square, -41.3416633605957f);
  s = multiply_add(s, square, 6.2831854820251465f) * f;
  float c = multiply_add(59.42750549316406f, square, -85.44891357421875f);
  c = multiply_add(c, square, 64.93936920166016f);
  c = multiply_add(c, square, -19.739208221435547f);
  c = multiply_add(c, square, 1.0f);
  const bool swap = (quadrant & 1u) != 0;
  const float even = swap ? s : c;
  const float odd = swap ? c : s;
  return {((quadrant + 1u) & 2u) != 0 ? -even : even, (quadrant & 2u) != 0 ? -odd : odd};
}

/// Two independent standard normals (Box-Muller).
GK_FN NormalPair<float> normal_pair(gk_u32 radius_word, gk_u32 angle_word) {
  const float u = static_cast<float>((radius_word >> 8) + 1u) * 5.9604644775390625e-8f;  // (0, 1]
#if defined(__CUDACC__)
  const float radius = sqrtf(-2.0f * philox_log(u));
#else
  const float radius = __builtin_sqrtf(-2.0f * philox_log(u));
#endif
  const NormalPair<float> turn = turn_cos_sin(angle_word >> 8);
  return {radius * turn.even, radius * turn.odd};
}

GK_FN NormalPair<double> normal_pair_double(const PhiloxWords& words) {
  const gk_u64 radius_bits = join_words(words.word[0], words.word[1]) >> 11;
  const double u = static_cast<double>(radius_bits + 1u) * 1.1102230246251565e-16;
  const double angle = 6.283185307179586477 * unit_double(join_words(words.word[2], words.word[3]));
  const double radius = sqrt(-2.0 * ::log(u));  // gpukit::log is a namespace of the host
  return {radius * cos(angle), radius * sin(angle)};
}

/// mean + deviation * z.
template <class T>
GK_FN T scale_normal(T z, T mean, T deviation) {
  return fused_multiply_add(z, deviation, mean);
}

#if !defined(__CUDACC__)

/// The largest number below `high` in a binary format of `precision` bits (24, 11, 8) whose
/// smallest step is 2^`smallest_exponent` (-149, -24, -133).
inline double largest_below(double high, int precision, int smallest_exponent) {
  if (high == 0.0) return -ldexp(1.0, smallest_exponent);
  int exponent = 0;
  const double mantissa = frexp(high, &exponent);
  if (mantissa == 0.5) --exponent;  // under a power of two the steps are half as wide
  const int step_exponent =
      exponent - precision > smallest_exponent ? exponent - precision : smallest_exponent;
  const double step = ldexp(1.0, step_exponent);
  const double candidate = floor(high / step) * step;
  return candidate < high ? candidate : candidate - step;
}

/// What uniform numbers in [low, high) of that format need; each member is then rounded to float
/// for the formats up to 24 bits. Equal bounds give `low` only.
inline UniformRange<double> uniform_limits(double low, double high, int precision,
                                           int smallest_exponent) {
  const double below =
      precision == 53 ? nextafter(high, low) : largest_below(high, precision, smallest_exponent);
  return {low, high - low, below > low ? below : low};
}

#endif

}  // namespace gpukit
