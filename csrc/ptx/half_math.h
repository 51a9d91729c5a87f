// f16 and bf16: conversions with every rounding, and sums that are rounded once.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace gpukit::ptx {

enum class Rounding : std::uint8_t { kNearest, kZero, kDown, kUp, kNearestAway };

/// How a 16-bit format is made: f16 has 5 bits of exponent and 10 of fraction, bf16 8 and 7.
struct F16 {
  static constexpr int kFraction = 10, kLowest = -14, kHighest = 15;
};
struct BF16 {
  static constexpr int kFraction = 7, kLowest = -126, kHighest = 127;
};

/// The quotient of the parts of a number that is kept, one more where the rest rounds up.
inline bool rounds_up(std::uint64_t kept, std::uint64_t rest, std::uint64_t half, bool negative,
                      Rounding rounding) {
  switch (rounding) {
    case Rounding::kNearest:
      return rest > half || (rest == half && (kept & 1) != 0);
    case Rounding::kNearestAway:
      return rest >= half;
    case Rounding::kZero:
      return false;
    case Rounding::kDown:
      return rest != 0 && negative;
    case Rounding::kUp:
      return rest != 0 && !negative;
  }
  return false;
}

/// Exact.
template <class Format>
double widened(std::uint16_t bits) {
  const int exponent_bits = 15 - Format::kFraction;
  const int exponent = bits >> Format::kFraction & ((1 << exponent_bits) - 1);
  const int fraction = bits & ((1 << Format::kFraction) - 1);
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1) return fraction != 0 ? NAN : sign * HUGE_VAL;
  if (exponent == 0) return sign * std::ldexp(fraction, Format::kLowest - Format::kFraction);
  return sign * std::ldexp(fraction | 1 << Format::kFraction,
                           exponent - 1 + Format::kLowest - Format::kFraction);
}

/// Rounds a double once. NaN becomes the canonical one.
template <class Format>
std::uint16_t narrowed(double value, Rounding rounding = Rounding::kNearest) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const bool negative = bits >> 63 != 0;
  const auto sign = static_cast<std::uint16_t>(negative ? 0x8000 : 0);
  constexpr int kExponentBits = 15 - Format::kFraction;
  constexpr std::uint32_t kInfinity = ((1u << kExponentBits) - 1) << Format::kFraction;
  if (value != value) return 0x7fff;
  if (std::isinf(value)) return static_cast<std::uint16_t>(sign | kInfinity);
  if (value == 0) return sign;
  int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
  std::uint64_t fraction = bits & 0xfffffffffffffu;
  if (exponent == -1023)
    exponent = -1022;
  else
    fraction |= std::uint64_t{1} << 52;
  int dropped = 52 - Format::kFraction;
  if (exponent < Format::kLowest) dropped += Format::kLowest - exponent;
  std::uint64_t kept = 0, rest = fraction, half = std::uint64_t{1} << 62;
  if (dropped < 62) {
    kept = fraction >> dropped;
    rest = fraction & ((std::uint64_t{1} << dropped) - 1);
    half = std::uint64_t{1} << (dropped - 1);
  }
  if (rounds_up(kept, rest, half, negative, rounding)) kept++;
  // The implied bit of a normal number adds one to the exponent field.
  std::uint64_t result = kept;
  if (exponent >= Format::kLowest)
    result += static_cast<std::uint64_t>(exponent - Format::kLowest) << Format::kFraction;
  if (result >= kInfinity) {
    const bool to_infinity = rounding == Rounding::kNearest || rounding == Rounding::kNearestAway ||
                             (rounding == Rounding::kUp && !negative) ||
                             (rounding == Rounding::kDown && negative);
    result = to_infinity ? kInfinity : kInfinity - 1;
  }
  return static_cast<std::uint16_t>(sign | result);
}

/// a + b with the last bit odd where the sum is not exact, so that rounding it again is right.
inline double sum_to_odd(double a, double b) {
  const double sum = a + b;
  if (!std::isfinite(sum)) return sum;
  const double part = sum - a;
  const double error = (a - (sum - part)) + (b - part);
  auto bits = std::bit_cast<std::uint64_t>(sum);
  if (error == 0 || (bits & 1) != 0) return sum;
  // The exact sum lies between `sum` and its neighbour on the side of the error.
  const bool outwards = (error > 0) == (sum > 0);
  if (sum == 0) return error;
  bits += outwards ? 1 : ~std::uint64_t{0};
  return std::bit_cast<double>(bits);
}

}  // namespace gpukit::ptx
