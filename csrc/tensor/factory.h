// New tensors, uninitialised or from host memory. Filled ones are operations (ops/creation.h).
#pragma once

#include <string_view>

#include "tensor/tensor.h"

namespace gpukit {

/// Uninitialised, contiguous. `op` names the caller in errors. Throws ValueError, OutOfMemoryError.
Tensor empty(const Shape& shape, DType dtype, Device device, std::string_view op = "empty");
/// Same, on an opened device and without checking the shape again (results of operations).
Tensor empty_on(OpenDevice& device, const Shape& shape, DType dtype);
Tensor empty_like(const Tensor& like);
/// CPU tensor in page-locked memory. Throws DeviceNotFoundError when there is no GPU to pin it for.
Tensor empty_pinned(const Shape& shape, DType dtype);

/// A CPU tensor over foreign memory: `data` is its first element, strides may be negative.
/// `release(context)` is called once when the last user is gone, or immediately if this throws.
/// Throws ValueError if the address is not a multiple of the item size.
Tensor from_host_memory(void* data, DType dtype, const Shape& shape, const Strides& strides,
                        ReleaseFunction release, void* context);

}  // namespace gpukit
