#include "memory/device_resources.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "base/env.h"
#include "base/error.h"
#include "base/log.h"
#include "memory/caching_resource.h"
#include "memory/copy_worker.h"
#include "memory/graph_memory.h"
#include "memory/host_resource.h"
#include "memory/limiting_resource.h"
#include "memory/pinned_pool.h"
#include "memory/runtime_resource.h"
#include "memory/statistics_resource.h"
#include "memory/uncached_resource.h"

namespace gpukit {

namespace memory {

namespace device_resources {
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
  void select_pool(PoolKind) override {
    throw NotSupportedError("cpu: there is one pool only; gpukit.config.set_pool is for GPUs");
  }
  PoolKind selected_pool() const override { return PoolKind::kCaching; }

 private:
  HostResource host_;
  ResourceWorkspace workspace_{host_};
};

/// A device without values. Nothing is cached: a cache finds its blocks by addresses that are read.
class ShapeResources final : public DeviceResources {
 public:
  explicit ShapeResources(OpenDevice& device)
      : raw_device_(device.runtime()), raw_pinned_(device.runtime()) {
    device.ops().set_workspace(&workspace_);
  }
  MemoryResource& device_memory() override { return device_; }
  MemoryResource& pinned_memory() override { return raw_pinned_; }
  void set_limit(std::size_t) override { throw NotSupportedError(kNoMemory); }
  std::size_t limit() const override { return 0; }
  void select_pool(PoolKind) override { throw NotSupportedError(kNoMemory); }
  PoolKind selected_pool() const override { return PoolKind::kNone; }

 private:
  static constexpr const char* kNoMemory = "meta: its tensors take no memory. Name a GPU";

  DeviceMemory raw_device_;
  PinnedMemory raw_pinned_;
  StatisticsResource device_{raw_device_};
  ResourceWorkspace workspace_{device_};
};

/// GPUKIT_MEM_FRACTION in bytes of the device; 0 for no limit.
std::size_t limit_from_environment(DeviceRuntime& runtime) {
  const std::string text = env::text("GPUKIT_MEM_FRACTION");
  if (text.empty()) return 0;
  double fraction = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, fraction);
  if (error != std::errc() || stop != end || !(fraction > 0 && fraction <= 1)) {
    log::warning("GPUKIT_MEM_FRACTION='", text,
                 "' is not a number above 0 and up to 1; no limit is set.");
    return 0;
  }
  if (fraction == 1) return 0;
  return static_cast<std::size_t>(fraction *
                                  static_cast<double>(runtime.properties().total_memory));
}

PoolKind pool_from_environment() {
  const std::string name = env::text("GPUKIT_POOL");
  const auto* found = std::find(kPoolNames.begin(), kPoolNames.end(), name);
  return static_cast<PoolKind>(found - kPoolNames.begin());  // env gives nothing but these
}

/// A GPU. From the bottom: the runtime, the limit, the cache (or its replacement), what
/// graphs keep, the count of what users hold.
class AcceleratorResources final : public DeviceResources {
 public:
  explicit AcceleratorResources(OpenDevice& device)
      : runtime_(device.runtime()),
        raw_device_(device.runtime()),
        device_cache_(device.runtime(), limited_, Reuse::kStreamOrdered),
        driver_pool_(device.runtime()),
        uncached_(device.runtime(), limited_),
        raw_pinned_(device.runtime()),
        pinned_cache_(device.runtime(), raw_pinned_, Reuse::kAfterEvents),
        staging_(device.runtime()),
        copies_{uploads_, downloads_, returns_, device.runtime().create_stream(0)} {
    device.ops().set_workspace(&workspace_);
    set_limit(limit_from_environment(device.runtime()));
    try {
      select_pool(pool_from_environment());
    } catch (const NotSupportedError& error) {
      log::warning("GPUKIT_POOL is not followed: ", error.what());
    }
  }
  MemoryResource& device_memory() override { return device_; }
  MemoryResource& pinned_memory() override { return pinned_; }
  PinnedPool* staging() noexcept override { return &staging_; }
  AsyncCopyEngine* copy_engine() override { return &copies_; }
  GraphMemoryResource* graph_memory() noexcept override { return &graphs_; }
  void set_limit(std::size_t bytes) override {
    limited_.set_limit(bytes);
    limited_driver_pool_.set_limit(bytes);
  }
  std::size_t limit() const override { return limited_.limit(); }
  void select_pool(PoolKind kind) override {
    if (kind == PoolKind::kDriver) check_driver_pool();
    selected_.select(kind);
  }
  PoolKind selected_pool() const override { return selected_.selected(); }

 private:
  /// Throws where the device has no such pool.
  void check_driver_pool() {
    const StreamRef stream = runtime_.default_stream();
    runtime_.deallocate_to_pool(runtime_.allocate_from_pool(1, stream), stream);
  }

  DeviceRuntime& runtime_;
  DeviceMemory raw_device_;
  LimitingResource limited_{raw_device_};
  CachingResource device_cache_;
  DriverPoolResource driver_pool_;
  LimitingResource limited_driver_pool_{driver_pool_};
  UncachedResource uncached_;
  SelectedResource selected_{{&device_cache_, &limited_driver_pool_, &uncached_}};
  GraphMemoryResource graphs_{selected_, device_cache_};
  StatisticsResource device_{graphs_};
  PinnedMemory raw_pinned_;
  CachingResource pinned_cache_;
  StatisticsResource pinned_{pinned_cache_};
  PinnedPool staging_;
  ResourceWorkspace workspace_{device_};
  CopyWorker uploads_;
  CopyWorker downloads_;
  CopyWorker returns_;
  AsyncCopyEngine copies_;
};

std::unique_ptr<DeviceAttachment> make_resources(OpenDevice& device) {
  if (device.shares_memory_with_host()) return std::make_unique<HostResources>(device);
  if (device.capabilities().holds_no_values) return std::make_unique<ShapeResources>(device);
  return std::make_unique<AcceleratorResources>(device);
}

}  // namespace
}  // namespace device_resources

DeviceResources& attach_resources(OpenDevice& device) {
  return static_cast<DeviceResources&>(device.attachment(device_resources::make_resources));
}

}  // namespace memory

}  // namespace gpukit
