// Floating-point functions as PTX defines them.
#pragma once

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>

namespace gpukit::ptx {

/// Subnormal numbers become zeros of their sign, where an instruction says .ftz.
template <bool kFlush, class T>
T flushed(T value) {
  if constexpr (kFlush && sizeof(T) == 4)
    return std::fabs(value) < std::numeric_limits<T>::min() ? std::copysign(T{0}, value) : value;
  else
    return value;
}

template <bool kSaturate, class T>
T saturated(T value) {
  if constexpr (kSaturate)
    return value > 0 ? (value < 1 ? value : T{1}) : T{0};  // NaN becomes 0
  else
    return value;
}

template <class T>
T canonical_nan() {
  if constexpr (sizeof(T) == 4)
    return std::bit_cast<float>(0x7fffffffu);
  else
    return std::bit_cast<double>(std::uint64_t{0x7fffffffffffffffu});
}

/// The result of an instruction: flushed where it says .ftz; a NaN of f32 is the canonical one.
template <bool kFlush, class T>
T finished(T value) {
  value = flushed<kFlush>(value);
  if constexpr (sizeof(T) == 4)
    return value == value ? value : canonical_nan<T>();
  else
    return value;
}

/// The smaller number; -0 is smaller than +0. A NaN yields to a number, or wins if asked to.
template <bool kPropagate, class T>
T smaller(T a, T b) {
  const bool a_nan = a != a, b_nan = b != b;
  if (a_nan || b_nan) {
    if (kPropagate || (a_nan && b_nan)) return canonical_nan<T>();
    return a_nan ? b : a;
  }
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

template <bool kPropagate, class T>
T larger(T a, T b) {
  const bool a_nan = a != a, b_nan = b != b;
  if (a_nan || b_nan) {
    if (kPropagate || (a_nan && b_nan)) return canonical_nan<T>();
    return a_nan ? b : a;
  }
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

/// A NaN keeps its bits: its sign says nothing.
template <class T>
T with_sign_of_product(T magnitude, T a, T b) {
  return std::copysign(magnitude, std::signbit(a) != std::signbit(b) ? T{-1} : T{1});
}

/// The rounding mode of the processor, for one instruction.
class RoundingScope {
 public:
  explicit RoundingScope(int mode) : before_(std::fegetround()) { std::fesetround(mode); }
  ~RoundingScope() { std::fesetround(before_); }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

 private:
  int before_;
};

}  // namespace gpukit::ptx
