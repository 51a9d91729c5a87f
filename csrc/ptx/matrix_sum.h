// How tensor cores add the products of one result.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace gpukit::ptx {

/// A factor with its exponent as the hardware sees it: numbers below the smallest normal one of
/// their format have that one's.
struct Scaled {
  double value = 0;
  int exponent = 0;
};

inline int exponent_of(double value) {
  return static_cast<int>(std::bit_cast<std::uint64_t>(value) >> 52 & 0x7ff) - 1023;
}

inline Scaled scaled(double value, int lowest) {
  return {value, std::max(exponent_of(value), lowest)};
}

inline double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52);
}

/// As float32, rounded towards zero.
inline float toward_zero(double value) {
  if (value != value) return std::bit_cast<float>(0x7fffffffu);
  const auto nearest = static_cast<float>(value);
  return std::fabs(static_cast<double>(nearest)) > std::fabs(value) && std::isfinite(nearest)
             ? std::nextafter(nearest, 0.0f)
             : nearest;
}

/// start + Σ a[k] * b[k] as an H200 adds them: all terms are cut off 25 bits behind the first bit
/// of the largest exponent, and then added exactly.
inline double matrix_sum(float start, const Scaled* a, const Scaled* b, unsigned count) {
  constexpr int kKept = 25;
  constexpr int kLowestSingle = -126;
  int largest = std::max(exponent_of(start), kLowestSingle);
  double plain = start;
  for (unsigned k = 0; k < count; k++) {
    plain += a[k].value * b[k].value;
    if (a[k].value != 0 && b[k].value != 0)
      largest = std::max(largest, a[k].exponent + b[k].exponent);
  }
  if (!std::isfinite(plain)) return plain;
  const double scale = power_of_two(kKept - largest);
  auto sum = static_cast<std::int64_t>(start * scale);
  for (unsigned k = 0; k < count; k++)
    sum += static_cast<std::int64_t>(a[k].value * b[k].value * scale);
  return static_cast<double>(sum) * power_of_two(largest - kKept);
}

}  // namespace gpukit::ptx
