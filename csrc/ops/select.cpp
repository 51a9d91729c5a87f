// Element by element choices: where and clamp.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "base/error.h"
#include "ops/complex.h"
#include "ops/dispatch.h"
#include "ops/elementwise.h"
#include "ops/out_tensor.h"
#include "ops/promotion.h"
#include "tensor/view.h"

namespace gpukit::ops {

namespace {

const Tensor& first_device_operand(const Tensor& a, const Tensor& b, const Tensor& c) {
  if (!a.on_host()) return a;
  return !b.on_host() ? b : c;
}

struct Bounds {
  std::optional<Scalar> low, high;
};

/// An integer dtype takes bounds inside its range only; one beyond it is moved to the end of the
/// range.
Scalar into_range(Scalar bound, DType dtype) {
  if (of_kind(kind_of(dtype), true, false, true, false)) return bound;
  const int bits = static_cast<int>(itemsize(dtype)) * 8;
  const bool is_signed = dtype_info(dtype).is_signed;
  if (dtype == DType::kUInt64)
    return bound.is_huge() || bound.as_int64() >= 0 ? bound : Scalar::integer(0);
  const std::int64_t highest = is_signed ? std::numeric_limits<std::int64_t>::max() >> (64 - bits)
                                         : (std::int64_t{1} << bits) - 1;
  const std::int64_t lowest = is_signed ? -highest - 1 : 0;
  if (bound.is_huge()) return Scalar::integer(highest);
  return Scalar::integer(std::clamp(bound.as_int64(), lowest, highest));
}

DType clamp_dtype(const Tensor& input, const Bounds& bounds) {
  GPUKIT_CHECK(bounds.low || bounds.high, ValueError,
               "clamp: neither min nor max is given. Pass at least one.");
  DType dtype = input.dtype();
  for (const std::optional<Scalar>& bound : {bounds.low, bounds.high}) {
    if (bound) dtype = promote_with_scalar(dtype, bound->kind(), default_floating());
  }
  check_real("clamp", dtype);
  GPUKIT_CHECK(of_kind(kind_of(dtype), false, true, true, false), DTypeError,
               "clamp: not defined for ", name(dtype),
               " tensors. Convert with .to('int64') first.");
  return dtype;
}

bool is_nan(const std::optional<Scalar>& bound) {
  return bound && bound->is_floating() && std::isnan(bound->as_double());
}

/// `in` has the dtype of `out`.
void run_clamp(const Tensor& out, const Tensor& in, const Bounds& bounds) {
  if (out.count() == 0) return;
  if (is_nan(bounds.low) || is_nan(bounds.high)) {
    fill_(out, Scalar::floating(std::numeric_limits<double>::quiet_NaN()));
    return;
  }
  const Call call(out);
  ClampArgs args;
  args.shape = out.shape();
  args.out = operand(out);
  args.in = operand(in, out.shape());
  args.has_low = bounds.low.has_value();
  args.has_high = bounds.high.has_value();
  if (bounds.low) args.low = into_range(*bounds.low, out.dtype());
  if (bounds.high) args.high = into_range(*bounds.high, out.dtype());
  merge_operands(args.shape, args.out, args.in);
  call.use(out, in);
  call.ops.clamp(args, call.stream);
}

}  // namespace

void run_where(const Tensor& out, const Tensor& condition, const Tensor& left,
               const Tensor& right) {
  if (out.count() == 0) return;
  if (is_complex(out.dtype())) [[unlikely]] {
    run_where(real_part(out), condition, real_part(left), real_part(right));
    return run_where(imag_part(out), condition, imag_part(left), imag_part(right));
  }
  const Call call(out);
  WhereArgs args;
  args.shape = out.shape();
  args.out = operand(out);
  args.condition = operand(condition, out.shape());
  args.left = operand(left, out.shape());
  args.right = operand(right, out.shape());
  merge_operands(args.shape, args.out, args.condition, args.left, args.right);
  call.use(out, condition, left, right);
  call.ops.where(args, call.stream);
}

Tensor where(const Tensor& condition, const Tensor& left, const Tensor& right, const Tensor* out) {
  if (condition.dtype() != DType::kBool) {
    throw DTypeError(
        concat("where: condition is ", name(condition.dtype()), ", not bool. Use condition != 0."))
        .with_fix("condition != 0");
  }
  const Tensor& main = first_device_operand(condition, left, right);
  const Tensor test = transfer_scalar(condition, main);
  const DType dtype = result_dtype(left, right);
  const Tensor a = cast(transfer_scalar(left, main), dtype);
  const Tensor b = cast(transfer_scalar(right, main), dtype);
  check_same_device("where", test, a);
  check_same_device("where", a, b);
  const Shape shape =
      broadcast_shapes(broadcast_shapes(a.shape(), b.shape(), "where"), test.shape(), "where");
  check_shape(shape, itemsize(dtype), "where");
  Tensor made = result_of_elements(out, test.open_device(), shape, dtype, test, a, b);
  run_where(made, test, a, b);
  return made;
}

Tensor clamp(const Tensor& input, std::optional<Scalar> low, std::optional<Scalar> high,
             const Tensor* out) {
  const Bounds bounds{low, high};
  const Tensor in = cast(input, clamp_dtype(input, bounds));
  Tensor made = result_of_elements(out, in.open_device(), in.shape(), in.dtype(), in);
  run_clamp(made, in, bounds);
  return made;
}

void clamp_(const Tensor& target, std::optional<Scalar> low, std::optional<Scalar> high) {
  check_target("clamp_", target);
  const Bounds bounds{low, high};
  const DType dtype = clamp_dtype(target, bounds);
  GPUKIT_CHECK(can_store(dtype, target.dtype()), DTypeError, "clamp_: the bounds make the result ",
               name(dtype), ", which cannot be stored in X of ", name(target.dtype()),
               ". Use X.clamp(...) or whole bounds.");
  run_clamp(target, target, bounds);
  target.storage()->bump_version();
}

}  // namespace gpukit::ops
