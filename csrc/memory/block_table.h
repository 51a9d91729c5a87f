// All blocks of a caching resource: by address, and the free ones by stream and size. No locks, no
// device calls.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "memory/free_list.h"

namespace gpukit::memory {

/// The owner of a table guards it. Only the functions that say so make allocations.
class BlockTable {
 public:
  /// Up to this size blocks are small and have separate segments.
  static constexpr std::size_t kSmallLimit = std::size_t{1} << 20;
  static constexpr std::size_t kGranule = 512;  ///< block sizes are multiples of it

  /// Must have been called once for each stream that owns blocks. Allocates.
  void open_stream(StreamRef stream) { pools_.try_emplace(stream.handle); }

  /// A new segment as one detached block. Allocates, before anything changes.
  Block& add_segment(void* address, std::size_t bytes, StreamRef stream, bool small);
  /// Removes the segment of a detached head from the table; returns its bytes.
  std::size_t forget_segment(Block& head) noexcept;
  std::size_t segment_count() const noexcept { return segment_count_; }

  /// The best fitting free block, cut to `size` and detached; nullptr when none fits, or the stream
  /// was not opened.
  Block* detach_fit(std::size_t size, StreamRef stream) noexcept;
  /// The same from any stream but this one.
  Block* detach_from_other_stream(std::size_t size, StreamRef stream) noexcept;
  /// The block that starts at `address`, or nullptr.
  Block* find(void* address) noexcept;

  /// Splits the remainder after `size` off a detached block and frees it, if it is worth it and
  /// host memory allows.
  void split(Block& block, std::size_t size) noexcept;
  /// Frees a detached block: merged with its free neighbours of the same stream.
  void put_free(Block& block) noexcept;
  /// Frees it later, unless a request of its size and stream comes first: programs ask again for
  /// what they released, and then nothing is merged and cut again. Any other request frees it.
  void put_aside(Block& block) noexcept;

  /// Detaches all segments of which nothing is in use; returns their first blocks. Allocates,
  /// before anything changes.
  std::vector<Block*> detach_free_segments();
  /// Undoes it for one of them.
  void put_back_segment(Block& head) noexcept;

  template <class Visit>
  void for_each(const Visit& visit) {
    for (auto& [address, block] : blocks_) visit(block);
  }

 private:
  struct StreamPools {
    FreeList small;
    FreeList large;
  };

  static constexpr std::size_t kMostAside = 4;

  StreamPools* pools_of(StreamRef stream) noexcept;
  FreeList& list_of(const Block& block) noexcept;
  Block* take_aside(std::size_t size, StreamRef stream) noexcept;
  void free_aside() noexcept;
  Block* detach_fit_of(FreeList& list, std::size_t size) noexcept;
  void absorb_next(Block& block) noexcept;

  std::unordered_map<void*, Block> blocks_;                ///< elements never move
  std::unordered_map<std::uintptr_t, StreamPools> pools_;  ///< by stream handle; never erased
  StreamRef found_stream_;                                 ///< the last one asked for,
  StreamPools* found_pools_ = nullptr;                     ///< and its lists
  std::array<Block*, kMostAside> aside_{};                 ///< the newest last; detached
  std::size_t aside_count_ = 0;
  std::size_t segment_count_ = 0;
};

/// The bytes of a whole segment, from its first block.
std::size_t segment_bytes(const Block& head) noexcept;

}  // namespace gpukit::memory
