// Memory layout of elements: contiguity, and the merging of dimensions that kernels need.
#pragma once

#include <cstdint>
#include <span>

#include "core/shape.h"

namespace gpukit {

/// Row-major without gaps; strides of size-1 dimensions and of empty tensors do not matter.
bool is_contiguous(const Shape& shape, const Strides& strides) noexcept;

/// No two indices reach the same element (a stride of 0 over a size above 1 does). False also for
/// the rare interleaved strides that only a search could clear; every view that gpukit makes is
/// answered exactly.
bool is_non_overlapping(const Shape& shape, const Strides& strides) noexcept;

/// Smallest and largest element offset that the strides reach, relative to the first element.
struct OffsetRange {
  std::int64_t lowest = 0;
  std::int64_t highest = 0;
};
OffsetRange offset_range(const Shape& shape, const Strides& strides) noexcept;

/// Drops size-1 dimensions, orders the rest by the first operand's stride (largest first) and
/// merges neighbours that are one run in every operand. All strides lists have the rank of `shape`,
/// and are rewritten in place together with it. A contiguous set of operands becomes one dimension;
/// the result has at least one (a single element has size 1 and strides 1).
void merge_dims(Shape& shape, std::span<Strides* const> operands) noexcept;

}  // namespace gpukit
