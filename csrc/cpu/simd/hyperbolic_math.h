// Hyperbolic functions of float vectors and their inverses, within 2 ulp (tests/backend compares
// them with float64).
#pragma once

#include "cpu/simd/vector_math.h"

namespace gpukit::cpu::GPUKIT_SIMD_LEVEL {

inline constexpr float kHuge = 1e9f;  ///< x^2 + 1 and x^2 are one float from here on
inline constexpr float kLn2 = 0.693147181f;

/// The series below 1; beyond, t / (2 t + 1) + t with t = (exp(|x|) - 1) / 2, which is computed at
/// half its size: its largest values are those for which 2^n is not a float.
GPUKIT_SIMD_FN F32 sinh_of(F32 x) {
  const F32 a = magnitude_of(x);
  const Reduced parts = exp_parts(at_most(a, broadcast(89.5f)));
  const F32 power = scale_by(broadcast(1.0f), parts.n - 2.0f);
  const F32 t = multiply_add(power, parts.rest, power - 0.25f) * 2.0f;
  const F32 other = a < 20.0f ? t / (t * 2.0f + 1.0f) : F32{};
  const F32 square = x * x;
  const F32 near = polynomial(square, 1.0f / 362880, 1.0f / 5040, 1.0f / 120, 1.0f / 6);
  return a < 1.0f ? multiply_add(near * square, x, x) : with_sign_of(t + other, x);
}

/// p + 1 / (4 p) with p = exp(|x|) / 2.
GPUKIT_SIMD_FN F32 cosh_of(F32 x) {
  const auto [n, r] = octaves_of(at_most(magnitude_of(x), broadcast(90.0f)));
  const F32 slope = multiply_add(exp_tail(r), r, broadcast(1.0f));
  const F32 p = scale_by(multiply_add(slope, r, broadcast(1.0f)), n - 1.0f);
  return p + 0.25f / p;
}

/// log(1 + a + a^2 / (1 + sqrt(1 + a^2))) with a = |x|; of huge ones log(a) + log(2).
GPUKIT_SIMD_FN F32 asinh_of(F32 x) {
  const F32 a = magnitude_of(x);
  const I32 huge = a > kHuge;
  const F32 square = a * a;
  const F32 more = square / (square_root(square + 1.0f) + 1.0f);
  const F32 log = log1p_of(huge ? a : a + more);
  return with_sign_of(huge ? log + kLn2 : log, x);
}

/// log(1 + t + sqrt(2 t + t^2)) with t = x - 1; of huge ones log(x) + log(2).
GPUKIT_SIMD_FN F32 acosh_of(F32 x) {
  const F32 t = x - 1.0f;
  const I32 huge = x > kHuge;
  const F32 root = square_root(multiply_add(t, t, t * 2.0f));
  const F32 log = log1p_of(huge ? x : t + root);
  return x < 1.0f ? broadcast(__builtin_nanf("")) : (huge ? log + kLn2 : log);
}

/// log(1 + 2 a + 2 a a / (1 - a)) / 2 with a = |x|.
GPUKIT_SIMD_FN F32 atanh_of(F32 x) {
  const F32 a = magnitude_of(x);
  const F32 twice = a * 2.0f;
  const F32 log = log1p_of(twice + twice * a / (1.0f - a));
  return a > 1.0f ? broadcast(__builtin_nanf("")) : with_sign_of(log * 0.5f, x);
}

}  // namespace gpukit::cpu::GPUKIT_SIMD_LEVEL
