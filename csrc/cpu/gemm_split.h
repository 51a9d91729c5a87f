// How one matrix product is shared out among threads.
#pragma once

#include <cstdint>

namespace gpukit::cpu {

/// A rectangle of the result.
struct GemmPart {
  std::int64_t row_begin, row_end, column_begin, column_end;
};

struct GemmSplit {
  std::int64_t row_pieces = 1, column_pieces = 1;
  std::int64_t row_size = 0, column_size = 0;  ///< of every piece but the last
  bool brief = true;                           ///< the whole product takes a few microseconds

  std::int64_t pieces() const noexcept { return row_pieces * column_pieces; }
  GemmPart part(std::int64_t index, std::int64_t m, std::int64_t n) const noexcept;
};

/// The split of an (m, k) by (k, n) product for that many threads; one piece when sharing does not
/// pay. `unpacked_limit`: multiply-adds up to which a piece is fastest (see BlasLibrary), or 0.
GemmSplit split_gemm(std::int64_t m, std::int64_t n, std::int64_t k, int threads,
                     std::int64_t unpacked_limit) noexcept;

}  // namespace gpukit::cpu
