#include "cpu/gemm_split.h"

#include <algorithm>

namespace gpukit::cpu {
namespace {

constexpr double kSharedWork = 2.5e5;  ///< multiply-adds from which two threads beat one
constexpr double kBriefWork = 3e6;     ///< below: less than about 50 us
constexpr std::int64_t kMultiple = 16;

std::int64_t round_up(std::int64_t value, std::int64_t step) { return (value + step - 1) / step * step; }

}  // namespace

GemmPart GemmSplit::part(std::int64_t index, std::int64_t m, std::int64_t n) const noexcept {
  const std::int64_t row = index / column_pieces * row_size, column = index % column_pieces * column_size;
  return {row, std::min(m, row + row_size), column, std::min(n, column + column_size)};
}

GemmSplit split_gemm(std::int64_t m, std::int64_t n, std::int64_t k, int threads) noexcept {
  GemmSplit split;
  split.row_size = m;
  split.column_size = n;
  const double work = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  if (threads < 2 || work < kSharedWork) return split;
  split.brief = work < kBriefWork;
  const std::int64_t wanted = threads;
  if (m >= n) {
    split.row_size = std::max(kMultiple, round_up((m + wanted - 1) / wanted, kMultiple));
    split.row_pieces = (m + split.row_size - 1) / split.row_size;
  } else {
    split.column_size = std::max(kMultiple, round_up((n + wanted - 1) / wanted, kMultiple));
    split.column_pieces = (n + split.column_size - 1) / split.column_size;
  }
  return split;
}

}  // namespace gpukit::cpu
