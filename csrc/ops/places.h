// Gathering and scattering by linear places: what all forms of integer indexing come down to.
#pragma once

#include <cstdint>
#include <string_view>

#include "ops/dispatch.h"
#include "tensor/tensor.h"

namespace gpukit::ops {

/// Throws IndexError unless every index lies in [-size, size). Waits for the device of the index.
void check_indices(const Tensor& index, std::int64_t size, int dim, std::string_view op);

/// The index as int64 on the tensor's device. A CPU index serves a tensor of any device.
Tensor index_beside(const Tensor& index, const Tensor& tensor, std::string_view op);

/// source is contiguous (outer, extent, inner); the result has `shape`, places.count() of them in
/// the middle.
Tensor gather_places(const Tensor& source, const Around& sizes, const Tensor& places,
                     const Shape& shape);

enum class Scatter { kAssign, kAdd };
/// target[outer, places, inner] = or += value. Any strides of target (`sizes` are of its shape);
/// value has the dtype of the target and the shape of what gather_places would give. kAdd needs
/// places that are not negative.
void scatter_places(const Tensor& target, const Around& sizes, const Tensor& places,
                    const Tensor& value, Scatter how);

}  // namespace gpukit::ops
