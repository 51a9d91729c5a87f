// Transcendental functions of float vectors, within 2 ulp (tests/backend compares them with
// float64). Polynomials were fitted for this file; each replaces the series named next to it.
#pragma once

#include "cpu/simd/vector.h"

namespace gpukit::cpu::GPUKIT_SIMD_LEVEL {

inline constexpr float kLn2High = 0.693359375f;  ///< ten bits: products with exponents are exact
inline constexpr float kLn2Low = -2.12194440e-4f;
inline constexpr float kLog2E = 1.44269504f;
inline constexpr float kInfinity = __builtin_inff();

/// a * b + c, rounded once where the instruction exists.
GPUKIT_SIMD_FN F32 multiply_add(F32 a, F32 b, F32 c) {
#if defined(__AVX512F__)
  return _mm512_fmadd_ps(a, b, c);
#elif defined(__FMA__)
  return _mm256_fmadd_ps(a, b, c);
#elif defined(__aarch64__)
  return bits_as<F32>(
      vfmaq_f32(bits_as<float32x4_t>(c), bits_as<float32x4_t>(a), bits_as<float32x4_t>(b)));
#else
  return a * b + c;
#endif
}
GPUKIT_SIMD_FN F32 multiply_add(F32 a, float b, F32 c) { return multiply_add(a, broadcast(b), c); }

/// Horner's rule; coefficients from the highest power down.
template <class... Rest>
GPUKIT_SIMD_FN F32 polynomial(F32 x, float first, Rest... rest) {
  F32 sum = broadcast(first);
  ((sum = multiply_add(sum, x, broadcast(static_cast<float>(rest)))), ...);
  return sum;
}

GPUKIT_SIMD_FN F32 magnitude_of(F32 x) { return bits_as<F32>(bits_as<I32>(x) & 0x7fffffff); }
/// `magnitude` is not negative.
GPUKIT_SIMD_FN F32 with_sign_of(F32 magnitude, F32 sign) {
  return bits_as<F32>((bits_as<I32>(sign) & INT32_MIN) | bits_as<I32>(magnitude));
}
/// 2^n for whole n in [-126, 127].
GPUKIT_SIMD_FN F32 power_of_two(I32 n) { return bits_as<F32>((n + 127) << 23); }

/// x * 2^n for whole n in [-252, 254].
GPUKIT_SIMD_FN F32 scale_by(F32 x, F32 n) {
#if defined(__AVX512F__)
  return _mm512_maskz_scalef_ps(kAllLanes, x, n);
#else
  const I32 whole = __builtin_convertvector(n, I32);
  const I32 half = whole >> 1;
  return x * power_of_two(half) * power_of_two(whole - half);
#endif
}

/// x = n ln 2 + r with |r| <= ln 2 / 2.
struct Octaves {
  F32 n, r;
};

/// x is in [-105, 90] or NaN.
GPUKIT_SIMD_FN Octaves octaves_of(F32 x) {
  constexpr float kRound = 12582912.0f;  // 1.5 * 2^23: adding it rounds to a whole number
  const F32 n = multiply_add(x, kLog2E, broadcast(kRound)) - kRound;
  const F32 r = multiply_add(n, -kLn2High, x);
  return {n, multiply_add(n, -kLn2Low, r)};
}

struct Reduced {
  F32 n;     ///< x = n ln 2 + rest
  F32 rest;  ///< exp(rest) - 1
};

/// (exp(r) - 1 - r) / r^2 for |r| <= ln 2 / 2, with the error weighted for exp(r) - 1.
GPUKIT_SIMD_FN F32 exp_tail(F32 r) {
#if defined(__AVX512F__)
  return polynomial(r, 0.001394654891f, 0.00836664454f, 0.0416662807f, 0.1666654254f,
                    0.5000000062f);
#else
  // One power more makes up for a reduction without the instructions of AVX-512.
  return polynomial(r, 0.0001989108046f, 0.001393373072f, 0.008333310845f, 0.0416664642f,
                    0.1666666668f, 0.5000000014f);
#endif
}

/// exp(x) = 2^n (1 + rest). x is in [-105, 90] or NaN.
GPUKIT_SIMD_FN Reduced exp_parts(F32 x) {
  const auto [n, r] = octaves_of(x);
  return {n, multiply_add(exp_tail(r) * r, r, r)};
}

// Results that underflow are not computed: the processor takes some hundred cycles for each, and
// the weights of masked scores are such.
GPUKIT_SIMD_FN F32 exp_of(F32 x) {
  const I32 vanishes = x < -104.0f;
  const auto [n, r] = octaves_of(at_most(vanishes ? F32{} : x, broadcast(90.0f)));
  const F32 slope = multiply_add(exp_tail(r), r, broadcast(1.0f));
  return vanishes ? F32{} : scale_by(multiply_add(slope, r, broadcast(1.0f)), n);
}

/// exp(x) - 1 for x in [0, 80] or NaN.
GPUKIT_SIMD_FN F32 expm1_in_range(F32 x) {
  // The sum with kRound holds the biased exponent of 2^n in its low bits.
  constexpr float kRound = 12582912.0f + 127.0f;
  const F32 shifted = multiply_add(x, kLog2E, broadcast(kRound));
  const F32 power = bits_as<F32>(bits_as<I32>(shifted) << 23);
  const F32 n = shifted - kRound;
  F32 r = multiply_add(n, -kLn2High, x);
  r = multiply_add(n, -kLn2Low, r);
  const F32 rest = multiply_add(exp_tail(r) * r, r, r);
  return multiply_add(power, rest, power - 1.0f);
}

GPUKIT_SIMD_FN F32 expm1_of(F32 x) {
  const F32 limited = at_most(at_least(x, broadcast(-30.0f)), broadcast(88.75f));
  const Reduced parts = exp_parts(limited);
  // float cannot represent 2^128, so the largest results are computed at half their size.
  const F32 power = scale_by(broadcast(1.0f), parts.n - 1.0f);
  const F32 result = multiply_add(power, parts.rest, power - 0.5f) * 2.0f;
  return x == 0.0f ? x : result;
}

/// t / (t + 2) with t = exp(2 |x|) - 1.
GPUKIT_SIMD_FN F32 tanh_of(F32 x) {
  const F32 t = expm1_in_range(at_most(magnitude_of(x), broadcast(9.5f)) * 2.0f);
  const F32 sum = t + 2.0f;
  // What the sum lost of t counts where t is small; 1 / (t + 2) is near 0.46 there.
  const F32 lost = t < 1.5f ? t - (sum - 2.0f) : F32{};
  const F32 quotient = t / sum;
  return with_sign_of(multiply_add(quotient * lost, -0.46f, quotient), x);
}

/// 1 / (1 + exp(-x)); exp is taken of a negative number only, so that tiny results keep their bits.
GPUKIT_SIMD_FN F32 sigmoid_of(F32 x) {
  const F32 power = exp_of(bits_as<F32>(bits_as<I32>(x) | INT32_MIN));
  const F32 sum = power + 1.0f;
  const F32 lost = power - (sum - 1.0f);
  const F32 quotient = (x < 0.0f ? power : broadcast(1.0f)) / sum;
  return multiply_add(quotient * lost, -0.95f, quotient);  // 1 / sum is nearly 1 where it matters
}

struct LogParts {
  F32 exponent;  ///< x = 2^exponent (1 + f), sqrt(1/2) <= 1 + f < sqrt(2)
  F32 f;
};

/// x is positive and finite.
GPUKIT_SIMD_FN LogParts log_parts(F32 x) {
  const I32 small = x < 1.17549435e-38f;
  x = small ? x * 0x1p25f : x;
  constexpr std::int32_t kSqrtHalf = 0x3f3504f3;
  // Unsigned, because the lanes that log_special overwrites may hold anything.
  const I32 shifted = bits_as<I32>(bits_as<U32>(x) - static_cast<std::uint32_t>(kSqrtHalf));
  const F32 exponent = __builtin_convertvector((shifted >> 23) - (small & 25), F32);
  return {exponent, bits_as<F32>((shifted & 0x007fffff) + kSqrtHalf) - 1.0f};
}

/// (log(1 + f) - f + f^2/2) for the f of log_parts.
GPUKIT_SIMD_FN F32 log_tail(F32 f) {
  const F32 p =
      polynomial(f, 0.06971478495f, -0.1148140697f, 0.1168622203f, -0.1242552372f, 0.142489674f,
                 -0.1666780604f, 0.2000071824f, -0.2499999694f, 0.3333333117f);
  return p * f * f * f;
}

/// Puts in what logarithms give outside the finite positive numbers.
GPUKIT_SIMD_FN F32 log_special(F32 x, F32 result) {
  result = x == 0.0f ? broadcast(-kInfinity) : result;
  result = x == kInfinity ? x : result;
  return ((x < 0.0f) | (x != x)) ? broadcast(__builtin_nanf("")) : result;
}

GPUKIT_SIMD_FN F32 log_of(F32 x) {
  const LogParts parts = log_parts(x);
  F32 tail = multiply_add(parts.exponent, kLn2Low, log_tail(parts.f));
  tail = multiply_add(parts.f * parts.f, -0.5f, tail);
  const F32 result = multiply_add(parts.exponent, kLn2High, parts.f + tail);
  return log_special(x, result);
}

// log(1 + f) as head + tail, so that a change of base may keep the head exact: head has 12 bits.
struct LogSplit {
  F32 head, tail;
};
GPUKIT_SIMD_FN LogSplit log_split(F32 f) {
  const F32 half_square = f * f * 0.5f;
  const F32 sum = f - half_square;
  const F32 head = bits_as<F32>(bits_as<I32>(sum) & ~0xfff);
  // f - half_square - head without the rounding of sum; half_square's own rounding error is below
  // the result's.
  const F32 tail = (f - head) - half_square + log_tail(f);
  return {head, tail};
}

GPUKIT_SIMD_FN F32 log_in_base(F32 x, float per_octave_high, float per_octave_low, float base_high,
                               float base_low) {
  const LogParts parts = log_parts(x);
  const LogSplit log = log_split(parts.f);
  F32 low = multiply_add(log.tail, base_high, (log.head + log.tail) * base_low);
  low = multiply_add(parts.exponent, per_octave_low, low);
  const F32 high = log.head * base_high;  // exact: 12 bits times 12 bits
  return log_special(x, parts.exponent * per_octave_high + (high + low));
}

GPUKIT_SIMD_FN F32 log2_of(F32 x) {
  return log_in_base(x, 1.0f, 0.0f, 1.4423828125f, 3.12229088e-4f);
}
GPUKIT_SIMD_FN F32 log10_of(F32 x) {
  return log_in_base(x, 0.301025390625f, 4.6050390e-6f, 0.434326171875f, -3.1689985e-5f);
}

GPUKIT_SIMD_FN F32 log1p_of(F32 x) {
  const F32 u = x + 1.0f;
  const F32 lost = x >= 1.0f ? 1.0f - (u - x) : x - (u - 1.0f);
  const LogParts parts = log_parts(u);
  const F32 scaled = lost * power_of_two(__builtin_convertvector(-parts.exponent, I32));
  const F32 f = u < 0x1p100f ? parts.f + scaled : parts.f;
  F32 tail = multiply_add(parts.exponent, kLn2Low, log_tail(f));
  tail = multiply_add(f * f, -0.5f, tail);
  const F32 result = multiply_add(parts.exponent, kLn2High, f + tail);
  return x == 0.0f ? x : log_special(u, result);
}

GPUKIT_SIMD_FN F32 erf_of(F32 x) {
  const F32 a = magnitude_of(x);
  const F32 s = x * x;
  // erf(x) = x + x (2/sqrt(pi) - 1 - …) near 0
  const F32 near = polynomial(s, 8.334718615e-5f, -0.0008134709332f, 0.005200368587f,
                              -0.02685915147f, 0.1128369152f, -0.3761263352f, 0.1283791666f);
  const F32 near_result = multiply_add(near, x, x);
  // 1 - erf(a) = exp(-far(a)) for 0.92 <= a <= 4; beyond, erf is 1
  const F32 b = at_most(a, broadcast(4.0f));
  const F32 far =
      polynomial(b, -1.643569654e-6f, 4.617791279e-5f, -0.000597743472f, 0.004763575249f,
                 -0.0264310176f, 0.1100944808f, 0.6318145167f, 1.130237616f, -0.0003204415313f);
  const Reduced parts = exp_parts(-far);
  const F32 complement = scale_by(parts.rest + 1.0f, parts.n);
  return a < 0.93f ? near_result : with_sign_of(1.0f - complement, x);
}

GPUKIT_SIMD_FN F32 gelu_of(F32 x) { return x * 0.5f * (erf_of(x * 0.70710678f) + 1.0f); }

struct Turn {
  F32 rest;  ///< x = quadrant * pi/2 + rest, |rest| <= pi/4
  I32 quadrant;
};

/// A vector in double, half of the lanes at a time.
struct WideHalves {
  F64 of[2];
};
typedef VecN<float, kLanes<float> / 2> HalfFloat;
GPUKIT_SIMD_FN WideHalves widened(F32 x) {
  HalfFloat in[2];
  __builtin_memcpy(in, &x, sizeof x);
  return {{__builtin_convertvector(in[0], F64), __builtin_convertvector(in[1], F64)}};
}
GPUKIT_SIMD_FN F32 narrowed(const WideHalves& halves) {
  const HalfFloat parts[2] = {__builtin_convertvector(halves.of[0], HalfFloat),
                              __builtin_convertvector(halves.of[1], HalfFloat)};
  F32 x;
  __builtin_memcpy(&x, parts, sizeof x);
  return x;
}

struct WideTurn {
  F64 rest;
  I64 quadrant;  ///< by its last two bits
};
inline constexpr float kTurnLimit = 1.0e6f;
/// |x| <= kTurnLimit.
GPUKIT_SIMD_FN WideTurn wide_turn(F64 x) {
  constexpr double kRound = 6755399441055744.0;               // 1.5 * 2^52
  constexpr double kPiHalfHigh = 1.57079632673412561417e+00;  // 33 bits
  constexpr double kPiHalfLow = 6.07710050650619224932e-11;
  const F64 shifted = x * 0.63661977236758134308 + kRound;
  const F64 n = shifted - kRound;
  return {(x - n * kPiHalfHigh) - n * kPiHalfLow, bits_as<I64>(shifted)};
}

/// |x| <= kTurnLimit.
GPUKIT_SIMD_FN Turn turn_parts(F32 x) {
  typedef VecN<std::int32_t, kLanes<float> / 2> HalfInt;
  WideHalves halves = widened(x);
  HalfInt quadrant[2];
  for (int i = 0; i < 2; ++i) {
    const WideTurn turn = wide_turn(halves.of[i]);
    halves.of[i] = turn.rest;
    quadrant[i] = __builtin_convertvector(turn.quadrant & 3, HalfInt);
  }
  Turn turn;
  turn.rest = narrowed(halves);
  __builtin_memcpy(&turn.quadrant, quadrant, sizeof turn.quadrant);
  return turn;
}

GPUKIT_SIMD_FN F32 sin_of_turn(Turn turn) {
  const F32 r = turn.rest, s = r * r;
  const F32 sine = multiply_add(
      polynomial(s, 2.724931405e-6f, -0.0001984008201f, 0.008333331866f, -0.1666666666f) * s, r, r);
  const F32 cosine = multiply_add(
      polynomial(s, -2.730044862e-7f, 2.480059644e-5f, -0.001388888766f, 0.04166666666f) * s, s,
      1.0f - s * 0.5f);
  const F32 value = (turn.quadrant & 1) != 0 ? cosine : sine;
  return bits_as<F32>(bits_as<I32>(value) ^ ((turn.quadrant & 2) << 30));
}

GPUKIT_SIMD_FN F32 sin_in_range(F32 x) { return sin_of_turn(turn_parts(x)); }
GPUKIT_SIMD_FN F32 cos_in_range(F32 x) {
  Turn turn = turn_parts(x);
  turn.quadrant = turn.quadrant + 1;
  return sin_of_turn(turn);
}

// The few arguments too large for the reduction go to the C library one by one.
GPUKIT_SIMD_FN F32 sin_of(F32 x) {
  F32 result = sin_in_range(x);
  const I32 far = ~(magnitude_of(x) <= kTurnLimit);
  if (any_lane(far)) {
    for (int i = 0; i < kLanes<float>; ++i) {
      if (far[i] != 0) result[i] = __builtin_sinf(x[i]);
    }
  }
  return x == 0.0f ? x : result;
}
GPUKIT_SIMD_FN F32 cos_of(F32 x) {
  F32 result = cos_in_range(x);
  const I32 far = ~(magnitude_of(x) <= kTurnLimit);
  if (any_lane(far)) {
    for (int i = 0; i < kLanes<float>; ++i) {
      if (far[i] != 0) result[i] = __builtin_cosf(x[i]);
    }
  }
  return result;
}

}  // namespace gpukit::cpu::GPUKIT_SIMD_LEVEL
