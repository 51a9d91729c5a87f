// Moving bytes between devices, as a TransferPlan says, and waiting for them.
#pragma once

#include <chrono>

#include "tensor/transfer_plan.h"

namespace gpukit {

/// A copy of a contiguous tensor where the plan's target is, same dtype; into `out`, where not
/// null: a contiguous tensor of the same shape and dtype that is there. Blocking unless the plan
/// says otherwise. A non-blocking upload of more than a megabyte of pageable memory is carried out
/// by a gpukit thread, which keeps the source; a non-blocking copy to the CPU goes into pinned
/// memory. Whoever uses such a result waits for it, see Storage::data. May wait for a device:
/// callers drop the GIL.
Tensor transfer(const TransferPlan& plan, const Tensor& contiguous_source,
                const Tensor* out = nullptr);

/// A contiguous tensor on another device, and into a contiguous tensor of any device: planned and
/// carried out.
Tensor copy_to_device(const Tensor& contiguous_source, Device device, bool non_blocking);
void copy_bytes(const Tensor& target, const Tensor& source, bool non_blocking);

/// The first `bytes` of a contiguous tensor into host memory; waits for the work before it and the
/// copy.
void read_to_host(const Tensor& contiguous_source, void* target, std::size_t bytes);

/// Waits until the tensor's bytes have arrived and all queued work on its device's current stream
/// is done.
void wait_for(const Tensor& tensor);
/// False when that took longer.
bool wait_for(const Tensor& tensor, std::chrono::duration<double> longest);
/// True if wait_for would return immediately.
bool is_ready(const Tensor& tensor);

/// Waits until the uploads that a gpukit thread carries out are queued on their streams. Whoever
/// marks a stream calls it first.
void flush_uploads(OpenDevice& device);
/// True when all work of the stream is done, such uploads included.
bool is_idle(OpenDevice& device, StreamRef stream);
/// Wait for the device or for one stream, and for the copies that gpukit's threads carry out.
void synchronize(OpenDevice& device);
void synchronize(OpenDevice& device, StreamRef stream);

}  // namespace gpukit
