#include "ops/reduced_dims.h"

#include "base/check.h"
#include "base/error.h"
#include "core/layout.h"
#include "ops/dispatch.h"

namespace gpukit::ops {

namespace {

/// Appends a dimension, joined with the one before it when both are one run in memory.
void append_merged(Shape& shape, Strides& strides, std::int64_t size, std::int64_t stride) {
  if (size == 1) return;
  const int last = shape.size() - 1;
  if (last >= 0 && strides[last] == stride * size) {
    shape[last] *= size;
    strides[last] = stride;
    return;
  }
  shape.push_back(size);
  strides.push_back(stride);
}

void at_least_one(Shape& shape, Strides& strides) {
  if (!shape.empty()) return;
  shape.push_back(1);
  strides.push_back(1);
}

}  // namespace

ReducedDims reduced_dims(const Tensor& input, const std::optional<Dims>& dims,
                         std::string_view op) {
  if (!dims || dims->empty()) return ReducedDims::all();
  ReducedDims reduced;
  for (const std::int64_t named : *dims) {
    const int dim = dim_of(input, named, op);
    GPUKIT_CHECK(!reduced[dim], ValueError, op, ": dimension ", dim, " is named twice in dim.");
    reduced.add(dim);
  }
  return reduced;
}

Shape reduced_shape(const Shape& shape, ReducedDims dims, bool keepdim) {
  Shape result;
  for (int i = 0; i < shape.size(); ++i) {
    if (!dims[i]) {
      result.push_back(shape[i]);
    } else if (keepdim) {
      result.push_back(1);
    }
  }
  return result;
}

std::int64_t reduced_count(const Shape& shape, ReducedDims dims) noexcept {
  std::int64_t count = 1;
  for (int i = 0; i < shape.size(); ++i) {
    if (dims[i]) count *= shape[i];
  }
  return count;
}

void split_dims(const Tensor& input, ReducedDims dims, bool keep_order, ReduceArgs& args) {
  Shape reduced;
  Strides reduced_strides;
  for (int i = 0; i < input.rank(); ++i) {
    if (dims[i]) {
      append_merged(reduced, reduced_strides, input.size(i), input.strides()[i]);
    } else {
      append_merged(args.kept, args.kept_strides, input.size(i), input.strides()[i]);
    }
  }
  if (!keep_order && reduced.size() > 1) {
    Strides* const strides[] = {&reduced_strides};
    merge_dims(reduced, strides);
  }
  at_least_one(reduced, reduced_strides);
  at_least_one(args.kept, args.kept_strides);
  args.reduced = reduced;
  args.reduced_strides = reduced_strides;
}

}  // namespace gpukit::ops
