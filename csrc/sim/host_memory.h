// Page-locked host memory. To the host it is ordinary memory; here it only has to be page-aligned
// and poisoned.
#pragma once

#include <cstddef>

namespace gpukit::sim {

/// Null when there is not enough memory.
void* allocate_pinned(std::size_t bytes);
void free_pinned(void* memory);

}  // namespace gpukit::sim
