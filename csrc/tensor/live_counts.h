// How many things of a device exist now: for tests that look for leaks.
#pragma once

#include <atomic>
#include <cstdint>

namespace gpukit::live {

/// Constant-initialised: objects may come and go at any time of the process's life.
inline constinit std::atomic<std::int64_t> device_buffers{0};
inline constinit std::atomic<std::int64_t> pinned_buffers{0};
inline constinit std::atomic<std::int64_t> pending_copies{0};
inline constinit std::atomic<std::int64_t> streams{0};
inline constinit std::atomic<std::int64_t> events{0};

/// Counts the object it is a member of.
template <std::atomic<std::int64_t>& Counter>
class Counted {
 public:
  Counted() noexcept { Counter.fetch_add(1, std::memory_order_relaxed); }
  Counted(const Counted&) noexcept : Counted() {}
  Counted& operator=(const Counted&) noexcept = default;
  ~Counted() { Counter.fetch_sub(1, std::memory_order_relaxed); }
};

}  // namespace gpukit::live
