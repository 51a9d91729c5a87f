// Memory of tensors on the CPU: a few nanoseconds for small blocks, no page faults for large ones
// that come back.
#pragma once

#include <memory>

#include "backend/device_runtime.h"
#include "memory/memory_resource.h"

namespace gpukit::memory {

struct HostPool;

/// Up to 4 KiB from a cache of the calling thread; up to 1 MiB from arenas, by size class; larger
/// blocks are kept for reuse up to an eighth of the machine's memory (at most 2 GiB). Streams do
/// not matter: work on the CPU is done at return. Peaks may miss up to a few KiB a thread of
/// short-lived small blocks.
class HostResource final : public MemoryResource {
 public:
  /// `runtime` outlives the resource.
  explicit HostResource(DeviceRuntime& runtime);
  ~HostResource() override;
  HostResource(const HostResource&) = delete;
  HostResource& operator=(const HostResource&) = delete;

  /// Aligned to 64 bytes. Throws HostMemoryError if releasing cached blocks did not help.
  void* allocate(std::size_t bytes, StreamRef stream) override;
  void deallocate(void* address, std::size_t bytes, StreamRef stream,
                  std::span<const StreamRef> also_used_on) noexcept override;
  /// Releases the kept large blocks, and arenas none of whose blocks is in use.
  std::size_t release_cached() override;
  MemoryStatistics statistics() const override;
  void reset_peak_statistics() noexcept override;

 private:
  void* allocate_slowly(std::size_t bytes);
  void deallocate_slowly(void* address, std::size_t bytes) noexcept;

  std::shared_ptr<HostPool> pool_;  ///< shared with the threads that keep a cache of it
  std::uint64_t id_;
};

}  // namespace gpukit::memory
