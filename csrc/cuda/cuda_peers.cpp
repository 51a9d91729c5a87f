#include "cuda/cuda_peers.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "cuda/cuda_copy.h"
#include "cuda/cuda_memory.h"
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
bool arrives(CudaContext& target, CudaContext& source) {
  const auto pattern =
      make_pattern(static_cast<std::uint32_t>(source.device().index * 64 + target.device().index));
  const ProbeMemory from(source), to(target);
  const CudaStream source_stream = make_stream(source, 0);
  const CudaStream target_stream = make_stream(target, 0);
  copy_from_host(source, from.get(), pattern.data(), kProbeBytes, as_ref(source_stream));
  fill_bytes(target, to.get(), 0xA5, kProbeBytes, as_ref(target_stream));
  wait(source, source_stream);
  wait(target, target_stream);
  copy_between_devices(target, to.get(), source, from.get(), kProbeBytes, as_ref(target_stream));
  wait(target, target_stream);
  std::vector<std::uint32_t> received(pattern.size());
  copy_to_host(target, received.data(), to.get(), kProbeBytes, as_ref(target_stream));
  wait(target, target_stream);
  return received == pattern;
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

void CudaPeers::copy_from(CudaContext& source_context, void* target, const void* source,
                          std::size_t bytes, StreamRef stream) {
  if (bytes == 0) return;
  if (route_from(source_context) == Route::kDriver) {
    copy_between_devices(context_, target, source_context, source, bytes, stream);
  } else {
    copy_through_host(source_context, target, source, bytes, stream);
  }
}

/// Two threads may test the same path concurrently; both find the same result.
CudaPeers::Route CudaPeers::route_from(CudaContext& source) {
  const auto slot = static_cast<std::size_t>(source.device().index);
  if (slot >= kMostDevices) return Route::kDriver;
  Route route = routes_[slot].load(std::memory_order_acquire);
  if (route != Route::kUnknown) return route;
  const bool enabled = enable_access(source);
  try {
    route = cuda_peers::arrives(context_, source) ? Route::kDriver : Route::kHost;
  } catch (const OutOfMemoryError&) {
    return Route::kHost;  // no room to try it now
  }
  if (route == Route::kHost) {
    log::warning("Copies from ", source.name(), " to ", context_.name(), " arrive damaged",
                 enabled ? " by direct access" : "",
                 "; they go through host memory instead, which is slower. A common cause is an "
                 "active IOMMU: boot "
                 "with iommu=pt.");
  }
  routes_[slot].store(route, std::memory_order_release);
  return route;
}

/// Lets this device reach `source`. Where it cannot, the driver stages copies itself.
bool CudaPeers::enable_access(CudaContext& source) {
  if (!driver_allows_peer(context_, source)) return false;
  const ContextScope scope(context_);
  const CUresult status =
      GPUKIT_CU_STATUS(context_.table(), cuCtxEnablePeerAccess, source.handle(), 0);
  if (status == CUDA_SUCCESS || status == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) return true;
  if (status == CUDA_ERROR_PEER_ACCESS_UNSUPPORTED || status == CUDA_ERROR_TOO_MANY_PEERS)
    return false;
  context_.fail(status, "cuCtxEnablePeerAccess", source.name().c_str());
}

/// Chunk by chunk, each finished before the next, so that one buffer is enough.
void CudaPeers::copy_through_host(CudaContext& source_context, void* target, const void* source,
                                  std::size_t bytes, StreamRef stream) {
  const cuda_peers::PinnedChunk chunk(context_, std::min(bytes, cuda_peers::kChunkBytes));
  const CudaStream reader = make_stream(source_context, 0);
  wait_for(context_, {.stream = to_driver(stream)});
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t part = std::min(bytes - done, cuda_peers::kChunkBytes);
    copy_to_host(source_context, chunk.get(), static_cast<const std::byte*>(source) + done, part,
                 as_ref(reader));
    cuda_peers::wait(source_context, reader);
    copy_from_host(context_, static_cast<std::byte*>(target) + done, chunk.get(), part, stream);
    wait_for(context_, {.stream = to_driver(stream)});
    done += part;
  }
}

}  // namespace gpukit::cuda
