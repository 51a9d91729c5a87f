// Layers that are one operation of the device, recorded if a gradient is needed.
#pragma once

#include "ops/layers.h"

namespace gpukit::autograd {

/// See ops::max_pool; the numbers are not recorded.
ops::Largest max_pool(const Tensor& input, const ops::Windows& windows, bool numbers);
/// See ops::batch_norm, with the batch's statistics, which are not recorded.
ops::BatchNorm batch_norm(const Tensor& input, const Tensor& weight, const Tensor& bias,
                          double eps);

}  // namespace gpukit::autograd
