// The way from one device to another. A driver's "yes" to direct access is not proof, so it is
// tried out once.
#pragma once

#include <array>
#include <atomic>

#include "cuda/cuda_context.h"

namespace gpukit::cuda {

class CudaRuntime;

/// Whether `context` may read the memory of `source` directly, as the driver says.
bool driver_allows_peer(const CudaContext& context, const CudaContext& source);

/// The ways to one device from all others. Thread safe.
class CudaPeers {
 public:
  explicit CudaPeers(CudaRuntime& runtime) : runtime_(runtime) {}

  /// Queues the copy on `stream`, a stream of this device. The first copy from a device tries the
  /// way out with a pattern; where that arrives damaged, all copies go through host memory, and
  /// wait.
  void copy_from(CudaRuntime& source_runtime, void* target, const void* source, std::size_t bytes,
                 StreamRef stream);

 private:
  enum class Route : int { kUnknown, kDriver, kHost };
  static constexpr std::size_t kMostDevices = 64;

  Route route_from(CudaRuntime& source);
  void copy_through_host(CudaRuntime& source_runtime, void* target, const void* source,
                         std::size_t bytes, StreamRef stream);

  CudaRuntime& runtime_;
  std::array<std::atomic<Route>, kMostDevices> routes_{};
};

}  // namespace gpukit::cuda
