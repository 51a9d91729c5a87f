// Small non-owning ids of streams and events. The objects belong to the backend that made
// them.
#pragma once

#include <cstdint>

namespace gpukit {

/// A queue of work on one device. 0 is the legacy default stream; the CPU backend has only that
/// one.
struct StreamRef {
  std::uintptr_t handle = 0;
  friend constexpr bool operator==(StreamRef, StreamRef) = default;
};

/// A point in a stream. 0 means no event.
struct EventRef {
  std::uintptr_t handle = 0;
  friend constexpr bool operator==(EventRef, EventRef) = default;
};

/// Captured work that can be launched repeatedly. 0 means no graph.
struct GraphRef {
  std::uintptr_t handle = 0;
  friend constexpr bool operator==(GraphRef, GraphRef) = default;
};

struct EventOptions {
  bool timing = false;    ///< elapsed_ms works; waits and queries are a little slower
  bool blocking = false;  ///< synchronize() sleeps instead of polling
};

}  // namespace gpukit
