// Integer arithmetic that sizes of memory and grids need.
#pragma once

#include <concepts>

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

}  // namespace gpukit
