// Raw host memory: nothing is kept here (memory/host_resource does that).
#pragma once

#include <cstddef>

#include "backend/device_properties.h"

namespace gpukit::cpu {

/// Aligned to 256 bytes; from 1 MiB on to 2 MiB, on huge pages where the system gives them. Throws
/// HostMemoryError.
void* allocate_host(std::size_t bytes);
/// `bytes` as at allocation.
void deallocate_host(void* address, std::size_t bytes) noexcept;

/// Memory of this machine, or of its container when that is limited.
MemoryInfo host_memory_info() noexcept;

}  // namespace gpukit::cpu
