// Order: sort, argsort, topk, unique. Stable; NaN is larger than every number, as in torch.
#pragma once

#include <cstdint>

#include "tensor/tensor.h"

namespace gpukit::ops {

struct Sorted {
  Tensor values;
  Tensor indices;  ///< int64 indices along the dimension
};
/// Dimensions are counted from 0: callers have checked them (dim_of).
Sorted sort(const Tensor& input, int dim, bool descending);
Tensor argsort(const Tensor& input, int dim, bool descending);
/// The k largest (or smallest) along dim, in order. Throws ValueError when k is beyond the size.
Sorted topk(const Tensor& input, std::int64_t k, int dim, bool largest);

struct Unique {
  Tensor values;   ///< 1-d, ascending; every NaN counts as its own value
  Tensor inverse;  ///< int64, the input's shape: values[inverse] is the input
  Tensor counts;   ///< int64
};
/// Over the flattened input. Waits for the number of values.
Unique unique(const Tensor& input);

}  // namespace gpukit::ops
