// Losses in one pass over the logits.
#pragma once

#include <cstdint>
#include <optional>

#include "tensor/tensor.h"

namespace gpukit::ops {

enum class Reduction : int { kNone, kMean, kSum };

struct CrossEntropyOptions {
  Reduction reduction = Reduction::kMean;
  std::int64_t ignore_index = -100;
  double smoothing = 0;
};

/// What forward hands to backward.
struct CrossEntropy {
  Tensor loss;      ///< 0-d, or one a row with Reduction::kNone
  Tensor log_sums;  ///< log(sum(exp(row)))
  Tensor scale;     ///< 0-d: what the total was divided by, inverted; undefined for kNone
};

/// Cross-entropy between rows of logits (rows, classes) and class numbers (rows), int64. `weight`
/// (classes) may be undefined. float32 or float64. A target outside the classes throws IndexError
/// on the CPU and gives NaN on a GPU, where nothing waits. Throws ShapeError, DTypeError,
/// DeviceMismatchError, ValueError.
CrossEntropy cross_entropy(const Tensor& logits, const Tensor& target, const Tensor& weight,
                           const CrossEntropyOptions& options);
/// The gradient of the logits from that of the loss.
Tensor cross_entropy_backward(const Tensor& gradient, const Tensor& logits, const Tensor& target,
                              const Tensor& weight, const CrossEntropy& forward,
                              const CrossEntropyOptions& options);

}  // namespace gpukit::ops
