// Comparisons of two tensors with a single bool as result.
#pragma once

#include "tensor/tensor.h"

namespace gpukit::ops {

/// |a - b| <= atol + rtol * |b| element by element; `equal_nan` lets NaN equal NaN.
Tensor isclose(const Tensor& a, const Tensor& b, double rtol, double atol, bool equal_nan);
/// Waits for the result.
bool allclose(const Tensor& a, const Tensor& b, double rtol, double atol, bool equal_nan);
/// Same shape and same elements.
bool equal(const Tensor& a, const Tensor& b);

}  // namespace gpukit::ops
