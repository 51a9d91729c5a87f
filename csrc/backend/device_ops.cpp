#include "backend/device_ops.h"

namespace gpukit {

// Here, and not in the header: a compiler would guess that it is the one called, and give every
// caller its stack.
void DeviceOps::flat_binary(const FlatBinaryArgs& args, StreamRef stream) {
  const auto operand = [](void* data, DType dtype) {
    return Operand{data, dtype, Strides::filled(1, 1)};
  };
  binary({.op = args.op,
          .shape = Shape::filled(1, args.count),
          .out = operand(args.out, args.out_dtype),
          .left = operand(args.left, args.dtype),
          .right = operand(args.right, args.dtype),
          .scalar = {}},
         stream);
}

}  // namespace gpukit
