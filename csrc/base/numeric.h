// Integer arithmetic that sizes of memory and grids need.
#pragma once

#include <concepts>
#include <string>

#include "base/error.h"

namespace gpukit {

/// Rounds `value` up to a multiple of `alignment`, a power of two.
template <std::unsigned_integral Integer>
constexpr Integer align_up(Integer value, Integer alignment) noexcept {
  return static_cast<Integer>((value + alignment - 1) & ~(alignment - 1));
}

/// Quotient rounded up; `value` ≥ 0, `divisor` > 0. Does not overflow near the maximum.
template <std::integral Integer>
constexpr Integer ceil_div(Integer value, Integer divisor) noexcept {
  return static_cast<Integer>(value / divisor + (value % divisor != 0 ? 1 : 0));
}

template <std::unsigned_integral Integer>
constexpr bool is_power_of_two(Integer value) noexcept {
  return value != 0 && (value & (value - 1)) == 0;
}

/// Product, or ValueError that names `what` when the type cannot hold it.
template <std::integral Integer>
Integer checked_multiply(Integer left, Integer right, const char* what = "size") {
  Integer product;
  if (__builtin_mul_overflow(left, right, &product)) {
    throw ValueError(std::string(what) + ": " + std::to_string(left) + " x " +
                     std::to_string(right) + " is too large to count");
  }
  return product;
}

/// Sum, or ValueError that names `what` when the type cannot hold it.
template <std::integral Integer>
Integer checked_add(Integer left, Integer right, const char* what = "size") {
  Integer sum;
  if (__builtin_add_overflow(left, right, &sum)) {
    throw ValueError(std::string(what) + ": " + std::to_string(left) + " + " +
                     std::to_string(right) + " is too large to count");
  }
  return sum;
}

/// align_up that refuses to wrap around.
template <std::unsigned_integral Integer>
Integer checked_align_up(Integer value, Integer alignment, const char* what = "size") {
  checked_add<Integer>(value, static_cast<Integer>(alignment - 1), what);
  return align_up(value, alignment);
}

}  // namespace gpukit
