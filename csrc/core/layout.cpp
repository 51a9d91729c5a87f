#include "core/layout.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace gpukit {

namespace layout {
namespace {

/// True if dimension `a` should be outside `b`: the first operand whose strides differ
/// decides.
bool lies_outside(std::span<Strides* const> operands, int a, int b) noexcept {
  for (const Strides* strides : operands) {
    const std::int64_t step_a = std::abs((*strides)[a]);
    const std::int64_t step_b = std::abs((*strides)[b]);
    if (step_a != step_b) return step_a > step_b;
  }
  return false;
}

void swap_dims(Shape& shape, std::span<Strides* const> operands, int a, int b) noexcept {
  std::swap(shape[a], shape[b]);
  for (Strides* strides : operands) std::swap((*strides)[a], (*strides)[b]);
}

void drop_dim(Shape& shape, std::span<Strides* const> operands, int dim) noexcept {
  shape.erase(dim);
  for (Strides* strides : operands) strides->erase(dim);
}

void drop_unit_dims(Shape& shape, std::span<Strides* const> operands) noexcept {
  for (int dim = shape.size() - 1; dim >= 0; --dim) {
    if (shape[dim] == 1) drop_dim(shape, operands, dim);
  }
}

void sort_dims(Shape& shape, std::span<Strides* const> operands) noexcept {
  for (int i = 1; i < shape.size(); ++i) {
    for (int j = i; j > 0 && lies_outside(operands, j, j - 1); --j) {
      swap_dims(shape, operands, j, j - 1);
    }
  }
}

/// Dimension `outer` steps over exactly one run of the dimension after it, in every operand.
bool are_one_run(const Shape& shape, std::span<Strides* const> operands, int outer) noexcept {
  return std::all_of(operands.begin(), operands.end(), [&](const Strides* strides) {
    return (*strides)[outer] == (*strides)[outer + 1] * shape[outer + 1];
  });
}

}  // namespace
}  // namespace layout

bool is_contiguous(const Shape& shape, const Strides& strides) noexcept {
  std::int64_t step = 1;
  bool dense = true;
  for (int i = shape.size() - 1; i >= 0; --i) {
    if (shape[i] == 0) return true;
    if (shape[i] != 1 && strides[i] != step) dense = false;
    step *= shape[i];
  }
  return dense;
}

bool is_non_overlapping(const Shape& shape, const Strides& strides) noexcept {
  Shape sizes = shape;
  Strides steps = strides;
  const std::array<Strides*, 1> operands = {&steps};
  if (element_count(shape) == 0) return true;
  layout::drop_unit_dims(sizes, operands);
  layout::sort_dims(sizes, operands);
  std::int64_t reach = 0;  // farthest element that the smaller strides get to
  for (int i = sizes.size() - 1; i >= 0; --i) {
    const std::int64_t step = std::abs(steps[i]);
    if (step <= reach) return false;
    reach += step * (sizes[i] - 1);
  }
  return true;
}

OffsetRange offset_range(const Shape& shape, const Strides& strides) noexcept {
  OffsetRange range;
  for (int i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0) return {};
    const std::int64_t reach = strides[i] * (shape[i] - 1);
    (reach < 0 ? range.lowest : range.highest) += reach;
  }
  return range;
}

void merge_dims(Shape& shape, std::span<Strides* const> operands) noexcept {
  if (shape.size() == 1 && shape[0] != 1) return;  // merged already, as most operands are
  layout::drop_unit_dims(shape, operands);
  layout::sort_dims(shape, operands);
  for (int outer = shape.size() - 2; outer >= 0; --outer) {
    if (!layout::are_one_run(shape, operands, outer)) continue;
    shape[outer + 1] *= shape[outer];
    layout::drop_dim(shape, operands, outer);
  }
  if (!shape.empty()) return;
  shape.insert(0, 1);
  for (Strides* strides : operands) strides->insert(0, 1);
}

}  // namespace gpukit
