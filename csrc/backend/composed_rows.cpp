// Softmax and layer norm for devices without their own kernels.
#include "backend/composition.h"

namespace gpukit {

void DeviceOps::softmax(const SoftmaxArgs& args, StreamRef stream) {
  Composition c(*this, workspace_, stream);
  const Shape shape{args.rows, args.columns};
  const Operand result = dense(args.out, args.dtype, args.columns);
  const Operand in = c.widened(shape, dense(args.in, args.dtype, args.columns));
  const Operand out = c.wide_result(shape, result);
  const Operand row = c.scratch_row_values(shape, in.dtype);
  c.reduce_rows(ReduceOp::kMax, shape, in, row);
  c.binary(BinaryOp::kSub, shape, in, row, out);
  const Operand powers = args.log ? c.scratch_dense(shape, in.dtype) : out;
  c.unary(UnaryOp::kExp, shape, out, powers);
  c.reduce_rows(ReduceOp::kSum, shape, powers, row);
  if (args.log) c.unary(UnaryOp::kLog, row_shape(shape), row, row);
  c.binary(args.log ? BinaryOp::kSub : BinaryOp::kDiv, shape, out, row, out);
  c.finish(shape, out, result);
}

void DeviceOps::layer_norm(const LayerNormArgs& args, StreamRef stream) {
  Composition c(*this, workspace_, stream);
  const Shape shape{args.rows, args.columns};
  const Operand result = dense(args.out, args.dtype, args.columns);
  const Operand in = c.widened(shape, dense(args.in, args.dtype, args.columns));
  const Operand out = c.wide_result(shape, result);
  const auto row_values = [&](void* wanted) {
    return wanted != nullptr ? per_row(wanted, in.dtype) : c.scratch_row_values(shape, in.dtype);
  };
  const Operand mean = row_values(args.mean);
  const Operand rstd = row_values(args.rstd);
  const Operand squares = c.scratch_dense(shape, in.dtype);
  c.reduce_rows(ReduceOp::kMean, shape, in, mean);
  c.binary(BinaryOp::kSub, shape, in, mean, out);
  c.binary(BinaryOp::kMul, shape, out, out, squares);
  c.reduce_rows(ReduceOp::kMean, shape, squares, rstd);
  c.binary(BinaryOp::kAdd, row_shape(shape), rstd, args.eps, rstd);
  c.unary(UnaryOp::kRsqrt, row_shape(shape), rstd, rstd);
  c.binary(BinaryOp::kMul, shape, out, rstd, out);
  const auto apply = [&](BinaryOp op, const void* columns) {
    if (columns == nullptr) return;
    const Operand wide = c.widened(Shape{1, args.columns}, per_column(columns, args.dtype));
    c.binary(op, shape, out, per_column(wide.data, wide.dtype), out);
  };
  apply(BinaryOp::kMul, args.weight);
  apply(BinaryOp::kAdd, args.bias);
  c.finish(shape, out, result);
}

}  // namespace gpukit
