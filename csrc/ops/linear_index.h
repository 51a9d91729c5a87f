// Gathering and scattering by linear indices, which is what all forms of integer indexing come down
// to.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ops/dispatch.h"
#include "tensor/tensor.h"

namespace gpukit::ops {

/// Turns an index outside [-size, size) into an IndexError. Throws it immediately where
/// the index is on the CPU; else nothing waits and the kernel that gets the result reports it.
IndexCheck check_index(IndexedOp op, const Tensor& index, const Tensor& tensor, std::int64_t size,
                       int dim);

/// The index as int64 on the tensor's device. A CPU index serves a tensor of any device.
Tensor index_on_device(const Tensor& index, const Tensor& tensor, std::string_view op);

/// source is contiguous (outer, extent, inner); the result has `shape`, indices.count() of them in
/// the middle.
Tensor gather_linear(const Tensor& source, const Around& sizes, const Tensor& indices,
                     const Shape& shape, IndexCheck check = {});

/// As LinearIndexArgs says, over `shape`, on the device of `indices` (which the parts point to).
Tensor combine_indices(const Shape& shape, std::span<const Tensor> indices,
                       std::span<const IndexPart> parts, const Strides& coordinate_steps,
                       IndexCheck check);

enum class Scatter { kAssign, kAdd };
/// target[outer, indices, inner] = or += value. Any strides of target (`sizes` are of its shape);
/// value has the dtype of the target and the shape of what gather_linear would give. kAdd needs
/// indices that are not negative.
void scatter_linear(const Tensor& target, const Around& sizes, const Tensor& indices,
                    const Tensor& value, Scatter how, IndexCheck check = {});

}  // namespace gpukit::ops
