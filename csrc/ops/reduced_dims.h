// Which dimensions a reduction takes away, and the form in which backends get them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "backend/op_args.h"
#include "tensor/tensor.h"

namespace gpukit::ops {

/// A set of dimensions, counted from 0. `reduced_dims` makes it of those that a user names, once a
/// call; its holder need not check it again.
class ReducedDims {
 public:
  /// All dimensions, as where the user names none.
  static constexpr ReducedDims all() noexcept { return {0xff, true}; }
  static constexpr ReducedDims only(int dim) noexcept { return {1u << dim, false}; }

  constexpr bool operator[](int dim) const noexcept { return (bits_ >> dim & 1u) != 0; }
  constexpr void add(int dim) noexcept { bits_ |= 1u << dim; }
  /// True when no dimension was named.
  constexpr bool whole() const noexcept { return whole_; }

  constexpr ReducedDims() noexcept = default;

 private:
  constexpr ReducedDims(unsigned bits, bool whole) noexcept : bits_(bits), whole_(whole) {}

  unsigned bits_ = 0;  ///< bit i: dimension i
  bool whole_ = false;
};
static_assert(kMaxRank <= 8, "all() has a bit a dimension");

/// Absent or empty `dims` are all. Throws IndexError, and ValueError when one is named twice.
ReducedDims reduced_dims(const Tensor& input, const std::optional<Dims>& dims, std::string_view op);
Shape reduced_shape(const Shape& shape, ReducedDims dims, bool keepdim);
/// How many elements go into one result.
std::int64_t reduced_count(const Shape& shape, ReducedDims dims) noexcept;

/// Fills kept, reduced and their strides, merged to few dimensions. The kept ones stay in order
/// (the result is contiguous over them); the reduced ones only when `keep_order` says so. Each list
/// has at least one dimension.
void split_dims(const Tensor& input, ReducedDims dims, bool keep_order, ReduceArgs& args);

}  // namespace gpukit::ops
