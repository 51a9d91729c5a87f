#include "base/check.h"
#include "base/error.h"
#include "ops/dispatch.h"
#include "ops/elementwise.h"
#include "ops/out_target.h"
#include "ops/promotion.h"

namespace gpukit::ops {

namespace {

bool keeps_integers(UnaryOp op) {
  switch (op) {
    case UnaryOp::kNeg:
    case UnaryOp::kAbs:
    case UnaryOp::kSign:
    case UnaryOp::kSquare:
    case UnaryOp::kRelu:
    case UnaryOp::kFloor:
    case UnaryOp::kCeil:
    case UnaryOp::kRound:
    case UnaryOp::kTrunc:
    case UnaryOp::kBitwiseNot:
      return true;
    default:
      return gives_bool(op);
  }
}

/// Functions that leave whole numbers (or truth values) as they are.
bool is_identity(UnaryOp op, DType dtype) {
  if (op >= UnaryOp::kFloor && op <= UnaryOp::kTrunc) return !is_floating(dtype);
  return dtype == DType::kBool && (op == UnaryOp::kAbs || op == UnaryOp::kSign);
}

[[noreturn]] void refuse(UnaryOp op, DType dtype) {
  if (op == UnaryOp::kBitwiseNot) {
    throw DTypeError(concat("bitwise_not: dtype ", name(dtype),
                            " is not an integer or bool type. Use -X, or X.to('int64') first."))
        .with_fix("X.to('int64')");
  }
  throw DTypeError(
      concat(name(op), ": not defined for bool tensors. Use ~X (logical_not) or X.to('int64')."))
      .with_fix(op == UnaryOp::kNeg ? "~X" : "X.to('int64')");
}

DType compute_dtype(UnaryOp op, DType dtype) {
  if (is_floating(dtype)) {
    if (op == UnaryOp::kBitwiseNot) refuse(op, dtype);
    return dtype;
  }
  if (!keeps_integers(op)) return default_floating();
  if (dtype == DType::kBool) {
    if (op == UnaryOp::kNeg || op == UnaryOp::kRelu) refuse(op, dtype);
    if (op == UnaryOp::kSquare) return DType::kInt64;
  }
  return dtype;
}

void run(UnaryOp op, const Tensor& out, const Tensor& in) {
  if (out.count() == 0) return;
  const Call call(out);
  UnaryArgs args;
  args.op = op;
  if (out.is_contiguous() && in.is_contiguous()) {
    args.shape = flat_shape(out.count());
    args.out = flat_operand(out);
    args.in = flat_operand(in);
  } else {
    args.shape = out.shape();
    args.out = operand(out);
    args.in = operand(in);
    merge_operands(args.shape, args.out, args.in);
  }
  call.use(out, in);
  call.ops.unary(args, call.stream);
}

}  // namespace

Tensor unary(UnaryOp op, const Tensor& input) {
  if (is_identity(op, input.dtype())) return clone(input);
  const DType compute = compute_dtype(op, input.dtype());
  const Tensor in = cast(input, compute);
  Tensor out =
      result_of_elements(in.open_device(), in.shape(), gives_bool(op) ? DType::kBool : compute, in);
  run(op, out, in);
  return out;
}

void unary_(UnaryOp op, const Tensor& target) {
  const std::string_view in_place = in_place_name(op);
  check_target(in_place, target);
  if (is_identity(op, target.dtype())) return;
  const DType compute = compute_dtype(op, target.dtype());
  const DType result = gives_bool(op) ? DType::kBool : compute;
  GPUKIT_CHECK(can_store(result, target.dtype()), DTypeError, in_place, ": the result is ",
               name(result), ", which cannot be stored in X of ", name(target.dtype()), ". Use ",
               name(op), "(X), or X.to('", name(result), "') first.");
  if (result != target.dtype() || compute != result) return copy_(target, unary(op, target));
  run(op, target, target);
  target.storage()->bump_version();
}

}  // namespace gpukit::ops
