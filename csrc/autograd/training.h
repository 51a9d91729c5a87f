// The fused operations of gpukit.nn, recorded if a gradient is needed.
#pragma once

#include <span>
#include <string_view>

#include "ops/loss.h"
#include "ops/matmul.h"
#include "tensor/tensor.h"

namespace gpukit::autograd {

/// `bias` may be undefined.
Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias);

/// its ReLU, in one operation; recorded as two operations.
Tensor linear_relu(const Tensor& input, const Tensor& weight, const Tensor& bias);

/// The loss; `weight` may be undefined and gets no gradient.
Tensor cross_entropy(const Tensor& logits, const Tensor& target, const Tensor& weight,
                     const ops::CrossEntropyOptions& options);

/// The mean or the sum of squared differences, or all of them.
Tensor squared_error(const Tensor& input, const Tensor& target, ops::Reduction reduction);

/// `value`, a function of up to three inputs whose derivative is a formula of formulas_slopes.cpp.
/// `parameter`: its beta, delta or the like. Throws ValueError for a name that has none.
Tensor with_slopes(std::string_view name, const Tensor& value, std::span<const Tensor> inputs,
                   double parameter);

}  // namespace gpukit::autograd
