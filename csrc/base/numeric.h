// Integer arithmetic that sizes of memory and grids need.
#pragma once

#include <concepts>
#include <type_traits>

namespace gpukit {

/// Rounds `value` up to a multiple of `alignment`, a power of two.
template <std::unsigned_integral Integer>
constexpr Integer align_up(Integer value, Integer alignment) noexcept {
  return static_cast<Integer>((value + alignment - 1) & ~(alignment - 1));
}

/// Quotient rounded up; `value` ≥ 0, `divisor` > 0. Does not overflow near the maximum.
template <std::integral Integer>
constexpr Integer ceil_div(Integer value, std::type_identity_t<Integer> divisor) noexcept {
  return static_cast<Integer>(value / divisor + (value % divisor != 0 ? 1 : 0));
}

/// Rounds `value` ≥ 0 up to a multiple of `step` > 0.
template <std::integral Integer>
constexpr Integer round_up(Integer value, std::type_identity_t<Integer> step) noexcept {
  return static_cast<Integer>(ceil_div(value, step) * step);
}

}  // namespace gpukit
