// The size of the product that a call of DeviceOps computes.
#pragma once

#include "backend/op_args.h"
#include "core/product_size.h"

namespace gpukit {

constexpr ProductSize size_of(const MatmulArgs& args) noexcept {
  return {args.batch, args.m, args.n, args.k};
}

}  // namespace gpukit
