// An adaptor that refuses to hold more than a number of bytes.
#pragma once

#include <atomic>

#include "memory/memory_resource.h"

namespace gpukit::memory {

class LimitingResource final : public MemoryResource {
 public:
  explicit LimitingResource(MemoryResource& upstream) : upstream_(upstream) {}

  /// Throws OutOfMemoryError, whose free and total are the limit's, once `bytes` more would pass
  /// the limit.
  void* allocate(std::size_t bytes, StreamRef stream) override;
  void deallocate(void* address, std::size_t bytes, StreamRef stream,
                  std::span<const StreamRef> also_used_on) noexcept override;
  std::size_t release_cached() override { return upstream_.release_cached(); }

  /// 0 means no limit. What is held already stays.
  void set_limit(std::size_t bytes) noexcept { limit_.store(bytes, std::memory_order_relaxed); }
  std::size_t limit() const noexcept { return limit_.load(std::memory_order_relaxed); }

 private:
  MemoryResource& upstream_;
  std::atomic<std::size_t> held_{0};
  std::atomic<std::size_t> limit_{0};
};

}  // namespace gpukit::memory
