// Tangents, inverses of circular functions and powers of two, of float vectors, within 2 ulp
// (tests/backend compares them with float64).
#pragma once

#include "cpu/simd/vector_math.h"

namespace gpukit::cpu::GPUKIT_SIMD_LEVEL {

inline constexpr float kPiHalf = 1.57079633f, kPiHalfLow = -4.37113883e-8f;

/// 2^x = 2^n exp(f ln 2) with f = x - n, which is exact.
GPUKIT_SIMD_FN F32 exp2_of(F32 x) {
  const I32 vanishes = x < -150.0f;
  const F32 limited = at_most(vanishes ? F32{} : x, broadcast(129.0f));
  constexpr float kRound = 12582912.0f;  // 1.5 * 2^23
  const F32 n = (limited + kRound) - kRound;
  const F32 r = (limited - n) * 0.693147181f;
  const F32 slope = multiply_add(exp_tail(r), r, broadcast(1.0f));
  return vanishes ? F32{} : scale_by(multiply_add(slope, r, broadcast(1.0f)), n);
}

/// In double, since a tangent magnifies what rounding does to its argument.
GPUKIT_SIMD_FN F32 tan_in_range(F32 x) {
  WideHalves halves = widened(x);
  for (F64& half : halves.of) {
    const WideTurn turn = wide_turn(half);
    const F64 r = turn.rest, s = r * r;
    const F64 low = (0.009386637056874909 * s + 0.0031178608649652384) * s + 0.024431402776831434;
    const F64 tail = ((low * s + 0.05341093108896748) * s + 0.1333880356064371) * s;
    const F64 tangent = (tail + 0.3333315669716215) * (s * r) + r;
    half = (turn.quadrant & 1) != 0 ? -1.0 / tangent : tangent;
  }
  return narrowed(halves);
}

// As of sine, the few arguments too large for the reduction go to the C library.
GPUKIT_SIMD_FN F32 tan_of(F32 x) {
  F32 result = tan_in_range(x);
  const I32 far = ~(magnitude_of(x) <= kTurnLimit);
  if (any_lane(far)) {
    for (int i = 0; i < kLanes<float>; ++i) {
      if (far[i] != 0) result[i] = __builtin_tanf(x[i]);
    }
  }
  return x == 0.0f ? x : result;
}

/// Beyond 1, pi/2 - atan(1 / a) with a = |x|.
GPUKIT_SIMD_FN F32 atan_of(F32 x) {
  const F32 a = magnitude_of(x);
  const I32 far = a > 1.0f;
  const F32 t = far ? 1.0f / a : a, s = t * t;
  const F32 tail = polynomial(s, 0.002920666404f, -0.01636782503f, 0.04321169424f, -0.07552200285f,
                              0.1066599815f, -0.1421105368f, 0.1999377264f, -0.3333315273f);
  const F32 angle = multiply_add(tail * s, t, t);
  return with_sign_of(far ? kPiHalf - (angle - kPiHalfLow) : angle, x);
}

/// asin(root of s) - root for s <= 1/4.
GPUKIT_SIMD_FN F32 asin_tail(F32 root, F32 s) {
  return polynomial(s, 0.04222593829f, 0.0241466593f, 0.04547654465f, 0.07495252788f,
                    0.1666675359f) *
         s * root;
}

/// Beyond 1/2, pi/2 - 2 asin(sqrt((1 - a) / 2)) with a = |x|.
GPUKIT_SIMD_FN F32 asin_of(F32 x) {
  const F32 a = magnitude_of(x);
  const I32 far = a > 0.5f;
  const F32 s = far ? (1.0f - a) * 0.5f : a * a;
  const F32 root = far ? square_root(s) : a;
  const F32 tail = asin_tail(root, s);
  const F32 difference = kPiHalf - root * 2.0f;
  const F32 lost = (kPiHalf - difference) - root * 2.0f;
  const F32 complement = difference + (lost + kPiHalfLow - tail * 2.0f);
  const F32 result = with_sign_of(far ? complement : root + tail, x);
  return a <= 1.0f ? result : broadcast(__builtin_nanf(""));
}

GPUKIT_SIMD_FN F32 acos_of(F32 x) {
  const F32 a = magnitude_of(x);
  const I32 far = a > 0.5f;
  const F32 s = far ? (1.0f - a) * 0.5f : a * a;
  const F32 root = far ? square_root(s) : a;
  const F32 angle = root + asin_tail(root, s);
  const F32 near = kPiHalf - (with_sign_of(angle, x) - kPiHalfLow);
  const F32 twice = angle * 2.0f;
  const F32 beyond = x < 0.0f ? 2.0f * kPiHalf - (twice - 2.0f * kPiHalfLow) : twice;
  return a <= 1.0f ? (far ? beyond : near) : broadcast(__builtin_nanf(""));
}

}  // namespace gpukit::cpu::GPUKIT_SIMD_LEVEL
