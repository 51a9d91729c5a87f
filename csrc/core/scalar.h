// A number with the kind it had in Python: bool, int or float.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/dtype.h"

namespace gpukit {

class Scalar {
 public:
  Scalar() noexcept : kind_(DTypeKind::kInteger) { value_.integer = 0; }
  static Scalar boolean(bool value) noexcept { return Scalar(DTypeKind::kBool, value ? 1 : 0); }
  static Scalar integer(std::int64_t value) noexcept { return Scalar(DTypeKind::kInteger, value); }
  static Scalar floating(double value) noexcept { return Scalar(value); }

  DTypeKind kind() const noexcept { return kind_; }
  bool is_floating() const noexcept { return kind_ == DTypeKind::kFloating; }
  double as_double() const noexcept {
    return is_floating() ? value_.floating : static_cast<double>(value_.integer);
  }
  /// A floating value is truncated; NaN and values beyond int64 give 0 rather than undefined
  /// behaviour.
  std::int64_t as_int64() const noexcept {
    if (!is_floating()) return value_.integer;
    const double v = value_.floating;
    return v >= -0x1p63 && v < 0x1p63 ? static_cast<std::int64_t>(v) : 0;
  }
  bool as_bool() const noexcept {
    return is_floating() ? value_.floating != 0.0 : value_.integer != 0;
  }

  template <class T>
  T as() const noexcept {
    if constexpr (std::is_same_v<T, bool>) {
      return as_bool();
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(as_int64());
    } else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
      return T(static_cast<float>(as_double()));
    } else {
      return static_cast<T>(as_double());
    }
  }

 private:
  Scalar(DTypeKind kind, std::int64_t value) noexcept : kind_(kind) { value_.integer = value; }
  explicit Scalar(double value) noexcept : kind_(DTypeKind::kFloating) { value_.floating = value; }

  DTypeKind kind_;
  union {
    std::int64_t integer;
    double floating;
  } value_;
};

}  // namespace gpukit
