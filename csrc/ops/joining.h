// Putting tensors together and taking them apart.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "backend/index_fault.h"
#include "tensor/tensor.h"

namespace gpukit::ops {

// Dimensions are counted from 0: callers have checked them.

/// The dimension that cat and stack join along, of one that a user names. Throws ValueError when
/// there are no tensors, ShapeError when the first that counts is 0-d, and IndexError.
int cat_dim(std::span<const Tensor> tensors, std::int64_t dim);
int stack_dim(std::span<const Tensor> tensors, std::int64_t dim);
/// The same of split and chunk, which refuse a 0-d tensor with ShapeError.
int split_dim(const Tensor& tensor, std::int64_t dim, std::string_view op);

/// Along an existing dimension; dtypes promote. Throws ShapeError naming the tensor and dimension
/// that differ.
Tensor cat(std::span<const Tensor> tensors, int dim);
/// Along a new dimension.
Tensor stack(std::span<const Tensor> tensors, int dim);
/// A copy of shape counts[i] × size(i); dimensions of size 1 come in front where counts has more.
/// Throws ValueError for a negative count and for a result that is too big.
Tensor repeat(const Tensor& input, const Dims& counts);
/// Views of at most `size` along `dim`.
std::vector<Tensor> split(const Tensor& tensor, std::int64_t size, int dim);
std::vector<Tensor> chunk(const Tensor& tensor, std::int64_t chunks, int dim);
/// The view when strides allow it, else a contiguous copy. One -1 allowed.
Tensor reshape(const Tensor& tensor, const Shape& shape);
Tensor flatten(const Tensor& tensor, std::int64_t start, std::int64_t end);
/// tensor taken along dim by an int64 index of rank 0 or 1 on the same device. Throws IndexError.
Tensor index_select(const Tensor& tensor, int dim, const Tensor& index,
                    IndexedOp op = IndexedOp::kIndexSelect);

}  // namespace gpukit::ops
