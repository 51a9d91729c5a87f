// A layer's products, forward and backward, on a device whose matmul does nothing else.
#pragma once

#include "backend/device_ops.h"

namespace gpukit {

/// Does a product with a bias as three operations of `ops`: the bias copied to every row, the
/// product added to it, the activation in place.
void composed_layer(DeviceOps& ops, const MatmulArgs& args, StreamRef stream);

/// Does a product with row sums as two operations of `ops`.
void composed_row_sums(DeviceOps& ops, const MatmulArgs& args, StreamRef stream);

}  // namespace gpukit
