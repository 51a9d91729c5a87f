// The fused operations that gpukit.nn stands on, recorded where a gradient is wanted.
#pragma once

#include "ops/loss.h"
#include "ops/matmul.h"
#include "tensor/tensor.h"

namespace gpukit::autograd {

/// `bias` may be undefined.
Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias);

/// relu of it, in one operation; recorded as the two that it stands for.
Tensor linear_relu(const Tensor& input, const Tensor& weight, const Tensor& bias);

/// The loss; `weight` may be undefined and gets no gradient.
Tensor cross_entropy(const Tensor& logits, const Tensor& target, const Tensor& weight,
                     const ops::CrossEntropyOptions& options);

/// The mean or the sum of squared differences, or all of them.
Tensor squared_error(const Tensor& input, const Tensor& target, ops::Reduction reduction);

}  // namespace gpukit::autograd
