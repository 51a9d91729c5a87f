// The size of a matrix product and its cost, for all who decide by it: the GIL, the CPU's threads,
// observers of device work.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/shape.h"

namespace gpukit {

/// A count as an integer; the largest one where it is beyond int64, as the sizes of expanded
/// tensors multiplied may be.
constexpr std::int64_t saturated(double count) noexcept {
  return count < 0x1p63 ? static_cast<std::int64_t>(count)
                        : std::numeric_limits<std::int64_t>::max();
}

/// (batch, m, k) times (batch, k, n).
struct ProductSize {
  std::int64_t batch = 1, m = 1, n = 1, k = 1;

  constexpr double multiply_adds() const noexcept { return results() * static_cast<double>(k); }
  /// Elements of the result.
  constexpr double results() const noexcept {
    return static_cast<double>(batch) * static_cast<double>(m) * static_cast<double>(n);
  }
};

/// Of matmul's operands, whose sizes need not fit together; a vector is a row on the left and a
/// column on the right.
inline ProductSize product_size(const Shape& left, const Shape& right) noexcept {
  const int a = left.size(), b = right.size();
  ProductSize size;
  if (a >= 1) size.k = left[a - 1];
  if (a >= 2) size.m = left[a - 2];
  if (b >= 2) size.n = right[b - 1];
  for (int i = 3; i <= std::max(a, b); ++i) {
    const std::int64_t one = i <= a ? left[a - i] : 1, other = i <= b ? right[b - i] : 1;
    size.batch =
        saturated(static_cast<double>(size.batch) * static_cast<double>(one == 1 ? other : one));
  }
  return size;
}

}  // namespace gpukit
