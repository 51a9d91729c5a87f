// From shapes and strides to what kernels read: merged dimensions, fastest first, with magic
// numbers for division.
#pragma once

#include <array>
#include <cstdint>

#include "backend/op_args.h"
#include "core/layout.h"
#include "core/scalar.h"
#include "core/shape.h"
#include "kernels/kernel_args.h"

namespace gpukit::cuda {

/// Numbers for the division of n < 2^31 by `divisor` (1 … 2^31 - 1) without a division.
MagicDivisor make_magic(std::int64_t divisor) noexcept;

/// `value` rounded to `dtype`, in both readings.
ScalarValue scalar_value(const Scalar& value, DType dtype);

/// The bytes of `value` as `dtype`, in the low end.
std::uint64_t scalar_bits(const Scalar& value, DType dtype);

/// True when a 16-byte access may start at `address`.
inline bool is_vector_aligned(const void* address) noexcept {
  return reinterpret_cast<std::uintptr_t>(address) % 16 == 0;
}

/// Sizes and divisors of one dimension list; a rank of 0 becomes one dimension of size 1.
template <int kOperands>
StridedLayout<kOperands> make_layout(const Shape& shape,
                                     const std::array<const Strides*, kOperands>& strides) {
  StridedLayout<kOperands> layout{};  // what is beyond the rank is 0, not what the stack held
  layout.rank = shape.empty() ? 1 : shape.size();
  bool wide = element_count(shape) > INT32_MAX;
  if (shape.empty()) {
    layout.size[0] = 1;
    layout.magic[0] = make_magic(1);
    for (int k = 0; k < kOperands; ++k) layout.stride[k][0] = 0;
  }
  for (int d = 0; d < shape.size(); ++d) {
    const int from = shape.size() - 1 - d;
    layout.size[d] = shape[from];
    layout.magic[d] = make_magic(shape[from] <= INT32_MAX ? shape[from] : 1);
    for (int k = 0; k < kOperands; ++k) {
      layout.stride[k][d] = (*strides[static_cast<std::size_t>(k)])[from];
    }
  }
  for (const Strides* list : strides) {
    const OffsetRange range = offset_range(shape, *list);
    wide = wide || range.highest > INT32_MAX || range.lowest < INT32_MIN;
  }
  layout.wide = wide ? 1 : 0;
  return layout;
}

/// Operands of an elementwise call after merging; strides are in the order they were given, the
/// output's first.
template <int kOperands>
struct MergedOperands {
  Shape shape;
  std::array<Strides, kOperands> strides;
  std::int64_t count = 0;

  /// One run in every operand.
  bool is_one_run() const noexcept {
    if (count == 1) return true;
    if (shape.size() != 1) return false;
    for (const Strides& list : strides) {
      if (list[0] != 1) return false;
    }
    return true;
  }

  StridedLayout<kOperands> layout() const {
    std::array<const Strides*, kOperands> lists;
    for (std::size_t k = 0; k < kOperands; ++k) lists[k] = &strides[k];
    return make_layout<kOperands>(shape, lists);
  }
};

/// Calls launch(part, offsets) for parts of `merged` whose counts and offsets fit 31 bits: mostly
/// once, for all of it. offsets[k] is where operand k's part begins, in elements.
template <int kOperands, class Launch>
void for_narrow_parts(const MergedOperands<kOperands>& merged,
                      const std::array<std::int64_t, kOperands>& offsets, const Launch& launch) {
  if (merged.layout().wide == 0) return launch(merged, offsets);
  int widest = 0;
  for (int d = 1; d < merged.shape.size(); ++d) {
    if (merged.shape[d] > merged.shape[widest]) widest = d;
  }
  const std::int64_t half = merged.shape[widest] / 2;
  MergedOperands<kOperands> part = merged;
  std::array<std::int64_t, kOperands> starts = offsets;
  part.shape[widest] = half;
  part.count = merged.count / merged.shape[widest] * half;
  for_narrow_parts<kOperands>(part, starts, launch);
  part.shape[widest] = merged.shape[widest] - half;
  part.count = merged.count - part.count;
  for (std::size_t k = 0; k < kOperands; ++k) starts[k] += half * merged.strides[k][widest];
  for_narrow_parts<kOperands>(part, starts, launch);
}

/// The address of element `offset`.
inline void* element_address(const Operand& operand, std::int64_t offset) noexcept {
  return static_cast<unsigned char*>(operand.data) +
         offset * static_cast<std::int64_t>(itemsize(operand.dtype));
}

template <int kOperands>
MergedOperands<kOperands> merge_operands(const Shape& shape,
                                         const std::array<const Strides*, kOperands>& strides) {
  MergedOperands<kOperands> merged;
  merged.shape = shape;
  merged.count = element_count(shape);
  std::array<Strides*, kOperands> lists;
  for (std::size_t k = 0; k < kOperands; ++k) {
    merged.strides[k] = *strides[k];
    lists[k] = &merged.strides[k];
  }
  merge_dims(merged.shape, lists);
  return merged;
}

}  // namespace gpukit::cuda
