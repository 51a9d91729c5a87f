// Batch norm for devices without their own loops.
#include "backend/composition.h"

namespace gpukit {

namespace composed_batch_norm {
namespace {

/// (batch, channels, plane), and values a channel seen as it.
struct Layout {
  explicit Layout(const BatchNormArgs& args)
      : dtype(args.dtype),
        shape{args.batch, args.channels, args.plane},
        channels{1, args.channels} {}

  Operand whole(const void* data) const {
    return {const_cast<void*>(data), dtype, contiguous_strides(shape)};
  }
  Operand by_channel(const void* data) const {
    return {const_cast<void*>(data), dtype, Strides{0, 1, 0}};
  }
  Operand line(const void* data) const { return per_column(data, dtype); }

  ReduceArgs reduction(ReduceOp op, const void* in, void* out) const {
    const Strides strides = contiguous_strides(shape);
    ReduceArgs args;
    args.op = op;
    args.in = in;
    args.in_dtype = args.out_dtype = dtype;
    args.kept = Shape{shape[1]};
    args.reduced = Shape{shape[0], shape[2]};
    args.kept_strides = Strides{strides[1]};
    args.reduced_strides = Strides{strides[0], strides[2]};
    args.out = out;
    return args;
  }

  DType dtype;
  Shape shape, channels;
};

}  // namespace
}  // namespace composed_batch_norm

void DeviceOps::batch_norm(const BatchNormArgs& args, StreamRef stream) {
  const composed_batch_norm::Layout at(args);
  Composition c(*this, workspace_, stream);
  const Operand in = at.whole(args.in), out = at.whole(args.out);
  if (!args.given) reduce(at.reduction(ReduceOp::kMean, args.in, args.mean), stream);
  c.binary(BinaryOp::kSub, at.shape, in, at.by_channel(args.mean), out);
  if (!args.given) {
    const Operand squares = at.whole(c.scratch(element_count(at.shape), args.dtype));
    c.binary(BinaryOp::kMul, at.shape, out, out, squares);
    reduce(at.reduction(ReduceOp::kMean, squares.data, args.variance), stream);
    c.binary(BinaryOp::kAdd, at.channels, at.line(args.variance), args.eps, at.line(args.rstd));
    c.unary(UnaryOp::kRsqrt, at.channels, at.line(args.rstd), at.line(args.rstd));
  }
  c.binary(BinaryOp::kMul, at.shape, out, at.by_channel(args.rstd), out);
  if (args.weight != nullptr)
    c.binary(BinaryOp::kMul, at.shape, out, at.by_channel(args.weight), out);
  if (args.bias != nullptr) c.binary(BinaryOp::kAdd, at.shape, out, at.by_channel(args.bias), out);
}

void DeviceOps::batch_norm_backward(const BatchNormBackwardArgs& args, StreamRef stream) {
  const BatchNormArgs& forward = args.forward;
  const composed_batch_norm::Layout at(forward);
  Composition c(*this, workspace_, stream);
  const auto scratch = [&] { return at.whole(c.scratch(element_count(at.shape), at.dtype)); };
  const Operand gradient = at.whole(args.gradient), out = at.whole(args.in_gradient);
  const Operand normal = scratch(), terms = scratch();
  c.binary(BinaryOp::kSub, at.shape, at.whole(forward.in), at.by_channel(forward.mean), normal);
  c.binary(BinaryOp::kMul, at.shape, normal, at.by_channel(forward.rstd), normal);
  c.binary(BinaryOp::kMul, at.shape, gradient, normal, terms);
  reduce(at.reduction(ReduceOp::kSum, terms.data, args.weight_gradient), stream);
  reduce(at.reduction(ReduceOp::kSum, args.gradient, args.bias_gradient), stream);
  const double share = 1.0 / static_cast<double>(forward.each());
  c.binary(BinaryOp::kMul, at.shape, normal, at.by_channel(args.weight_gradient), terms);
  c.binary(BinaryOp::kAdd, at.shape, terms, at.by_channel(args.bias_gradient), terms);
  c.binary(BinaryOp::kMul, at.shape, terms, share, terms);
  c.binary(BinaryOp::kSub, at.shape, gradient, terms, out);
  c.binary(BinaryOp::kMul, at.shape, out, at.by_channel(forward.rstd), out);
  if (forward.weight != nullptr)
    c.binary(BinaryOp::kMul, at.shape, out, at.by_channel(forward.weight), out);
}

}  // namespace gpukit
