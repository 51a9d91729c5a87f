// Memory that a kernel reads next, prefetched between its blocks.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/numeric.h"

namespace gpukit::cpu {

/// Memory that is used soon, brought to the second-level cache a few lines at a time: the processor
/// does not foresee rows that are read in slices, and all lines at once would hold up the product.
class Ahead {
 public:
  void add(const void* from, std::int64_t floats) {
    arrays_[count_++] = {static_cast<const float*>(from), floats};
  }
  /// All that was added, within `calls` of some().
  void begin(std::int64_t calls) {
    std::int64_t floats = 0;
    for (int i = 0; i < count_; ++i) floats += arrays_[i].floats;
    step_ = round_up(ceil_div(floats, std::max<std::int64_t>(calls - count_, 1)), kLine);
    next_ = 0;
  }
  void some() {
    if (next_ == count_) return;
    Array& array = arrays_[next_];
    const std::int64_t count = std::min(step_, array.floats);
    for (std::int64_t i = 0; i < count; i += kLine) __builtin_prefetch(array.from + i, 0, 2);
    array.from += count;
    array.floats -= count;
    if (array.floats == 0) ++next_;
  }
  void clear() { next_ = count_ = 0; }

 private:
  struct Array {
    const float* from;
    std::int64_t floats;
  };
  static constexpr std::int64_t kLine = 16;
  std::array<Array, 4> arrays_;
  int count_ = 0, next_ = 0;
  std::int64_t step_ = 0;
};

}  // namespace gpukit::cpu
