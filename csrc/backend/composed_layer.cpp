#include "backend/composed_layer.h"

namespace gpukit {

void composed_layer(DeviceOps& ops, const MatmulArgs& args, StreamRef stream) {
  const Shape shape{args.m, args.n};
  const Operand out{args.c.data, args.dtype, Strides{args.c.row_stride, 1}};
  ops.copy({shape, out, {const_cast<void*>(args.bias), args.dtype, Strides{0, 1}}}, stream);
  MatmulArgs product = args;
  product.bias = nullptr;
  product.activation = Activation::kNone;
  product.beta = 1.0;
  ops.matmul(product, stream);
  if (args.activation == Activation::kRelu) ops.unary({UnaryOp::kRelu, shape, out, out}, stream);
}

void composed_row_sums(DeviceOps& ops, const MatmulArgs& args, StreamRef stream) {
  ReduceArgs sums;
  sums.op = ReduceOp::kSum;
  sums.in = args.a.data;
  sums.in_dtype = args.dtype;
  sums.kept = Shape{args.m};
  sums.reduced = Shape{args.k};
  sums.kept_strides = Strides{args.a.row_stride};
  sums.reduced_strides = Strides{args.a.column_stride};
  sums.out = args.row_sums;
  sums.out_dtype = args.dtype;
  ops.reduce(sums, stream);
  MatmulArgs product = args;
  product.row_sums = nullptr;
  ops.matmul(product, stream);
}

}  // namespace gpukit
