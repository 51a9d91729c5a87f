#include "backend/composed_layer.h"

namespace gpukit {

namespace {

Operand result_of(const MatmulArgs& args) {
  return {args.c.data, args.dtype, Strides{args.c.row_stride, 1}};
}

}  // namespace

MatmulArgs product_of_layer(const MatmulArgs& args) noexcept {
  MatmulArgs product = args;
  product.bias = nullptr;
  product.activation = Activation::kNone;
  product.beta = 1.0;
  return product;
}

void write_bias(DeviceOps& ops, const MatmulArgs& args, StreamRef stream) {
  const Operand bias{const_cast<void*>(args.bias), args.dtype, Strides{0, 1}};
  ops.copy({Shape{args.m, args.n}, result_of(args), bias}, stream);
}

void apply_activation(DeviceOps& ops, const MatmulArgs& args, StreamRef stream) {
  if (args.activation != Activation::kRelu) return;
  const Operand out = result_of(args);
  ops.unary({UnaryOp::kRelu, Shape{args.m, args.n}, out, out}, stream);
}

void composed_layer(DeviceOps& ops, const MatmulArgs& args, StreamRef stream) {
  write_bias(ops, args, stream);
  ops.matmul(product_of_layer(args), stream);
  apply_activation(ops, args, stream);
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
