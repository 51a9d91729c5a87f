// How many references an object has that counts them itself.
#pragma once

#include <atomic>
#include <cstdint>

namespace gpukit {

/// Starts at 1, the reference of who made the object.
class ReferenceCount {
 public:
  void add() noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
  /// True when it was the last one. The only owner needs no atomic subtraction: no other thread can
  /// add one.
  [[gnu::always_inline]] bool drop() noexcept {  // in each operator, several times
    if (count_.load(std::memory_order_acquire) == 1) {
      count_.store(0, std::memory_order_relaxed);
      return true;
    }
    return count_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  /// The first reference to an object that had none left.
  void restart() noexcept { count_.store(1, std::memory_order_relaxed); }
  std::uint32_t value() const noexcept { return count_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint32_t> count_{1};
};

}  // namespace gpukit
