// Copies and fills. All are queued on a stream of the given device; 0 bytes do nothing.
#pragma once

#include <cstddef>

#include "cuda/cuda_context.h"

namespace gpukit::cuda {

/// Pageable memory may be staged by the driver, which may wait; pinned memory must stay untouched
/// until it is done.
void copy_from_host(CudaContext& context, void* target, const void* source, std::size_t bytes,
                    StreamRef stream);
/// Waits when `target` is pageable.
void copy_to_host(CudaContext& context, void* target, const void* source, std::size_t bytes,
                  StreamRef stream);
void copy_on_device(CudaContext& context, void* target, const void* source, std::size_t bytes,
                    StreamRef stream);
/// `source` is on another device. The driver goes through the host if there is no direct path.
void copy_between_devices(CudaContext& context, void* target, CudaContext& source_context,
                          const void* source, std::size_t bytes, StreamRef stream);
void fill_bytes(CudaContext& context, void* target, unsigned char value, std::size_t bytes,
                StreamRef stream);

}  // namespace gpukit::cuda
