// Which dimensions a reduction takes away, and the form in which backends get them.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "backend/op_args.h"
#include "tensor/tensor.h"

namespace gpukit::ops {

/// One mark per dimension of the input.
struct ReducedDims {
  std::array<bool, kMaxRank> marked{};
  bool operator[](int dim) const { return marked[static_cast<std::size_t>(dim)]; }
};

/// Absent or empty `dims` mark all. Throws IndexError, and ValueError when one is named twice.
ReducedDims reduced_dims(const Tensor& input, const std::optional<Dims>& dims, std::string_view op);
Shape reduced_shape(const Shape& shape, const ReducedDims& dims, bool keepdim);
/// How many elements go into one result.
std::int64_t reduced_count(const Shape& shape, const ReducedDims& dims) noexcept;

/// Fills kept, reduced and their strides, merged to few dimensions. The kept ones stay in order
/// (the result is contiguous over them); the reduced ones only when `keep_order` says so. Each list
/// has at least one dimension.
void split_dims(const Tensor& input, const ReducedDims& dims, bool keep_order, ReduceArgs& args);

}  // namespace gpukit::ops
