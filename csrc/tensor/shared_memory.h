// CPU tensors in memory that other processes map as well. The memory has no name: it is a file
// descriptor, and is gone with its last mapping and descriptor, however a process ends.
#pragma once

#include "tensor/tensor.h"

namespace gpukit {

/// The file descriptor of the tensor's storage, or -1 when it is in no shared memory. The storage
/// owns it.
int shared_memory_of(const Tensor& tensor) noexcept;

/// Moves the storage of a CPU tensor, and so of all its views, into the memory behind `file`, which
/// must have the storage's size and belongs to the storage afterwards. The memory it had before
/// goes unless `keep` is true or something else refers to the storage, which may hold its address:
/// it then lives as long as the storage. No other thread may use the tensor meanwhile.
void move_to_shared_memory(const Tensor& tensor, int file, bool keep);

/// All of the memory behind `file`, as bytes: the storage of this process that has this memory
/// already, or else a new one. Takes the descriptor.
Tensor map_shared_memory(int file);

}  // namespace gpukit
