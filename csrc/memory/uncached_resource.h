// Resources that keep nothing: for finding out what a cache hides, and for the driver's own pool.
#pragma once

#include "backend/device_runtime.h"
#include "memory/memory_resource.h"

namespace gpukit::memory {

/// Each request reaches the upstream; a block goes back once all streams that used it are past it,
/// which the caller waits for.
class UncachedResource final : public MemoryResource {
 public:
  UncachedResource(DeviceRuntime& runtime, MemoryResource& upstream)
      : runtime_(runtime), upstream_(upstream) {}
  void* allocate(std::size_t bytes, StreamRef stream) override {
    return upstream_.allocate(bytes, stream);
  }
  void deallocate(void* address, std::size_t bytes, StreamRef stream,
                  std::span<const StreamRef> also_used_on) noexcept override;

 private:
  DeviceRuntime& runtime_;
  MemoryResource& upstream_;
};

/// The driver's stream-ordered pool. A block is freed in stream order, after the other
/// streams that used it; the host does not wait.
class DriverPoolResource final : public MemoryResource {
 public:
  explicit DriverPoolResource(DeviceRuntime& runtime) : runtime_(runtime) {}
  void* allocate(std::size_t bytes, StreamRef stream) override {
    return runtime_.allocate_from_pool(bytes, stream);
  }
  void deallocate(void* address, std::size_t bytes, StreamRef stream,
                  std::span<const StreamRef> also_used_on) noexcept override;
  std::size_t release_cached() override { return runtime_.trim_pool(); }

 private:
  DeviceRuntime& runtime_;
};

}  // namespace gpukit::memory
