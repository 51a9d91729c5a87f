// The memory resources of an opened device, made on first use and hung on it.
#pragma once

#include <memory>

#include "backend/session.h"
#include "memory/memory_resource.h"
#include "memory/selected_resource.h"

namespace gpukit {

namespace memory {
class CopyWorker;
class GraphMemoryResource;
class PinnedPool;
}  // namespace memory

/// The threads for copies of pageable memory, one for each direction, the one that waits before it
/// gives foreign memory back, and the stream of the uploads.
struct AsyncCopyEngine {
  memory::CopyWorker& uploads;
  memory::CopyWorker& downloads;
  memory::CopyWorker& returns;
  StreamRef upload_stream;
};

/// Device memory and pinned host memory of one device.
class DeviceResources : public DeviceAttachment {
 public:
  virtual MemoryResource& device_memory() = 0;
  /// Page-locked host memory that copies to and from this device reach at full speed.
  virtual MemoryResource& pinned_memory() = 0;
  /// Slots through which transfers of pageable memory go; nullptr on the CPU.
  virtual memory::PinnedPool* staging() noexcept { return nullptr; }
  /// The engine for non-blocking copies; nullptr on the CPU.
  virtual AsyncCopyEngine* copy_engine() { return nullptr; }
  /// The memory of captured graphs; nullptr on the CPU.
  virtual memory::GraphMemoryResource* graph_memory() noexcept { return nullptr; }
  /// Where new device memory comes from. Throws NotSupportedError for what the device cannot do.
  virtual void select_pool(PoolKind kind) = 0;
  virtual PoolKind selected_pool() const = 0;
  /// Bytes that this process may hold of the device's memory; 0 means no limit.
  virtual void set_limit(std::size_t bytes) = 0;
  virtual std::size_t limit() const = 0;
};

namespace memory {
/// Makes them where they are not made yet.
DeviceResources& attach_resources(OpenDevice& device);
}  // namespace memory

inline DeviceResources& resources_of(OpenDevice& device) {
  if (DeviceAttachment* ready = device.attachment_if_any()) [[likely]]
    return static_cast<DeviceResources&>(*ready);
  return memory::attach_resources(device);
}

}  // namespace gpukit
