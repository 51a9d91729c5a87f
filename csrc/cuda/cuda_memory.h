// Raw device memory and page-locked host memory. Reuse, limits and statistics are the business of
// memory/.
#pragma once

#include <cstddef>

#include "cuda/cuda_context.h"

namespace gpukit::cuda {

/// At least 256-byte aligned. May wait for the device. Throws OutOfMemoryError with what the driver
/// says is free.
void* allocate_device(CudaContext& context, std::size_t bytes);
void free_device(CudaContext& context, void* address) noexcept;

/// With what the driver says is free.
[[noreturn]] void throw_out_of_memory(CudaContext& context, std::size_t bytes);

/// Page-locked for all devices. Throws HostMemoryError.
void* allocate_pinned(CudaContext& context, std::size_t bytes);
void free_pinned(CudaContext& context, void* address) noexcept;

/// Free bytes are a hint: other processes allocate too.
MemoryInfo memory_info(CudaContext& context);

/// The location of any address of the process, on any device. Throws for a driver that does not
/// answer.
AddressLocation locate(CudaContext& context, const void* address);

}  // namespace gpukit::cuda
