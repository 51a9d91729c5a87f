#include "cuda/cuda_peers.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "cuda/cuda_copy.h"
#include "cuda/cuda_memory.h"
#include "cuda/cuda_runtime.h"
#include "cuda/cuda_stream.h"
#include "cuda/cuda_wait.h"

namespace gpukit::cuda {

namespace cuda_peers {
namespace {

constexpr std::size_t kProbeBytes = std::size_t{1} << 20;
constexpr std::size_t kChunkBytes = std::size_t{8} << 20;

/// Device memory for the time of a probe.
class ProbeMemory {
 public:
  explicit ProbeMemory(CudaContext& context)
      : context_(context), address_(allocate_device(context, kProbeBytes)) {}
  ~ProbeMemory() { free_device(context_, address_); }
  ProbeMemory(const ProbeMemory&) = delete;
  ProbeMemory& operator=(const ProbeMemory&) = delete;
  void* get() const noexcept { return address_; }

 private:
  CudaContext& context_;
  void* address_;
};

/// Page-locked memory for a copy through the host.
class PinnedChunk {
 public:
  PinnedChunk(CudaContext& context, std::size_t bytes)
      : context_(context), address_(allocate_pinned(context, bytes)) {}
  ~PinnedChunk() { free_pinned(context_, address_); }
  PinnedChunk(const PinnedChunk&) = delete;
  PinnedChunk& operator=(const PinnedChunk&) = delete;
  void* get() const noexcept { return address_; }

 private:
  CudaContext& context_;
  void* address_;
};

void wait(CudaContext& context, const CudaStream& stream) {
  wait_for(context, {.stream = stream.get()});
}

/// Neither constant nor zero, and different for each ordered pair.
std::vector<std::uint32_t> make_pattern(std::uint32_t seed) {
  std::vector<std::uint32_t> pattern(kProbeBytes / sizeof(std::uint32_t));
  std::uint32_t state = seed * 2654435761u + 1;
  for (std::uint32_t& word : pattern) word = state = state * 1664525u + 1013904223u;
  return pattern;
}

/// Sends a pattern from `source` to `target` and reads it back on the host.
bool arrives(CudaRuntime& target, CudaRuntime& source) {
  const auto pattern =
      make_pattern(static_cast<std::uint32_t>(source.device().index * 64 + target.device().index));
  const ProbeMemory from(source.context()), to(target.context());
  const CudaStream source_stream = make_stream(source.context(), 0);
  const CudaStream target_stream = make_stream(target.context(), 0);
  source.copy_from_host(from.get(), pattern.data(), kProbeBytes, as_ref(source_stream));
  target.fill_bytes(to.get(), 0xA5, kProbeBytes, as_ref(target_stream));
  wait(source.context(), source_stream);
  wait(target.context(), target_stream);
  copy_between_devices(target.context(), to.get(), source.context(), from.get(), kProbeBytes,
                       as_ref(target_stream));
  wait(target.context(), target_stream);
  std::vector<std::uint32_t> received(pattern.size());
  target.copy_to_host(received.data(), to.get(), kProbeBytes, as_ref(target_stream));
  wait(target.context(), target_stream);
  return received == pattern;
}

/// Lets `context` reach `source`. Where it cannot, the driver stages copies itself.
bool enable_access(CudaContext& context, CudaContext& source) {
  if (!driver_allows_peer(context, source)) return false;
  const ContextScope scope(context);
  const CUresult status =
      GPUKIT_CU_STATUS(context.table(), cuCtxEnablePeerAccess, source.handle(), 0);
  if (status == CUDA_SUCCESS || status == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) return true;
  if (status == CUDA_ERROR_PEER_ACCESS_UNSUPPORTED || status == CUDA_ERROR_TOO_MANY_PEERS)
    return false;
  context.fail(status, "cuCtxEnablePeerAccess", source.name().c_str());
}

}  // namespace
}  // namespace cuda_peers

bool driver_allows_peer(const CudaContext& context, const CudaContext& source) {
  context.check_usable();
  int allowed = 0;
  GPUKIT_CU_ON(context.name(), context.table(), cuDeviceCanAccessPeer, &allowed,
               context.driver_device(), source.driver_device());
  return allowed != 0;
}

void CudaPeers::copy_from(CudaRuntime& source_runtime, void* target, const void* source,
                          std::size_t bytes, StreamRef stream) {
  if (bytes == 0) return;
  if (route_from(source_runtime) == Route::kDriver) {
    copy_between_devices(runtime_.context(), target, source_runtime.context(), source, bytes,
                         stream);
  } else {
    copy_through_host(source_runtime, target, source, bytes, stream);
  }
}

/// Two threads may test the same path concurrently; both find the same result.
CudaPeers::Route CudaPeers::route_from(CudaRuntime& source) {
  const auto slot = static_cast<std::size_t>(source.device().index);
  if (slot >= kMostDevices) return Route::kDriver;
  Route route = routes_[slot].load(std::memory_order_acquire);
  if (route != Route::kUnknown) return route;
  const bool enabled = cuda_peers::enable_access(runtime_.context(), source.context());
  try {
    route = cuda_peers::arrives(runtime_, source) ? Route::kDriver : Route::kHost;
  } catch (const OutOfMemoryError&) {
    return Route::kHost;  // no room to try it now
  }
  if (route == Route::kHost) {
    log::warning("Copies from ", source.context().name(), " to ", runtime_.context().name(),
                 " arrive damaged", enabled ? " by direct access" : "",
                 "; they go through host memory instead, which is slower. A common cause is an "
                 "active IOMMU: boot "
                 "with iommu=pt.");
  }
  routes_[slot].store(route, std::memory_order_release);
  return route;
}

/// Chunk by chunk, each finished before the next, so that one buffer is enough.
void CudaPeers::copy_through_host(CudaRuntime& source_runtime, void* target, const void* source,
                                  std::size_t bytes, StreamRef stream) {
  CudaContext& source_context = source_runtime.context();
  const cuda_peers::PinnedChunk chunk(runtime_.context(), std::min(bytes, cuda_peers::kChunkBytes));
  const CudaStream reader = make_stream(source_context, 0);
  wait_for(runtime_.context(), {.stream = to_driver(stream)});
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t part = std::min(bytes - done, cuda_peers::kChunkBytes);
    source_runtime.copy_to_host(chunk.get(), static_cast<const std::byte*>(source) + done, part,
                                as_ref(reader));
    cuda_peers::wait(source_context, reader);
    runtime_.copy_from_host(static_cast<std::byte*>(target) + done, chunk.get(), part, stream);
    wait_for(runtime_.context(), {.stream = to_driver(stream)});
    done += part;
  }
}

}  // namespace gpukit::cuda
