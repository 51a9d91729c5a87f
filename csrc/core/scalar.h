// A Python number with its kind: bool, int, float or complex.
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>

#include "core/dtype.h"

namespace gpukit {

class Scalar {
 public:
  Scalar() noexcept : kind_(DTypeKind::kInteger) { value_.integer = 0; }
  static Scalar boolean(bool value) noexcept { return Scalar(DTypeKind::kBool, value ? 1 : 0); }
  static Scalar integer(std::int64_t value) noexcept { return Scalar(DTypeKind::kInteger, value); }
  /// For values beyond int64. Below 2^63 it equals integer().
  static Scalar unsigned_integer(std::uint64_t value) noexcept {
    Scalar result(DTypeKind::kInteger, static_cast<std::int64_t>(value));
    result.is_huge_ = value >> 63 != 0;
    return result;
  }
  static Scalar floating(double value) noexcept { return Scalar(value); }
  static Scalar complex(std::complex<double> value) noexcept {
    Scalar result(value.real());
    result.kind_ = DTypeKind::kComplex;
    result.imaginary_ = value.imag();
    return result;
  }

  DTypeKind kind() const noexcept { return kind_; }
  bool is_floating() const noexcept { return kind_ == DTypeKind::kFloating; }
  bool is_complex() const noexcept { return kind_ == DTypeKind::kComplex; }
  std::complex<double> as_complex() const noexcept { return {as_double(), imaginary_}; }
  /// 0 for every other kind.
  double imaginary() const noexcept { return imaginary_; }
  /// An integer of 2^63 or more.
  bool is_huge() const noexcept { return is_huge_; }
  /// The real part of a complex number; so it is below.
  double as_double() const noexcept {
    switch (kind_) {
      case DTypeKind::kBool:
      case DTypeKind::kInteger:
        if (is_huge_) return static_cast<double>(static_cast<std::uint64_t>(value_.integer));
        return static_cast<double>(value_.integer);
      case DTypeKind::kFloating:
      case DTypeKind::kComplex:
        return value_.floating;
    }
    __builtin_unreachable();
  }
  /// A floating-point value is truncated. NaN and values beyond int64 give 0 instead of undefined
  /// behaviour. A huge integer keeps its bits.
  std::int64_t as_int64() const noexcept {
    switch (kind_) {
      case DTypeKind::kBool:
      case DTypeKind::kInteger:
        return value_.integer;
      case DTypeKind::kFloating:
      case DTypeKind::kComplex:
        const double v = value_.floating;
        return v >= -0x1p63 && v < 0x1p63 ? static_cast<std::int64_t>(v) : 0;
    }
    __builtin_unreachable();
  }
  /// As as_int64(), for uint64. A negative value keeps the bits of its int64.
  std::uint64_t as_uint64() const noexcept {
    if ((is_floating() || is_complex()) && value_.floating >= 0x1p63 && value_.floating < 0x1p64)
      return static_cast<std::uint64_t>(value_.floating);
    return static_cast<std::uint64_t>(as_int64());
  }
  bool as_bool() const noexcept {
    switch (kind_) {
      case DTypeKind::kBool:
      case DTypeKind::kInteger:
        return value_.integer != 0;
      case DTypeKind::kFloating:
        return value_.floating != 0.0;
      case DTypeKind::kComplex:
        return value_.floating != 0.0 || imaginary_ != 0.0;
    }
    __builtin_unreachable();
  }

  template <class T>
  T as() const noexcept {
    if constexpr (std::is_same_v<T, bool>) {
      return as_bool();
    } else if constexpr (std::is_same_v<T, std::uint64_t>) {
      return as_uint64();
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(as_int64());
    } else if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(as_double());
    } else if constexpr (is_complex_type<T>) {
      return T(as_complex());
    } else {
      static_assert(is_half_type<T>);
      return T(static_cast<float>(as_double()));
    }
  }

 private:
  Scalar(DTypeKind kind, std::int64_t value) noexcept : kind_(kind) { value_.integer = value; }
  explicit Scalar(double value) noexcept : kind_(DTypeKind::kFloating) { value_.floating = value; }

  DTypeKind kind_;
  bool is_huge_ = false;
  union {
    std::int64_t integer;
    double floating;
  } value_;
  double imaginary_ = 0.0;
};

}  // namespace gpukit
