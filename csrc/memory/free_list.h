// Free blocks sorted into size classes, for best fit without searching all of them. Makes no
// allocation itself.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "memory/block.h"

namespace gpukit::memory {

/// Doubly linked list of blocks through their own links.
class BlockList {
 public:
  bool empty() const noexcept { return head_ == nullptr; }
  Block* front() const noexcept { return head_; }
  void push_front(Block& block) noexcept;
  void push_back(Block& block) noexcept;
  void remove(Block& block) noexcept;

 private:
  Block* head_ = nullptr;
  Block* tail_ = nullptr;
};

/// The free blocks of one stream and one kind of segment.
class FreeList {
 public:
  void insert(Block& block) noexcept;
  void remove(Block& block) noexcept;
  /// The smallest block of at least `bytes` or nullptr; it stays in the list. Of equal ones the
  /// newest, whose bytes are the likeliest to be in a cache still.
  Block* best_fit(std::size_t bytes) const noexcept;

 private:
  static constexpr int kSubclasses = 4;  ///< per power of two
  static constexpr int kClasses = 40 * kSubclasses;

  static int class_of(std::size_t bytes) noexcept;
  int next_used_class(int from) const noexcept;

  std::array<BlockList, kClasses> classes_{};
  std::array<std::uint64_t, (kClasses + 63) / 64> used_{};
};

}  // namespace gpukit::memory
