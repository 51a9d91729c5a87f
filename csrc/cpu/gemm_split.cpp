#include "cpu/gemm_split.h"

#include <algorithm>

#include "base/numeric.h"
#include "core/product_size.h"

namespace gpukit::cpu {
namespace gemm_split {
namespace {

constexpr std::int64_t kSharedWork = 200'000;   ///< multiply-adds from which two threads beat one
constexpr std::int64_t kBriefWork = 3'000'000;  ///< below: less than about 50 us
constexpr std::int64_t kLargeWork = std::int64_t{1} << 50;
constexpr std::int64_t kMultiple = 4;   ///< rows and columns come in fours in every kernel
constexpr std::int64_t kBestRows = 12;  ///< of an unpacked piece
constexpr std::int64_t kFewRows = 24;   ///< with fewer the columns are cut

// Pieces small enough to run unpacked, as many for each thread.
std::int64_t unpacked_size(std::int64_t size, std::int64_t work, int threads, std::int64_t limit) {
  const std::int64_t pieces = round_up(ceil_div(work, limit), threads);
  const std::int64_t most = limit / (work / size);
  std::int64_t piece = round_up(ceil_div(size, pieces), kMultiple);
  if (piece > most) piece = most / kMultiple * kMultiple;
  return piece > kBestRows ? piece : std::min(kBestRows, most);
}

}  // namespace
}  // namespace gemm_split

GemmPart GemmSplit::part(std::int64_t index, std::int64_t m, std::int64_t n) const noexcept {
  const std::int64_t row = index / column_pieces * row_size,
                     column = index % column_pieces * column_size;
  return {row, std::min(m, row + row_size), column, std::min(n, column + column_size)};
}

GemmSplit split_gemm(std::int64_t m, std::int64_t n, std::int64_t k, int threads,
                     std::int64_t unpacked_limit) noexcept {
  GemmSplit split;
  split.row_size = m;
  split.column_size = n;
  const std::int64_t work = saturated(ProductSize{1, m, n, k}.multiply_adds());
  if (work > gemm_split::kLargeWork) unpacked_limit = 0;  // far too large to be brief
  if (work < gemm_split::kSharedWork) threads = 1;
  split.brief = work < gemm_split::kBriefWork;
  const bool by_rows = m >= n || m >= gemm_split::kFewRows;
  const std::int64_t size = by_rows ? m : n;
  const bool unpacked = unpacked_limit > 0 && work / size * gemm_split::kBestRows <= unpacked_limit;
  if (threads < 2 && !(unpacked && work > unpacked_limit)) return split;
  std::int64_t piece = round_up(ceil_div(size, threads), gemm_split::kMultiple);
  if (unpacked) piece = gemm_split::unpacked_size(size, work, threads, unpacked_limit);
  (by_rows ? split.row_size : split.column_size) = piece;
  (by_rows ? split.row_pieces : split.column_pieces) = ceil_div(size, piece);
  return split;
}

}  // namespace gpukit::cpu
