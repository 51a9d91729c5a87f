#include "core/number_range.h"

#include <cmath>
#include <limits>
#include <type_traits>

#include "base/check.h"
#include "base/format.h"

namespace gpukit {

namespace number_range {
namespace {

template <class T>
constexpr double largest() noexcept {
  if constexpr (std::is_same_v<T, Half>) {
    return 65504.0;
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return 0x1.fep127;
  } else {
    static_assert(std::is_floating_point_v<T>);
    return static_cast<double>(std::numeric_limits<T>::max());
  }
}

template <class T>
constexpr FloatFormat format_of() noexcept {
  if constexpr (std::is_same_v<T, Half>) {
    return {11, -24, largest<T>()};
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return {8, -133, largest<T>()};
  } else if constexpr (std::is_floating_point_v<T>) {
    using Limits = std::numeric_limits<T>;
    return {Limits::digits, Limits::min_exponent - Limits::digits, largest<T>()};
  } else {
    static_assert(std::is_integral_v<T> || is_complex_type<T>);
    return {0, 0, 0};
  }
}

template <class T>
bool floating_fits_integer(double value) noexcept {
  using Limits = std::numeric_limits<T>;
  // The largest 64-bit integers are not representable as double; anything below 2^63 or 2^64 fits.
  const double end = std::ldexp(1.0, Limits::digits);
  return value >= static_cast<double>(Limits::min()) && value < end &&
         (sizeof(T) == 8 || value <= static_cast<double>(Limits::max()));
}

template <class T>
bool fits_floating(double value) noexcept {
  return !std::isfinite(value) || std::abs(value) <= largest<T>();
}

template <class T>
bool whole_fits_integer(Scalar number) noexcept {
  using Limits = std::numeric_limits<T>;
  if (number.is_huge()) return std::is_same_v<T, std::uint64_t>;
  const std::int64_t value = number.as_int64();
  if constexpr (std::is_same_v<T, std::uint64_t>) {
    return true;
  } else if constexpr (Limits::is_signed) {
    return value >= Limits::min() && value <= Limits::max();
  } else {
    const auto end = static_cast<std::int64_t>(Limits::max());
    return value >= -end && value <= end;
  }
}

template <class T>
bool fits_integer(Scalar number) noexcept {
  switch (number.kind()) {
    case DTypeKind::kBool:
    case DTypeKind::kInteger:
      return whole_fits_integer<T>(number);
    case DTypeKind::kFloating:
      return floating_fits_integer<T>(number.as_double());
    case DTypeKind::kComplex:
      return number.imaginary() == 0.0 && floating_fits_integer<T>(number.as_double());
  }
  __builtin_unreachable();
}

}  // namespace
}  // namespace number_range

FloatFormat float_format(DType dtype) noexcept {
  return visit_dtype(dtype, []<class T>() { return number_range::format_of<T>(); });
}

bool fits(Scalar number, DType dtype) noexcept {
  return visit_dtype(dtype, [&]<class T>() {
    if constexpr (std::is_same_v<T, bool>) {
      return true;
    } else if constexpr (std::is_integral_v<T>) {
      return number_range::fits_integer<T>(number);
    } else if constexpr (is_complex_type<T>) {
      using Part = typename T::value_type;
      return number_range::fits_floating<Part>(number.as_double()) &&
             number_range::fits_floating<Part>(number.imaginary());
    } else {
      return number.imaginary() == 0.0 && number_range::fits_floating<T>(number.as_double());
    }
  });
}

std::string range_text(DType dtype) {
  return visit_dtype(dtype, [&]<class T>() -> std::string {
    if constexpr (std::is_same_v<T, bool>) {
      return "False or True";
    } else if constexpr (std::is_integral_v<T>) {
      return concat(+std::numeric_limits<T>::min(), " to ", +std::numeric_limits<T>::max());
    } else if constexpr (is_complex_type<T>) {
      const double end = number_range::largest<typename T::value_type>();
      return concat(-end, " to ", end, " in each part");
    } else {
      return concat(-number_range::largest<T>(), " to ", number_range::largest<T>());
    }
  });
}

}  // namespace gpukit
