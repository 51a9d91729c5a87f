// A piece of a segment in the caching resource: allocated, free, or free once its events have
// passed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "backend/stream_types.h"

namespace gpukit::memory {

enum class BlockState : std::uint8_t {
  kAllocated,
  kFree,      ///< in a free list
  kPending,   ///< waits for `events`, then becomes free
  kDetached,  ///< in no list: a thread works on it, or the table has put it aside
};

/// Links are raw: blocks live in the address table of their resource, which never moves them.
struct Block {
  static constexpr std::size_t kMaxEvents = 3;

  std::byte* address = nullptr;
  std::size_t bytes = 0;
  StreamRef stream;  ///< the stream whose order it follows
  BlockState state = BlockState::kDetached;
  bool small = false;  ///< belongs to a segment for small requests
  std::uint8_t event_count = 0;
  std::array<EventRef, kMaxEvents> events;

  Block* before = nullptr;  ///< neighbours in the segment, by address
  Block* after = nullptr;
  Block* previous = nullptr;  ///< neighbours in the list that holds it
  Block* next = nullptr;
};

}  // namespace gpukit::memory
