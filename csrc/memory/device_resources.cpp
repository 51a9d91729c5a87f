#include "memory/device_resources.h"

#include "base/error.h"
#include "memory/caching_resource.h"
#include "memory/copy_worker.h"
#include "memory/host_resource.h"
#include "memory/limiting_resource.h"
#include "memory/pinned_pool.h"
#include "memory/runtime_resource.h"
#include "memory/statistics_resource.h"

namespace gpukit {

namespace memory {

namespace {

/// Scratch memory of operations comes from the resource that tensors come from.
class ResourceWorkspace final : public Workspace {
 public:
  explicit ResourceWorkspace(MemoryResource& resource) : resource_(resource) {}
  void* allocate(std::size_t bytes, StreamRef stream) override {
    return resource_.allocate(bytes, stream);
  }
  void deallocate(void* address, std::size_t bytes, StreamRef stream) noexcept override {
    resource_.deallocate(address, bytes, stream, {});
  }

 private:
  MemoryResource& resource_;
};

/// The CPU: plain host memory, for which nothing is pinned.
class HostResources final : public DeviceResources {
 public:
  explicit HostResources(OpenDevice& device) : host_(device.runtime()) {
    device.ops().set_workspace(&workspace_);
  }
  MemoryResource& device_memory() override { return host_; }
  MemoryResource& pinned_memory() override { return host_; }
  void set_limit(std::size_t) override {
    throw NotSupportedError(
        "cpu: memory limits are for GPUs. Use the operating system's limits (ulimit -v)");
  }
  std::size_t limit() const override { return 0; }

 private:
  HostResource host_;
  ResourceWorkspace workspace_{host_};
};

/// A GPU. From the bottom: the runtime, the limit, the cache, the count of what users hold.
class AcceleratorResources final : public DeviceResources {
 public:
  explicit AcceleratorResources(OpenDevice& device)
      : raw_device_(device.runtime()),
        device_cache_(device.runtime(), limited_, Reuse::kStreamOrdered),
        raw_pinned_(device.runtime()),
        pinned_cache_(device.runtime(), raw_pinned_, Reuse::kAfterEvents),
        staging_(device.runtime()),
        later_{uploads_, downloads_, device.runtime().create_stream(0)} {
    device.ops().set_workspace(&workspace_);
  }
  MemoryResource& device_memory() override { return device_; }
  MemoryResource& pinned_memory() override { return pinned_; }
  PinnedPool* staging() noexcept override { return &staging_; }
  LaterCopies* later_copies() override { return &later_; }
  void set_limit(std::size_t bytes) override { limited_.set_limit(bytes); }
  std::size_t limit() const override { return limited_.limit(); }

 private:
  DeviceMemory raw_device_;
  LimitingResource limited_{raw_device_};
  CachingResource device_cache_;
  StatisticsResource device_{device_cache_};
  PinnedMemory raw_pinned_;
  CachingResource pinned_cache_;
  StatisticsResource pinned_{pinned_cache_};
  PinnedPool staging_;
  ResourceWorkspace workspace_{device_};
  CopyWorker uploads_;
  CopyWorker downloads_;
  LaterCopies later_;
};

std::unique_ptr<DeviceAttachment> make_resources(OpenDevice& device) {
  if (device.device().is_cpu()) return std::make_unique<HostResources>(device);
  return std::make_unique<AcceleratorResources>(device);
}

}  // namespace

}  // namespace memory

DeviceResources& resources_of(OpenDevice& device) {
  return static_cast<DeviceResources&>(device.attachment(memory::make_resources));
}

}  // namespace gpukit
