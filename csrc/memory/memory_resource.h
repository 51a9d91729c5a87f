// Where blocks of memory come from. Adaptors wrap another resource (statistics, limits, caching).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "backend/stream_types.h"

namespace gpukit {

struct MemoryStatistics {
  std::int64_t allocated = 0;      ///< bytes in use
  std::int64_t max_allocated = 0;  ///< the peak since the last reset
  std::int64_t reserved = 0;       ///< bytes held from the device, in use or cached
  std::int64_t max_reserved = 0;
  std::int64_t allocation_count = 0;
  std::int64_t device_allocation_count = 0;  ///< calls that reached the device
  std::int64_t out_of_memory_count = 0;
  std::int64_t active_blocks = 0;
};

/// Thread safe. Memory is stream ordered: a block may be reused immediately by work of the stream
/// it was freed on.
class MemoryResource {
 public:
  virtual ~MemoryResource() = default;
  /// Aligned to 256 bytes on devices, 64 on the host. `bytes` is never 0. Throws OutOfMemoryError
  /// or HostMemoryError.
  virtual void* allocate(std::size_t bytes, StreamRef stream) = 0;
  /// `also_used_on`: other streams with work on the block; it is reused only after that work.
  virtual void deallocate(void* address, std::size_t bytes, StreamRef stream,
                          std::span<const StreamRef> also_used_on) noexcept = 0;
  /// Gives cached blocks back to the device; returns the bytes released. May wait for the device.
  virtual std::size_t release_cached() { return 0; }
  virtual MemoryStatistics statistics() const { return {}; }
  /// Bytes held from the device that no block is in. Takes no lock: other threads change it.
  virtual std::int64_t spare() const noexcept { return 0; }
  virtual void reset_peak_statistics() noexcept {}
};

}  // namespace gpukit
