// Reductions.
#pragma once

#include <optional>
#include <string_view>

#include "kernels/op_codes.h"
#include "ops/reduced_dims.h"
#include "tensor/tensor.h"

namespace gpukit::ops {

std::string_view name(ReduceOp op) noexcept;

// Dimensions are counted from 0: callers have checked them (reduced_dims, dim_of).

/// Empty input: kSum 0, kProd 1, kAll true, kAny false, kMean NaN; kMax,
/// kMin, kArgMax, kArgMin throw DimensionError. kMean and norms of integers throw DTypeError as
/// torch does. `dtype`: what sums and products are computed and given in.
Tensor reduce(ReduceOp op, const Tensor& input, ReducedDims dims, bool keepdim,
              std::optional<DType> dtype = std::nullopt, const Tensor* out = nullptr);

/// Two-pass variance with `correction` taken from the count (1 is torch's default). Stable.
Tensor variance(const Tensor& input, ReducedDims dims, bool keepdim, double correction, bool root);
/// Vector norm over `dims`: p may be 0 (non-zeros), 1, 2, infinity,
/// -infinity or any number. Floating input only, as torch; `dtype` converts first.
Tensor norm(const Tensor& input, double p, ReducedDims dims, bool keepdim,
            std::optional<DType> dtype = std::nullopt);
Tensor logsumexp(const Tensor& input, ReducedDims dims, bool keepdim);
Tensor cumulative(const Tensor& input, int dim, bool product, const Tensor* out = nullptr);
Tensor softmax(const Tensor& input, int dim, bool log);

/// Rows of the last `dims` dimensions shifted and scaled to mean 0 and variance 1, then times
/// `weight` plus `bias`: of those dimensions' sizes and of the input's dtype, or undefined.
/// `statistics`: mean and 1 / deviation of each row are kept, in float32 at least. Throws
/// ShapeError, DTypeError, DeviceMismatchError.
struct LayerNorm {
  Tensor out;
  Tensor mean, rstd;
  Shape sizes;  ///< of the last dimensions
};
LayerNorm layer_norm(const Tensor& input, int dims, const Tensor& weight, const Tensor& bias,
                     double eps, bool statistics);

}  // namespace gpukit::ops
