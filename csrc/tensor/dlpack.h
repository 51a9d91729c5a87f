// Tensors to and from other libraries without a copy, by DLPack.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "tensor/dlpack_abi.h"
#include "tensor/tensor.h"

namespace gpukit::dlpack {

/// "Stream" numbers of __dlpack__: a CUDA stream handle, or one of these.
inline constexpr std::int64_t kNoOrdering = -1;
inline constexpr std::int64_t kLegacyStream = 1;
inline constexpr std::int64_t kPerThreadStream = 2;

/// What __dlpack_device__ answers. Pinned memory is plain CPU memory to others.
DeviceId device_id(const Tensor& tensor);
TypeId type_id(DType dtype);

/// Throws BufferError when other libraries cannot reach the device's memory: a simulation's
/// addresses mean nothing to the real driver.
void check_reachable(std::string_view op, OpenDevice& device);

/// The exported struct lives until its deleter was called, on any thread; the bytes live as long.
/// `copied`: the tensor was made for this hand-over.
ManagedVersioned* export_versioned(const Tensor& tensor, bool copied);
/// For consumers that know DLPack 0.x only. Throws BufferError for read-only bytes, which it cannot
/// mark.
Managed* export_unversioned(const Tensor& tensor);

/// Makes the consumer's stream wait for the tensor's work, and the bytes outlive the consumer's
/// work on it. `stream`: as __dlpack__(stream=) gives it. Does nothing on the CPU. Throws
/// ValueError for 0 and below -1.
void order_consumer(const Tensor& tensor, std::int64_t stream);

/// Makes our current stream wait for a producer's work on `stream`, numbered as above.
void order_after_producer(OpenDevice& device, std::int64_t stream);

/// The number to pass to a producer's __dlpack__(stream=) so that it waits for nothing less than
/// our work needs.
std::int64_t stream_number(OpenDevice& device);

/// A tensor over the producer's bytes; it calls the deleter once. When this throws (BufferError,
/// DeviceNotFoundError), nothing was taken and the deleter is still the caller's to call.
Tensor import_versioned(ManagedVersioned* managed);
Tensor import_unversioned(Managed* managed);

}  // namespace gpukit::dlpack
