// Reductions at the end of a chain: what tiles have made is taken into partial results while it is
// in the cache, in the order in which CpuOps::reduce adds up.
#pragma once

#include <cstdint>
#include <vector>

#include "backend/chain.h"
#include "cpu/reduce_parts.h"
#include "cpu/scratch.h"

namespace gpukit::cpu {

/// How the elements are shared out. A unit is what one partial result is made of: one result's
/// elements, or a piece of them.
class ChainUnits {
 public:
  explicit ChainUnits(const ChainArgs& args);

  std::int64_t count() const noexcept { return rows_ * pieces_; }
  std::int64_t rows() const noexcept { return rows_; }
  std::int64_t pieces() const noexcept { return pieces_; }  ///< of a result
  std::int64_t first(std::int64_t unit) const noexcept {
    return unit / pieces_ * row_ + unit % pieces_ * piece_;
  }
  std::int64_t size(std::int64_t unit) const noexcept;
  /// Whole units that fit into a window; 0 where one is longer.
  std::int64_t in_window() const noexcept { return pieces_ == 1 ? kReduceRun / row_ : 0; }

 private:
  std::int64_t rows_, row_, piece_, pieces_;
};

/// One thread's windows: for each reduction, the elements [first, first + kReduceRun) at most of
/// its value.
class ChainWindows {
 public:
  explicit ChainWindows(const ChainArgs& args);

  /// Where the window of a value is, or null where it is not reduced.
  char* of(int value) const noexcept;
  /// Instead of its window: where the value lies contiguous, from the window's first element on.
  void read_from(int value, const char* made) noexcept;
  /// Takes `count` elements from `offset` of the window on into a unit's partial results.
  void take(std::int64_t offset, std::int64_t count, std::int64_t base, Partial* partials) const;

 private:
  struct Reduction {
    int value;
    DType dtype;
    ReduceKernel kernel;
    bool widens;
    std::int64_t place;          ///< of its window; that of an earlier one of the same value
    const char* made = nullptr;  ///< see read_from
  };

  std::vector<Reduction> reductions_;
  Scratch memory_;
};

DType dtype_of_value(const ChainArgs& args, int value);

/// Before the first elements: one for each reduction.
void reset_partials(const ChainArgs& args, Partial* partials);

/// Joins the partial results of all pieces of each result and writes it.
void write_reductions(const ChainArgs& args, const ChainUnits& units, const Partial* partials,
                      std::int64_t first_row, std::int64_t last_row);

}  // namespace gpukit::cpu
