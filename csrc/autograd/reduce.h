// The reductions of ops/reduce.h and ops/sorting.h, recorded where a gradient is wanted.
#pragma once

#include <optional>

#include "kernels/op_codes.h"
#include "ops/reduce.h"
#include "ops/sorting.h"
#include "tensor/tensor.h"

namespace gpukit::autograd {

// Dimensions are as users name them: from the end below 0, and all where `dims` is absent or empty.
// They are checked here, once.

Tensor reduce(ReduceOp op, const Tensor& input, const std::optional<Dims>& dims, bool keepdim,
              std::optional<DType> dtype = std::nullopt, const Tensor* out = nullptr);

/// The largest or smallest values along one dimension, and their indices.
struct Extremes {
  Tensor values;
  Tensor indices;
};
Extremes extremes(ReduceOp op, const Tensor& input, std::int64_t dim, bool keepdim);

Tensor variance(const Tensor& input, const std::optional<Dims>& dims, bool keepdim,
                double correction, bool root);
Tensor norm(const Tensor& input, double p, const std::optional<Dims>& dims, bool keepdim,
            std::optional<DType> dtype = std::nullopt);
Tensor logsumexp(const Tensor& input, const Dims& dims, bool keepdim);
Tensor cumulative(const Tensor& input, std::int64_t dim, bool product, const Tensor* out = nullptr);
Tensor softmax(const Tensor& input, std::int64_t dim, bool log);
/// `weight` and `bias` may be undefined.
Tensor layer_norm(const Tensor& input, int dims, const Tensor& weight, const Tensor& bias,
                  double eps);

ops::Sorted sort(const Tensor& input, std::int64_t dim, bool descending);
ops::Sorted topk(const Tensor& input, std::int64_t k, std::int64_t dim, bool largest);

}  // namespace gpukit::autograd
