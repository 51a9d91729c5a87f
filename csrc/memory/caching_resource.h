// Keeps blocks for reuse instead of returning them to the device immediately, which would make the
// device wait.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "backend/device_runtime.h"
#include "memory/block_table.h"
#include "memory/memory_resource.h"

namespace gpukit::memory {

/// When a freed block may be reused.
enum class Reuse : std::uint8_t {
  kStreamOrdered,  ///< immediately by its own stream, whose queue keeps the order; by others after
                   ///< an event
  kAfterEvents,  ///< host memory: only when all streams that used it are past it, for the host does
                 ///< not queue
};

/// The stream of host memory: none. What streams use it is said when it is freed.
inline constexpr StreamRef kNoStream{~std::uintptr_t{0}};

/// Cuts segments of the upstream into blocks: best fit, split, merged again when neighbours are
/// free. Requests are rounded to 512 bytes; up to 1 MiB they share segments of 2 MiB, up to 10 MiB
/// of 20 MiB, larger ones have their own segment, a multiple of 2 MiB. The few blocks released
/// last are reused as they are, where the same is asked for. The lock is held for bookkeeping
/// only, never over a wait. Streams that were used with the resource must stay valid as long as it.
class CachingResource final : public MemoryResource {
 public:
  CachingResource(DeviceRuntime& runtime, MemoryResource& upstream, Reuse reuse);
  /// Releases everything, in use or not: its memory must not be used any more.
  ~CachingResource() override;
  CachingResource(const CachingResource&) = delete;
  CachingResource& operator=(const CachingResource&) = delete;

  void* allocate(std::size_t bytes, StreamRef stream) override;
  void deallocate(void* address, std::size_t bytes, StreamRef stream,
                  std::span<const StreamRef> also_used_on) noexcept override;
  std::size_t release_cached() override;
  /// After the capture of a graph: takes back the blocks that were freed during it.
  void flush_deferred_frees() noexcept;
  MemoryStatistics statistics() const override;
  std::int64_t spare() const noexcept override { return spare_.load(std::memory_order_relaxed); }
  void reset_peak_statistics() noexcept override;

 private:
  using Lock = std::lock_guard<std::mutex>;
  struct DeferredFree {
    Block* block;
    StreamRef stream;
    std::vector<StreamRef> also_used_on;
  };

  // Bookkeeping; the caller holds the lock.
  void* allocate(Block& block) noexcept;
  void finish_pending(Block& block, bool done) noexcept;
  void count_spare() noexcept;

  // Each takes the lock itself where it needs it.
  void open_stream(StreamRef stream);
  Block* detach_from_other_stream(std::size_t size, StreamRef stream) noexcept;
  void put_free(Block& block) noexcept;
  void* allocate(Block& block, StreamRef stream) noexcept;
  void* allocate_cached(std::size_t size, StreamRef stream) noexcept;
  void* allocate_from_idle_stream(std::size_t size, StreamRef stream);
  void* allocate_behind_event(std::size_t size, StreamRef stream);
  std::pair<void*, std::size_t> allocate_segment(std::size_t size, StreamRef stream);
  void* allocate_from_new_segment(std::size_t size, StreamRef stream);
  void* allocate_after_shortage(std::size_t bytes, std::size_t size, StreamRef stream);
  Block* detach_allocated(void* address, StreamRef stream,
                          std::span<const StreamRef> also) noexcept;
  Block* detach_pending() noexcept;
  bool poll_pending(std::size_t limit);
  void wait_pending();
  void release(Block& block, StreamRef stream, std::span<const StreamRef> also) noexcept;
  bool defer(Block& block, StreamRef stream, std::span<const StreamRef> also) noexcept;
  bool record_streams(Block& block, StreamRef stream, std::span<const StreamRef> also) noexcept;
  void record_stream(Block& block, StreamRef stream, StreamRef& last);
  EventRef acquire_event();
  void release(EventRef event) noexcept;
  void wait_for_streams_of(const std::vector<Block*>& segments);
  [[noreturn]] void throw_out_of_memory(std::size_t bytes, const class ShortageReport& report);

  DeviceRuntime& runtime_;
  MemoryResource& upstream_;
  const Reuse reuse_;

  mutable std::mutex mutex_;
  BlockTable blocks_;
  BlockList pending_;
  std::vector<DeferredFree> deferred_frees_;
  std::atomic<std::size_t> pending_count_{0};
  std::vector<EventRef> all_events_;
  std::vector<EventRef> idle_events_;
  std::size_t events_wanted_ = 0;
  MemoryStatistics statistics_;
  std::atomic<std::int64_t> spare_{0};
};

}  // namespace gpukit::memory
