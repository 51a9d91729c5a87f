#include "cuda/cuda_runtime.h"

#include "base/check.h"
#include "base/error.h"
#include "cuda/cuda_wait.h"

namespace gpukit::cuda {

void* CudaRuntime::allocate(std::size_t bytes) { return allocate_device(context_, bytes); }

void CudaRuntime::deallocate(void* address, std::size_t) noexcept {
  free_device(context_, address);
}

void* CudaRuntime::allocate_pinned(std::size_t bytes) {
  return cuda::allocate_pinned(context_, bytes);
}

void CudaRuntime::deallocate_pinned(void* address, std::size_t) noexcept {
  free_pinned(context_, address);
}

MemoryInfo CudaRuntime::memory_info() { return cuda::memory_info(context_); }

bool CudaRuntime::query(StreamRef stream) {
  check_not_capturing(context_, stream);
  return is_done(context_, {.stream = to_driver(stream)});
}

void CudaRuntime::synchronize(StreamRef stream) {
  check_not_capturing(context_, stream);
  wait_for(context_, {.stream = to_driver(stream)});
}

/// First our own streams, so that Ctrl-C comes through, then whatever other libraries have queued.
void CudaRuntime::synchronize() {
  GPUKIT_CHECK(context_.open_captures() == 0, DeviceError, context_.name(),
               ": a graph is being captured, so the device cannot be waited for. Wait after the "
               "'with gpukit.cuda.graph' block.");
  for (StreamRef stream : streams_.all()) synchronize(stream);
  const ContextScope scope(context_);
  GPUKIT_CU_IN(context_, cuCtxSynchronize);
}

bool CudaRuntime::query(EventRef event) {
  events_.check_not_captured(event);
  return is_done(context_, {.event = to_driver(event), .is_event = true});
}

void CudaRuntime::synchronize(EventRef event) {
  events_.check_not_captured(event);
  wait_for(context_, {.event = to_driver(event), .is_event = true});
}

/// The runtimes of one backend are all of this class.
void CudaRuntime::copy_from_peer(void* target, DeviceRuntime& source_device, const void* source,
                                 std::size_t bytes, StreamRef stream) {
  if (&source_device == this) return copy_on_device(target, source, bytes, stream);
  peers_.copy_from(static_cast<CudaRuntime&>(source_device), target, source, bytes, stream);
}

/// Unloads unused modules here, several at a time, since that needs a device without
/// work.
std::unique_ptr<DeviceCode> CudaRuntime::load_code(const std::string& image,
                                                   const std::string& name) {
  if (user_modules_.has_many_retired() && context_.open_captures() == 0) {
    synchronize();
    user_modules_.unload_retired();
  }
  return user_modules_.load(image, name);
}

bool CudaRuntime::can_access_peer(const DeviceRuntime& peer) const {
  return &peer != this &&
         driver_allows_peer(context_, static_cast<const CudaRuntime&>(peer).context());
}

}  // namespace gpukit::cuda
