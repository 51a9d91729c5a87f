#include "bindings/scaled_sum.h"

#include <pybind11/cast.h>

#include <algorithm>

#include "autograd/elementwise.h"
#include "autograd/scaled.h"
#include "base/check.h"
#include "base/error.h"
#include "bindings/work.h"
#include "ops/promotion.h"

namespace gpukit::bindings {

namespace {

constexpr int kInput = 0, kOther = 1, kAlpha = 2;

/// One of the two at least is a tensor.
DType result_of(const Arguments& a) {
  if (is_number(a[kOther])) {
    const Tensor& input = a.tensor(kInput);
    return ops::result_dtype(input, a.scalar(kOther, input.dtype()));
  }
  const Tensor& other = a.tensor(kOther);
  if (is_number(a[kInput])) return ops::result_dtype(other, a.scalar(kInput, other.dtype()));
  return ops::result_dtype(a.tensor(kInput), other);
}

/// alpha as a factor in the dtype of the result.
Scalar factor_of(const Arguments& a, DType result) {
  const Scalar alpha = a.scalar(kAlpha, working_dtype(result));
  GPUKIT_CHECK(alpha.kind() != DTypeKind::kBool || result == DType::kBool, DTypeError, a.op(),
               ": alpha is a bool, which is for results of bool only; this one is ", name(result),
               ". Use 0 or 1.");
  GPUKIT_CHECK(
      alpha.kind() <= std::max(kind_of(result), DTypeKind::kInteger), DTypeError, a.op(),
      ": alpha is ", py::repr(a[kAlpha]).cast<std::string>(), ", but the result is ", name(result),
      alpha.kind() == DTypeKind::kComplex ? ". Use a real number, or X.to(gpukit.complex64) first."
                                          : ". Use a whole number, or X.float() first.");
  check_fits(a.argument(kAlpha), alpha, working_dtype(result));
  return result == DType::kBool ? Scalar::boolean(alpha.as_bool()) : alpha;
}

/// A number times alpha; integers wrap around as elements do.
Scalar scaled_number(Scalar number, Scalar alpha, DType result) {
  const std::uint64_t product = number.as_uint64() * alpha.as_uint64();
  switch (kind_of(result)) {
    case DTypeKind::kBool:
      return Scalar::boolean(number.as_bool() && alpha.as_bool());
    case DTypeKind::kInteger:
      if (result == DType::kUInt64) return Scalar::unsigned_integer(product);
      return Scalar::integer(static_cast<std::int64_t>(product));
    case DTypeKind::kFloating:
      return Scalar::floating(number.as_double() * alpha.as_double());
    case DTypeKind::kComplex:
      return Scalar::complex(number.as_complex() * alpha.as_complex());
  }
  __builtin_unreachable();
}

/// What a call says, read while Python's lock is held.
struct Call {
  DType result;
  Scalar alpha;
  const Tensor* input = nullptr;  ///< null when it is a number
  const Tensor* other = nullptr;
  Scalar number;  ///< the operand that is not a tensor; other is multiplied already
};

Call read(const Arguments& a) {
  Call call{.result = result_of(a), .alpha = {}, .number = {}};
  call.alpha = factor_of(a, call.result);
  if (is_number(a[kOther])) {
    call.input = &a.tensor(kInput);
    call.number = scaled_number(a.scalar(kOther, call.input->dtype()), call.alpha, call.result);
    return call;
  }
  call.other = &a.tensor(kOther);
  if (is_number(a[kInput])) {
    call.number = a.scalar(kInput, call.other->dtype());
  } else {
    call.input = &a.tensor(kInput);
  }
  return call;
}

Tensor scaled_tensor(const Call& call) {
  return autograd::scaled(autograd::cast(*call.other, working_dtype(call.result)), call.alpha);
}

Tensor sum_with(BinaryOp op, const Call& call, const Tensor& scaled, const Tensor* out) {
  if (call.input == nullptr) return autograd::binary(op, call.number, scaled, out);
  return autograd::binary(op, autograd::cast(*call.input, scaled.dtype()), scaled, out);
}

Tensor sum_of(BinaryOp op, const Call& call, const Tensor* out) {
  if (call.other == nullptr) return autograd::binary(op, *call.input, call.number, out);
  const Tensor scaled = scaled_tensor(call);
  if (scaled.dtype() == call.result) return sum_with(op, call, scaled, out);
  return autograd::cast(sum_with(op, call, scaled, nullptr), call.result);
}

bool sum_releases_gil(BinaryOp op, const Call& call) {
  if (call.input != nullptr && call.other != nullptr)
    return releases_gil(op, *call.input, *call.other);
  return gil_rule(op).releases(call.input != nullptr ? *call.input : *call.other);
}

}  // namespace

PyObject* scaled_sum(BinaryOp op, const Arguments& a) {
  const Call call = read(a);
  return wrap(run(sum_releases_gil(op, call), [&] { return sum_of(op, call, a.out()); }));
}

void scaled_sum_(BinaryOp op, const Arguments& a) {
  const Call call = read(a);
  run(sum_releases_gil(op, call), [&] {
    if (call.other == nullptr) return autograd::binary_(op, *call.input, call.number);
    autograd::binary_(op, *call.input, scaled_tensor(call));
  });
}

}  // namespace gpukit::bindings
