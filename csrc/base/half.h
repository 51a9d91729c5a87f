// 16-bit floating-point storage types and their conversions; arithmetic is done in float.
#pragma once

#include <cstdint>
#include <cstring>

namespace gpukit {

namespace detail {

inline float bits_to_float(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline std::uint32_t float_to_bits(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

}  // namespace detail

/// IEEE binary16 to float, exact (subnormals, infinities and NaN payloads included).
inline float half_bits_to_float(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
  const std::uint32_t exponent = (half >> 10) & 0x1fu;
  const std::uint32_t mantissa = half & 0x3ffu;
  if (exponent == 0x1fu) return detail::bits_to_float(sign | 0x7f800000u | (mantissa << 13));
  if (exponent != 0)
    return detail::bits_to_float(sign | ((exponent + 112u) << 23) | (mantissa << 13));
  const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
  return sign != 0 ? -magnitude : magnitude;
}

/// float to IEEE binary16, round to nearest even; overflow gives infinity, NaN stays NaN.
inline std::uint16_t float_to_half_bits(float value) {
  const std::uint32_t bits = detail::float_to_bits(value);
  const std::uint16_t sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u)
    return static_cast<std::uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x1ffu));
  if (magnitude >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u);
  if (magnitude < 0x38800000u) {
    // Below the smallest normal: adding 0.5 lets the float unit do the rounding to multiples of
    // 2^-24.
    const float shifted = detail::bits_to_float(magnitude) + 0.5f;
    return static_cast<std::uint16_t>(sign | (detail::float_to_bits(shifted) & 0xffffu));
  }
  const std::uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
  return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
}

inline float bfloat16_bits_to_float(std::uint16_t bits) {
  return detail::bits_to_float(static_cast<std::uint32_t>(bits) << 16);
}

/// float to bfloat16, round to nearest even; NaN stays NaN.
inline std::uint16_t float_to_bfloat16_bits(float value) {
  const std::uint32_t bits = detail::float_to_bits(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
  return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

/// A binary16 number in memory. Converts to and from float; has no arithmetic.
struct Half {
  std::uint16_t bits = 0;
  Half() = default;
  explicit Half(float value) : bits(float_to_half_bits(value)) {}
  explicit operator float() const { return half_bits_to_float(bits); }
};

/// A bfloat16 number in memory. Converts to and from float; has no arithmetic.
struct BFloat16 {
  std::uint16_t bits = 0;
  BFloat16() = default;
  explicit BFloat16(float value) : bits(float_to_bfloat16_bits(value)) {}
  explicit operator float() const { return bfloat16_bits_to_float(bits); }
};

static_assert(sizeof(Half) == 2 && sizeof(BFloat16) == 2);

}  // namespace gpukit
