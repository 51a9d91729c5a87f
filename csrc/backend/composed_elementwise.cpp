// Elementwise operators, reductions and triangles by simpler ones.

#include "backend/composition.h"
#include "backend/op_names.h"

namespace gpukit {

namespace {

/// `out` = op(`in`), both in the dtype that is computed in. False, with nothing done, for an
/// operator that has no composition.
bool composed_unary(Composition& c, UnaryOp op, const Shape& shape, const Operand& in,
                    const Operand& out) {
  const Scalar one = Scalar::integer(1);
  switch (op) {
    case UnaryOp::kNeg:
      c.binary(BinaryOp::kMul, shape, in, Scalar::integer(-1), out);
      return true;
    case UnaryOp::kSquare:
      c.binary(BinaryOp::kMul, shape, in, in, out);
      return true;
    case UnaryOp::kReciprocal:
      c.binary(BinaryOp::kDiv, shape, one, in, out);
      return true;
    case UnaryOp::kRsqrt:
      c.unary(UnaryOp::kSqrt, shape, in, out);
      c.binary(BinaryOp::kDiv, shape, one, out, out);
      return true;
    case UnaryOp::kRelu:
      c.binary(BinaryOp::kMaximum, shape, in, Scalar::integer(0), out);
      return true;
    case UnaryOp::kSigmoid:
      c.binary(BinaryOp::kMul, shape, in, Scalar::integer(-1), out);
      c.unary(UnaryOp::kExp, shape, out, out);
      c.binary(BinaryOp::kAdd, shape, out, one, out);
      c.binary(BinaryOp::kDiv, shape, one, out, out);
      return true;
    default:
      return false;
  }
}

/// The gradient `left` where the result `right` of relu is positive.
void composed_relu_gradient(Composition& c, const BinaryArgs& args) {
  const Operand cut{c.scratch(element_count(args.shape), DType::kBool), DType::kBool,
                    contiguous_strides(args.shape)};
  const Operand zero{c.scratch_value(0, args.out.dtype).data, args.out.dtype,
                     Strides::filled(args.shape.size(), 0)};
  c.binary(BinaryOp::kLe, args.shape, args.right, Scalar::integer(0), cut);
  c.where(args.shape, cut, zero, args.left, args.out);
}

/// Both operands are tensors. False, with nothing done, where there is no composition.
bool composed_binary(Composition& c, const BinaryArgs& args) {
  const bool logical = args.left.dtype == DType::kBool;
  if (args.op == BinaryOp::kReluGradient) {
    composed_relu_gradient(c, args);
  } else if (args.op == BinaryOp::kLogicalAnd && logical) {
    c.where(args.shape, args.left, args.right, args.left, args.out);
  } else if (args.op == BinaryOp::kLogicalOr && logical) {
    c.where(args.shape, args.left, args.left, args.right, args.out);
  } else if (args.op == BinaryOp::kLogicalXor && logical) {
    c.binary(BinaryOp::kNe, args.shape, args.left, args.right, args.out);
  } else {
    return false;
  }
  return true;
}

/// The input of a reduction as one shape: its kept dimensions, then the reduced ones.
struct WholeInput {
  explicit WholeInput(const ReduceArgs& args) {
    for (const std::int64_t extent : args.kept) shape.push_back(extent);
    for (const std::int64_t extent : args.reduced) shape.push_back(extent);
    in = {const_cast<void*>(args.in), args.in_dtype, {}};
    for (const std::int64_t step : args.kept_strides) in.strides.push_back(step);
    for (const std::int64_t step : args.reduced_strides) in.strides.push_back(step);
  }

  Shape shape;
  Operand in;
};

/// The sum that a mean or a 2-norm is made of, over the input in the dtype that is computed in.
ReduceArgs sum_of(Composition& c, const ReduceArgs& args, DType dtype) {
  ReduceArgs sums = args;
  sums.op = ReduceOp::kSum;
  sums.in_dtype = sums.out_dtype = dtype;
  const bool squared = args.op == ReduceOp::kNorm2;
  if (!squared && dtype == args.in_dtype) return sums;
  const WholeInput whole(args);
  const Operand values{c.scratch(element_count(whole.shape), dtype), dtype,
                       contiguous_strides(whole.shape)};
  c.copy(whole.shape, whole.in, values);
  if (squared) c.binary(BinaryOp::kMul, whole.shape, values, values, values);
  const std::int64_t length = element_count(args.reduced);
  sums.in = values.data;
  sums.reduced_strides = contiguous_strides(args.reduced);
  sums.kept_strides = contiguous_strides(args.kept);
  for (std::int64_t& step : sums.kept_strides) step *= length;
  return sums;
}

}  // namespace

void DeviceOps::unary(const UnaryArgs& args, StreamRef stream) {
  Composition c(*this, workspace_, stream);
  const DType wide = working_dtype(args.in.dtype);
  if (args.in.dtype == DType::kBool || args.out.dtype != args.in.dtype)
    throw_not_supported(operator_name(args.op));
  if (wide == args.in.dtype) {
    if (composed_unary(c, args.op, args.shape, args.in, args.out)) return;
    throw_not_supported(operator_name(args.op));
  }
  const Operand in = c.widened(args.shape, args.in);
  if (!composed_unary(c, args.op, args.shape, in, in)) throw_not_supported(operator_name(args.op));
  c.finish(args.shape, in, args.out);
}

void DeviceOps::binary(const BinaryArgs& args, StreamRef stream) {
  Composition c(*this, workspace_, stream);
  const bool both = args.scalar_side == ScalarSide::kNone;
  if (!both || !composed_binary(c, args)) throw_not_supported(operator_name(args.op));
}

void DeviceOps::reduce(const ReduceArgs& args, StreamRef stream) {
  const bool is_mean = args.op == ReduceOp::kMean;
  if ((!is_mean && args.op != ReduceOp::kNorm2) || args.in_dtype != args.out_dtype)
    throw_not_supported(operator_name(args.op));
  Composition c(*this, workspace_, stream);
  const Shape kept{element_count(args.kept)};
  const Operand result{args.out, args.out_dtype, Strides{1}};
  const Operand out = c.wide_result(kept, result);
  ReduceArgs sums = sum_of(c, args, out.dtype);
  sums.out = out.data;
  reduce(sums, stream);
  if (is_mean) {
    c.binary(BinaryOp::kDiv, kept, out, static_cast<double>(element_count(args.reduced)), out);
  } else {
    c.unary(UnaryOp::kSqrt, kept, out, out);
  }
  c.finish(kept, out, result);
}

void DeviceOps::clamp(const ClampArgs& args, StreamRef stream) {
  Composition c(*this, workspace_, stream);
  if (args.has_low) c.binary(BinaryOp::kMaximum, args.shape, args.in, args.low, args.out);
  const Operand& raised = args.has_low ? args.out : args.in;
  if (args.has_high) c.binary(BinaryOp::kMinimum, args.shape, raised, args.high, args.out);
}

void DeviceOps::triangle(const TriangleArgs& args, StreamRef stream) {
  Composition c(*this, workspace_, stream);
  const Shape matrix{args.rows, args.columns};
  const Shape shape{args.batch, args.rows, args.columns};
  const Operand rows = c.column_numbers(args.rows);
  const Operand distance = c.scratch_dense(matrix, DType::kInt64);
  const Operand kept = c.scratch_dense(matrix, DType::kBool);
  c.binary(BinaryOp::kSub, matrix, c.column_numbers(args.columns), per_row(rows.data, rows.dtype),
           distance);
  c.binary(args.upper ? BinaryOp::kGe : BinaryOp::kLe, matrix, distance,
           Scalar::integer(args.diagonal), kept);
  const Operand zero = c.scratch_value(0, args.dtype);
  const Strides steps = contiguous_strides(shape);
  c.where(shape, {kept.data, kept.dtype, Strides{0, args.columns, 1}},
          {const_cast<void*>(args.in), args.dtype, steps},
          {zero.data, zero.dtype, Strides{0, 0, 0}}, {args.out, args.dtype, steps});
}

}  // namespace gpukit
