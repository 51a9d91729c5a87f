// The shared memory of a block: poisoned when a block starts, with a guard behind it.
#pragma once

#include <cstddef>

namespace gpukit::sim {

/// Poisoned memory for std::free. Throws std::bad_alloc.
void* new_shared(std::size_t bytes);

/// Poisons it again for the next block.
void refresh_shared(void* memory, std::size_t bytes);

/// Whether nothing was written behind the last byte. Sanitizer builds find that out on their own.
bool guard_is_whole(const void* memory, std::size_t bytes);

}  // namespace gpukit::sim
