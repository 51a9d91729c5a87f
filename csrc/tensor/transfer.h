// Moving bytes between devices.
#pragma once

#include <optional>

#include "tensor/tensor.h"

namespace gpukit {

/// A copy of a contiguous tensor on another device, same dtype. Blocking unless `non_blocking`; a
/// non-blocking copy from pageable host memory still reads the source before it returns. `stream`:
/// where to queue on the GPU side, else the current one of the device that is a GPU (the target's
/// between two GPUs). May wait for a device: callers drop the GIL.
Tensor copy_to_device(const Tensor& contiguous_source, Device device, bool non_blocking,
                      std::optional<StreamRef> stream = std::nullopt);

/// Copies contiguous bytes into an existing contiguous tensor of the same shape and dtype, any pair
/// of devices.
void copy_bytes(const Tensor& target, const Tensor& source, bool non_blocking,
                std::optional<StreamRef> stream = std::nullopt);

/// The first `bytes` of a contiguous tensor into host memory; waits for the work before it and the
/// copy.
void read_to_host(const Tensor& contiguous_source, void* target, std::size_t bytes);

/// Waits until all queued work on the tensor's device stream is done. Returns at once on the CPU.
void wait_for(const Tensor& tensor);
/// True when nothing queued on the tensor's stream is still running.
bool is_ready(const Tensor& tensor);

}  // namespace gpukit
