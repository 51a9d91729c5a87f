// Tensors of any strides between devices, by a plan that was made before.
#pragma once

#include "ops/elementwise.h"
#include "tensor/transfer_plan.h"

namespace gpukit::ops {

/// A contiguous copy of the input, same dtype, where the plan says and as it says.
Tensor to_device(const Tensor& input, const TransferPlan& plan);

}  // namespace gpukit::ops
