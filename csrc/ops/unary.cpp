#include "base/check.h"
#include "base/error.h"
#include "ops/complex.h"
#include "ops/dispatch.h"
#include "ops/elementwise.h"
#include "ops/out_tensor.h"
#include "ops/promotion.h"

namespace gpukit::ops {

namespace {

/// Whether the operator returns values of this dtype (integers, bool) unchanged.
bool is_identity(UnaryOp op, DType dtype) {
  const Domain domain = domain_of(op);
  if (domain == Domain::kRounding) return of_kind(kind_of(dtype), true, true, false, false);
  return domain == Domain::kMagnitude && dtype == DType::kBool;
}

[[noreturn]] void refuse(UnaryOp op, DType dtype) {
  if (of_kind(kind_of(dtype), false, true, true, true)) {
    throw DTypeError(concat(name(op), ": dtype ", name(dtype),
                            " is not an integer or bool type. Use -X, or X.to('int64') first."))
        .with_fix("X.to('int64')");
  }
  throw DTypeError(
      concat(name(op), ": not defined for bool tensors. Use ~X (logical_not) or X.to('int64')."))
      .with_fix(op == UnaryOp::kNeg ? "~X" : "X.to('int64')");
}

/// The dtype in which the operator computes; the operand is converted to it first.
DType compute_dtype(UnaryOp op, DType dtype) {
  const DTypeKind kind = kind_of(dtype);
  const auto must_be = [&](bool taken) {
    if (!taken) refuse(op, dtype);
    return dtype;
  };
  switch (domain_of(op)) {
    case Domain::kFunction:
      return of_kind(kind, false, false, true, false) ? dtype : default_floating();
    case Domain::kArithmetic:
      return must_be(of_kind(kind, false, true, true, false));
    case Domain::kBoolAsInteger:
      return of_kind(kind, DType::kInt64, dtype, dtype, dtype);
    case Domain::kBitwise:
      return must_be(of_kind(kind, true, true, false, false));
    case Domain::kShift:
      return must_be(of_kind(kind, false, true, false, false));
    case Domain::kRounding:
    case Domain::kMagnitude:
    case Domain::kAny:
    case Domain::kComparison:
    case Domain::kTest:
      return of_kind(kind, dtype, dtype, dtype, dtype);
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

void assign_complex(UnaryOp op, const Tensor& target) {
  const Tensor result = complex_unary(op, target);
  GPUKIT_CHECK(is_complex(result.dtype()), DTypeError, in_place_name(op), ": the result is ",
               name(result.dtype()), ", which cannot be stored in X of ", name(target.dtype()),
               ". Use ", name(op), "(X).");
  copy_(target, result);
}

}  // namespace

Tensor unary(UnaryOp op, const Tensor& input, const Tensor* out) {
  if (is_complex(input.dtype())) [[unlikely]]
    return complex_unary(op, input);
  if (is_identity(op, input.dtype())) return clone(input);
  const DType compute = compute_dtype(op, input.dtype());
  const Tensor in = cast(input, compute);
  const DType result = gives_bool(op) ? DType::kBool : compute;
  Tensor made = result_of_elements(out, in.open_device(), in.shape(), result, in);
  run(op, made, in);
  return made;
}

void unary_(UnaryOp op, const Tensor& target) {
  const std::string_view in_place = in_place_name(op);
  check_target(in_place, target);
  if (is_complex(target.dtype())) [[unlikely]]
    return assign_complex(op, target);
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
