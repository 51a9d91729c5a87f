#include "backend/composition.h"

namespace gpukit {

void* Composition::scratch(std::int64_t count, DType dtype) {
  const std::size_t bytes = static_cast<std::size_t>(count) * itemsize(dtype);
  held_.push_back(std::make_unique<Scratch>(workspace_, bytes, stream_));
  return held_.back()->address();
}

Operand Composition::scratch_value(double value, DType dtype) {
  const Operand out = single(scratch(1, dtype), dtype);
  fill(Shape{1, 1}, value, out);
  return out;
}

Operand Composition::widened(const Shape& shape, const Operand& in) {
  const Operand wide = wide_result(shape, in);
  if (wide.data != in.data) copy(shape, in, wide);
  return wide;
}

Operand Composition::wide_result(const Shape& shape, const Operand& out) {
  const DType dtype = working_dtype(out.dtype);
  if (dtype == out.dtype) return out;
  return {scratch(element_count(shape), dtype), dtype, contiguous_strides(shape)};
}

void Composition::finish(const Shape& shape, const Operand& wide, const Operand& out) {
  if (wide.data != out.data) copy(shape, wide, out);
}

void Composition::fill(const Shape& shape, double value, const Operand& out) {
  ops_.fill({shape, out, Scalar::floating(value)}, stream_);
}

void Composition::copy(const Shape& shape, const Operand& in, const Operand& out) {
  ops_.copy({shape, out, in}, stream_);
}

void Composition::unary(UnaryOp op, const Shape& shape, const Operand& in, const Operand& out) {
  ops_.unary({op, shape, out, in}, stream_);
}

void Composition::binary(BinaryOp op, const Shape& shape, const Operand& left, const Operand& right,
                         const Operand& out) {
  ops_.binary({.op = op, .shape = shape, .out = out, .left = left, .right = right, .scalar = {}},
              stream_);
}

void Composition::binary(BinaryOp op, const Shape& shape, const Operand& left, Scalar right,
                         const Operand& out) {
  ops_.binary({.op = op,
               .shape = shape,
               .out = out,
               .left = left,
               .right = {},
               .scalar_side = ScalarSide::kRight,
               .scalar = right},
              stream_);
}

void Composition::binary(BinaryOp op, const Shape& shape, Scalar left, const Operand& right,
                         const Operand& out) {
  ops_.binary({.op = op,
               .shape = shape,
               .out = out,
               .left = {},
               .right = right,
               .scalar_side = ScalarSide::kLeft,
               .scalar = left},
              stream_);
}

void Composition::where(const Shape& shape, const Operand& condition, const Operand& left,
                        const Operand& right, const Operand& out) {
  ops_.where({shape, out, condition, left, right}, stream_);
}

Operand Composition::column_numbers(std::int64_t count) {
  RampArgs args;
  args.count = count;
  args.out = scratch(count, DType::kInt64);
  args.dtype = DType::kInt64;
  args.step = 1;
  args.step_int = 1;
  ops_.ramp(args, stream_);
  return per_column(args.out, args.dtype);
}

void Composition::reduce_rows(ReduceOp op, const Shape& shape, const Operand& in,
                              const Operand& out) {
  ReduceArgs args;
  args.op = op;
  args.in = in.data;
  args.in_dtype = in.dtype;
  args.kept = Shape{shape[0]};
  args.reduced = Shape{shape[1]};
  args.kept_strides = Strides{in.strides[0]};
  args.reduced_strides = Strides{in.strides[1]};
  args.out = out.data;
  args.out_dtype = out.dtype;
  ops_.reduce(args, stream_);
}

}  // namespace gpukit
