// A layer's products, forward and backward, on a device whose matmul does nothing else.
#pragma once

#include "backend/device_ops.h"

namespace gpukit {

/// Does a product with a bias as three operations of `ops`: the bias copied to every row, the
/// product added to it, the activation in place.
void composed_layer(DeviceOps& ops, const MatmulArgs& args, StreamRef stream);

/// Its parts, where a device queues the product itself: the bias in every row of the result, and
/// the product that is added to it; then the activation.
MatmulArgs product_of_layer(const MatmulArgs& args) noexcept;
void write_bias(DeviceOps& ops, const MatmulArgs& args, StreamRef stream);
void apply_activation(DeviceOps& ops, const MatmulArgs& args, StreamRef stream);

/// Does a product with row sums as two operations of `ops`.
void composed_row_sums(DeviceOps& ops, const MatmulArgs& args, StreamRef stream);

}  // namespace gpukit
