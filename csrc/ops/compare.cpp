#include "ops/compare.h"

#include "base/check.h"
#include "base/error.h"
#include "ops/dispatch.h"
#include "ops/elementwise.h"
#include "ops/promotion.h"
#include "ops/reduce.h"

namespace gpukit::ops {

namespace {

void check_tolerances(double rtol, double atol) {
  GPUKIT_CHECK(rtol >= 0 && atol >= 0, ValueError, "isclose: rtol is ", rtol, ", atol is ", atol,
               ". Use 0 or more.");
}

/// The dtype in which differences are taken: exact enough for every operand.
DType difference_dtype(DType promoted) {
  return of_kind(kind_of(promoted), DType::kFloat64, DType::kFloat64, working_dtype(promoted),
                 promoted);
}

/// |a - b| <= atol + rtol * |b| where the difference is finite.
Tensor within(const Tensor& a, const Tensor& b, double rtol, double atol) {
  const Tensor difference = unary(UnaryOp::kAbs, binary(BinaryOp::kSub, a, b));
  const Tensor allowed = unary(UnaryOp::kAbs, b);
  binary_(BinaryOp::kMul, allowed, Scalar::floating(rtol));
  binary_(BinaryOp::kAdd, allowed, Scalar::floating(atol));
  const Tensor close = binary(BinaryOp::kLe, difference, allowed);
  binary_(BinaryOp::kLogicalAnd, close, unary(UnaryOp::kIsFinite, difference));
  return close;
}

bool all_true(const Tensor& tensor) {
  return read_item(reduce(ReduceOp::kAll, tensor, ReducedDims::all(), false)).as_bool();
}

}  // namespace

Tensor isclose(const Tensor& a, const Tensor& b, double rtol, double atol, bool equal_nan) {
  check_tolerances(rtol, atol);
  const Tensor left = transfer_scalar(a, b);
  const Tensor right = transfer_scalar(b, a);
  check_same_device("isclose", left, right);
  const DType dtype = difference_dtype(promote(a.dtype(), b.dtype()));
  const Tensor x = cast(left, dtype);
  const Tensor y = cast(right, dtype);
  Tensor close = binary(BinaryOp::kEq, left, right);
  const Tensor near = within(x, y, rtol, atol);
  binary_(BinaryOp::kLogicalOr, close, near);
  if (equal_nan) {
    binary_(BinaryOp::kLogicalOr, close,
            binary(BinaryOp::kLogicalAnd, unary(UnaryOp::kIsNan, x), unary(UnaryOp::kIsNan, y)));
  }
  return close;
}

bool allclose(const Tensor& a, const Tensor& b, double rtol, double atol, bool equal_nan) {
  return all_true(isclose(a, b, rtol, atol, equal_nan));
}

bool equal(const Tensor& a, const Tensor& b) {
  check_same_device("equal", a, b);
  if (!(a.shape() == b.shape())) return false;
  return all_true(binary(BinaryOp::kEq, a, b));
}

}  // namespace gpukit::ops
