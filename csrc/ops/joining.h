// Putting tensors together and taking them apart.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backend/index_fault.h"
#include "tensor/tensor.h"

namespace gpukit::ops {

/// Along an existing dimension; dtypes promote. Throws ShapeError naming the tensor and dimension
/// that differ.
Tensor cat(std::span<const Tensor> tensors, std::int64_t dim);
/// Along a new dimension.
Tensor stack(std::span<const Tensor> tensors, std::int64_t dim);
/// Views of at most `size` along `dim`.
std::vector<Tensor> split(const Tensor& tensor, std::int64_t size, std::int64_t dim);
std::vector<Tensor> chunk(const Tensor& tensor, std::int64_t chunks, std::int64_t dim);
/// The view when strides allow it, else a contiguous copy. One -1 allowed.
Tensor reshape(const Tensor& tensor, const Shape& shape);
Tensor flatten(const Tensor& tensor, std::int64_t start, std::int64_t end);
/// tensor taken along dim by an int64 index of rank 0 or 1 on the same device. Throws IndexError.
Tensor index_select(const Tensor& tensor, std::int64_t dim, const Tensor& index,
                    IndexedOp op = IndexedOp::kIndexSelect);

}  // namespace gpukit::ops
