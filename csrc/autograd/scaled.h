// A tensor times the number that add() and sub() call alpha.
#pragma once

#include "core/scalar.h"
#include "tensor/tensor.h"

namespace gpukit::autograd {

/// The product, recorded as a part of a sum: unlike a product of its own, it may run twice.
Tensor scaled(const Tensor& input, Scalar factor);

}  // namespace gpukit::autograd
