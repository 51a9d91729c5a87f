// The lowest resources of a device: each request goes straight to its runtime.
#pragma once

#include "backend/device_runtime.h"
#include "memory/memory_resource.h"

namespace gpukit::memory {

/// Device memory, uncached.
class DeviceMemory final : public MemoryResource {
 public:
  explicit DeviceMemory(DeviceRuntime& runtime) : runtime_(runtime) {}
  void* allocate(std::size_t bytes, StreamRef) override { return runtime_.allocate(bytes); }
  void deallocate(void* address, std::size_t bytes, StreamRef,
                  std::span<const StreamRef>) noexcept override {
    runtime_.deallocate(address, bytes);
  }

 private:
  DeviceRuntime& runtime_;
};

/// Page-locked host memory, uncached.
class PinnedMemory final : public MemoryResource {
 public:
  explicit PinnedMemory(DeviceRuntime& runtime) : runtime_(runtime) {}
  void* allocate(std::size_t bytes, StreamRef) override { return runtime_.allocate_pinned(bytes); }
  void deallocate(void* address, std::size_t bytes, StreamRef,
                  std::span<const StreamRef>) noexcept override {
    runtime_.deallocate_pinned(address, bytes);
  }

 private:
  DeviceRuntime& runtime_;
};

}  // namespace gpukit::memory
