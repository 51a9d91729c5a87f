// The copy between two devices of the driver; those of one device are CudaRuntime's.
#pragma once

#include <cstddef>

#include "cuda/cuda_context.h"

namespace gpukit::cuda {

/// Queues it on a stream of `context`, the target's. The driver goes through the host if there is
/// no direct path. 0 bytes do nothing.
void copy_between_devices(CudaContext& context, void* target, CudaContext& source_context,
                          const void* source, std::size_t bytes, StreamRef stream);

}  // namespace gpukit::cuda
