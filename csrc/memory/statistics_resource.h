// An adaptor that counts what passes through it: bytes as requested, not as they were
// rounded.
#pragma once

#include <atomic>

#include "memory/memory_resource.h"

namespace gpukit::memory {

class StatisticsResource final : public MemoryResource {
 public:
  explicit StatisticsResource(MemoryResource& upstream) : upstream_(upstream) {}

  void* allocate(std::size_t bytes, StreamRef stream) override;
  void deallocate(void* address, std::size_t bytes, StreamRef stream,
                  std::span<const StreamRef> also_used_on) noexcept override;
  std::size_t release_cached() override { return upstream_.release_cached(); }
  /// Bytes in use and counts are this adaptor's own; what is held from the device is the
  /// upstream's.
  MemoryStatistics statistics() const override;
  std::int64_t spare() const noexcept override { return upstream_.spare(); }
  void reset_peak_statistics() noexcept override;

 private:
  MemoryResource& upstream_;
  std::atomic<std::int64_t> allocated_{0};
  std::atomic<std::int64_t> max_allocated_{0};
  std::atomic<std::int64_t> allocation_count_{0};
  std::atomic<std::int64_t> out_of_memory_count_{0};
  std::atomic<std::int64_t> active_blocks_{0};
};

}  // namespace gpukit::memory
