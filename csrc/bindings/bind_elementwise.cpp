// Functions that work element by element, as functions and methods.
#include <pybind11/cast.h>

#include <algorithm>

#include "autograd/elementwise.h"
#include "autograd/grad_mode.h"
#include "autograd/record.h"
#include "autograd/training.h"
#include "base/check.h"
#include "base/error.h"
#include "bindings/scaled_sum.h"
#include "bindings/signature.h"
#include "bindings/work.h"
#include "ops/compare.h"
#include "ops/creation.h"
#include "ops/out_target.h"
#include "ops/promotion.h"

namespace gpukit::bindings {

namespace {

template <UnaryOp Op>
PyObject* unary(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  const double cost =
      Op <= UnaryOp::kSquare || Op == UnaryOp::kRelu ? cost::kArithmetic : cost::kFunction;
  const bool release = is_long(input, input.count(), cost, site_of(kUnaryFamily, Op));
  return wrap(run(release, [&] { return autograd::unary(Op, input); }));
}

/// `other` is a tensor or a number; `input` may be a number when `other` is a tensor.
PyObject* apply(BinaryOp op, const Arguments& a, PyObject* left, PyObject* right) {
  const bool left_number = is_number(left);
  if (is_number(right)) {
    const Tensor& tensor = to_tensor(a.place(0), left);
    const Scalar scalar = to_scalar(a.place(1), right, tensor.dtype());
    const bool release =
        is_long(tensor, tensor.count(), cost::kArithmetic, site_of(kScalarFamily, op));
    return wrap(run(release, [&] { return autograd::binary(op, tensor, scalar); }));
  }
  const Tensor& other = to_tensor(a.place(1), right);
  if (left_number) {
    const Scalar scalar = to_scalar(a.place(0), left, other.dtype());
    const bool release =
        is_long(other, other.count(), cost::kArithmetic, site_of(kScalarFamily, op));
    return wrap(run(release, [&] { return autograd::binary(op, scalar, other); }));
  }
  const Tensor& input = to_tensor(a.place(0), left);
  const bool release = is_long(input.rank() == 0 ? other : input, broadcast_count(input, other),
                               cost::kArithmetic, site_of(kBinaryFamily, op));
  return wrap(run(release, [&] { return autograd::binary(op, input, other); }));
}

template <BinaryOp Op>
PyObject* binary(const Arguments& a) {
  return apply(Op, a, a[0], a[1]);
}

/// add and sub: other is multiplied by alpha first.
template <BinaryOp Op>
PyObject* with_alpha(const Arguments& a) {
  return a.given(2) ? scaled_sum(Op, a) : apply(Op, a, a[0], a[1]);
}

py::object applied(BinaryOp op, const Arguments& a, PyObject* left, PyObject* right) {
  return py::reinterpret_steal<py::object>(apply(op, a, left, right));
}

bool is_integer(PyObject* operand) {
  return is_tensor(operand) ? !is_floating(tensor_of(operand).dtype())
                            : PyIndex_Check(operand) != 0;
}

/// The quotient of integers without its fraction: one more than the floor where that is negative
/// and there is a remainder.
PyObject* truncated_integers(const Arguments& a) {
  py::object floor, inexact;
  {
    const ops::OutTarget apart;  // out takes the sum, not these
    floor = applied(BinaryOp::kFloorDivide, a, a[0], a[1]);
    const py::object rest = applied(BinaryOp::kRemainder, a, a[0], a[1]);
    const py::object negative = applied(BinaryOp::kLt, a, floor.ptr(), py::int_(0).ptr());
    inexact = applied(BinaryOp::kLogicalAnd, a, negative.ptr(), rest.ptr());
  }
  return apply(BinaryOp::kAdd, a, floor.ptr(), inexact.ptr());
}

PyObject* rounded_quotient(const Arguments& a, std::string_view mode) {
  if (mode == "floor") return apply(BinaryOp::kFloorDivide, a, a[0], a[1]);
  if (is_integer(a[0]) && is_integer(a[1])) return truncated_integers(a);
  const py::object quotient = applied(BinaryOp::kDiv, a, a[0], a[1]);
  const Tensor& exact = tensor_of(quotient.ptr());
  return wrap(run(true, [&] { return autograd::unary(UnaryOp::kTrunc, exact); }));
}

/// A step function: its derivative is 0, also where the divisor is 0.
PyObject* without_slope(const Arguments& a, const py::object& quotient) {
  std::vector<Tensor> inputs;
  for (int i = 0; i < 2; ++i) {
    if (is_tensor(a[i])) inputs.push_back(tensor_of(a[i]));
  }
  if (!is_floating(tensor_of(quotient.ptr()).dtype()) ||
      !autograd::records(std::span<const Tensor>(inputs)))
    return py::object(quotient).release().ptr();
  const std::vector<Tensor> flat(inputs.size());
  return wrap(autograd::with_slopes("DivBackward2", tensor_of(quotient.ptr()), inputs, flat));
}

py::object unrecorded_quotient(const Arguments& a, std::string_view mode) {
  const autograd::NoGradScope scope;
  return py::reinterpret_steal<py::object>(rounded_quotient(a, mode));
}

/// What the steps of a rounded quotient refuse, in the words of the call that was made.
[[noreturn]] void throw_named(const Error& error, std::string_view call) {
  const std::string_view text = error.what();
  const std::string_view step = "floor_divide:";
  if (!text.starts_with(step)) throw;
  Error named(error.kind(), concat(call, ":", text.substr(step.size())), error.code());
  named.set_fix(error.fix());
  for (const auto& [key, value] : error.details()) named.add_detail(key, value);
  throw named;
}

PyObject* divide(const Arguments& a) {
  if (!a.given(2)) return apply(BinaryOp::kDiv, a, a[0], a[1]);
  const std::string mode = to_text(a.place(2), a[2]);
  GPUKIT_CHECK(mode == "floor" || mode == "trunc", ValueError, a.op(),
               ": rounding_mode must be None, 'floor' or 'trunc', got '", mode, "'");
  try {
    return without_slope(a, unrecorded_quotient(a, mode));
  } catch (const Error& error) {
    throw_named(error, concat(a.op(), "(rounding_mode='", mode, "')"));
  }
}

/// A number beside tensors takes the tensors' dtype unless its kind is higher, as in any mixed
/// operation.
Tensor number_as_tensor(Place place, PyObject* value, const Tensor* beside,
                        const Tensor& condition) {
  if (is_tensor(value)) return tensor_of(value);
  const Scalar scalar =
      to_scalar(place, value, beside != nullptr ? beside->dtype() : DType::kInt64);
  const DType own = scalar.is_floating()                   ? ops::default_floating()
                    : scalar.kind() == DTypeKind::kInteger ? DType::kInt64
                                                           : DType::kBool;
  const DType dtype = beside != nullptr ? ops::result_dtype(*beside, scalar) : own;
  if (!is_half(dtype)) check_fits(place, scalar, dtype);  // half types take it as inf, as in torch
  const Device device = condition.device();
  return run(!device.is_cpu(), [&] { return ops::full(Shape(), scalar, dtype, device, "where"); });
}

const Tensor* tensor_or_null(PyObject* value) {
  return is_tensor(value) ? &tensor_of(value) : nullptr;
}

PyObject* where(const Arguments& a) {
  const Tensor& condition = a.tensor(0);
  if (!a.given(1) && !a.given(2)) {
    return imported("gpukit._composed").attr("places")(py::handle(a.self())).release().ptr();
  }
  GPUKIT_CHECK(a.given(1) && a.given(2), TypeError,
               "where: give input and other, for the elements where condition is true and where it "
               "is not; or neither of them, for the places where it is true");
  GPUKIT_CHECK(condition.dtype() == DType::kBool, DTypeError, "where: condition must be bool, got ",
               name(condition.dtype()), ". Use condition != 0");
  const Tensor left = number_as_tensor(a.place(1), a[1], tensor_or_null(a[2]), condition);
  const Tensor right = number_as_tensor(a.place(2), a[2], tensor_or_null(a[1]), condition);
  const std::int64_t count = std::max(condition.count(), std::max(left.count(), right.count()));
  const bool release = is_long(condition, count, cost::kGather, site_of(kOtherFamily, 1));
  return wrap(run(release, [&] { return autograd::where(condition, left, right); }));
}

PyObject* round(const Arguments& a) {
  if (a.integer(1, 0) == 0) return unary<UnaryOp::kRound>(a);
  return imported("gpukit._composed")
      .attr("round_to")(py::handle(a.self()), a.integer(1, 0))
      .release()
      .ptr();
}

PyObject* clamp(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  const auto low = a.optional_scalar(1, input.dtype()), high = a.optional_scalar(2, input.dtype());
  GPUKIT_CHECK(low.has_value() || high.has_value(), ValueError,
               "clamp: at least one of min and max is needed");
  check_bounds(a.op(), input.dtype(), low, high);
  const bool release = is_long(input, input.count(), cost::kArithmetic, site_of(kOtherFamily, 2));
  return wrap(run(release, [&] { return autograd::clamp(input, low, high); }));
}

PyObject* isclose(const Arguments& a) {
  const Tensor &input = a.tensor(0), &other = a.tensor(1);
  const double rtol = a.number(2, 1e-5), atol = a.number(3, 1e-8);
  const bool equal_nan = a.boolean(4, false);
  return wrap(run(true, [&] { return ops::isclose(input, other, rtol, atol, equal_nan); }));
}

PyObject* allclose(const Arguments& a) {
  const Tensor &input = a.tensor(0), &other = a.tensor(1);
  const double rtol = a.number(2, 1e-5), atol = a.number(3, 1e-8);
  const bool equal_nan = a.boolean(4, false);
  return PyBool_FromLong(
      run(true, [&] { return ops::allclose(input, other, rtol, atol, equal_nan); }));
}

PyObject* equal(const Arguments& a) {
  const Tensor &input = a.tensor(0), &other = a.tensor(1);
  return PyBool_FromLong(run(true, [&] { return ops::equal(input, other); }));
}

template <UnaryOp Op>
constexpr FunctionRow one(const char* signature, const char* doc) {
  return {signature, unary<Op>, doc, kBoth};
}
template <BinaryOp Op>
constexpr FunctionRow two(const char* signature, const char* doc) {
  return {signature, binary<Op>, doc, kBoth};
}

// clang-format off
constexpr FunctionRow kElementwiseRows[] = {
  one<UnaryOp::kNeg>("neg(input)", "-input, element by element."),
  one<UnaryOp::kNeg>("negative(input)", "-input, element by element."),
  one<UnaryOp::kAbs>("abs(input)", "Absolute values."),
  one<UnaryOp::kAbs>("absolute(input)", "Absolute values."),
  one<UnaryOp::kSign>("sign(input)", "-1, 0 or 1 by the sign of each element."),
  one<UnaryOp::kSquare>("square(input)", "Squares."),
  one<UnaryOp::kSqrt>("sqrt(input)", "Square roots; integers become floating.\n\nExample:\n    >>> import gpukit\n    >>> gpukit.sqrt(gpukit.tensor([4.0, 9.0]))\n    tensor([2., 3.])\n"),
  one<UnaryOp::kRsqrt>("rsqrt(input)", "1 / sqrt(input)."),
  one<UnaryOp::kReciprocal>("reciprocal(input)", "1 / input."),
  one<UnaryOp::kExp>("exp(input)", "e to the power of each element.\n\nExample:\n    >>> import gpukit\n    >>> gpukit.exp(gpukit.zeros(2))\n    tensor([1., 1.])\n"),
  one<UnaryOp::kExpm1>("expm1(input)", "exp(input) - 1, exact near 0."),
  one<UnaryOp::kLog>("log(input)", "Natural logarithm."),
  one<UnaryOp::kLog1p>("log1p(input)", "log(1 + input), exact near 0."),
  one<UnaryOp::kLog2>("log2(input)", "Logarithm to base 2."),
  one<UnaryOp::kLog10>("log10(input)", "Logarithm to base 10."),
  one<UnaryOp::kSin>("sin(input)", "Sine of radians."),
  one<UnaryOp::kCos>("cos(input)", "Cosine of radians."),
  one<UnaryOp::kTan>("tan(input)", "Tangent of radians."),
  one<UnaryOp::kAsin>("asin(input)", "Inverse sine, in radians."),
  one<UnaryOp::kAcos>("acos(input)", "Inverse cosine, in radians."),
  one<UnaryOp::kAtan>("atan(input)", "Inverse tangent, in radians."),
  one<UnaryOp::kSinh>("sinh(input)", "Hyperbolic sine."),
  one<UnaryOp::kCosh>("cosh(input)", "Hyperbolic cosine."),
  one<UnaryOp::kTanh>("tanh(input)", "Hyperbolic tangent."),
  one<UnaryOp::kAsinh>("asinh(input)", "Inverse hyperbolic sine."),
  one<UnaryOp::kAcosh>("acosh(input)", "Inverse hyperbolic cosine."),
  one<UnaryOp::kAtanh>("atanh(input)", "Inverse hyperbolic tangent."),
  one<UnaryOp::kSigmoid>("sigmoid(input)", "1 / (1 + exp(-input))."),
  one<UnaryOp::kRelu>("relu(input)", "max(input, 0)."),
  one<UnaryOp::kErf>("erf(input)", "Error function: 2 / sqrt(pi) times the integral of exp(-t * t) from 0 to x."),
  one<UnaryOp::kGelu>("gelu(input)", "x * Phi(x) with the normal distribution function: x / 2 * (1 + erf(x / sqrt(2))) (Hendrycks and Gimpel, 2016)."),
  one<UnaryOp::kFloor>("floor(input)", "Largest integers not above the elements; the dtype stays."),
  one<UnaryOp::kCeil>("ceil(input)", "Smallest integers not below the elements; the dtype stays."),
  {"round(input, *, decimals=0)", round, "Nearest integers, or multiples of 10 to the power of -decimals; halves to even. The dtype stays.", kBoth},
  one<UnaryOp::kTrunc>("trunc(input)", "Fractions cut off; the dtype stays."),
  one<UnaryOp::kBitwiseNot>("bitwise_not(input)", "Bits turned over; of bool, not."),
  one<UnaryOp::kLogicalNot>("logical_not(input)", "True where the element is 0."),
  one<UnaryOp::kIsNan>("isnan(input)", "True where the element is not a number."),
  one<UnaryOp::kIsInf>("isinf(input)", "True where the element is infinite."),
  one<UnaryOp::kIsFinite>("isfinite(input)", "True where the element is neither infinite nor NaN."),
  one<UnaryOp::kSignbit>("signbit(input)", "True where the sign bit is set, also of -0."),
  {"add(input, other, *, alpha=1)", with_alpha<BinaryOp::kAdd>,
   "input + alpha * other, broadcast.\n\n"
   "Example:\n    >>> import gpukit\n    >>> gpukit.add(gpukit.ones(2), 1)\n    tensor([2., 2.])\n"},
  {"sub(input, other, *, alpha=1)", with_alpha<BinaryOp::kSub>, "input - alpha * other, broadcast."},
  {"subtract(input, other, *, alpha=1)", with_alpha<BinaryOp::kSub>, "input - alpha * other, broadcast."},
  two<BinaryOp::kMul>("mul(input, other)", "input * other, broadcast."),
  two<BinaryOp::kMul>("multiply(input, other)", "input * other, broadcast."),
  {"div(input, other, *, rounding_mode=None)", divide,
   "input / other, broadcast; integers give floating. rounding_mode 'floor' or 'trunc' rounds the quotient."},
  {"divide(input, other, *, rounding_mode=None)", divide, "The same as div."},
  two<BinaryOp::kDiv>("true_divide(input, other)", "input / other, broadcast; integers give floating."),
  two<BinaryOp::kFloorDivide>("floor_divide(input, other)", "Quotient rounded down."),
  two<BinaryOp::kRemainder>("remainder(input, other)", "input - other * floor(input / other): the sign of other, as % in Python."),
  two<BinaryOp::kPow>("pow(input, exponent)", "input to the power of exponent."),
  two<BinaryOp::kMaximum>("maximum(input, other)", "The larger of each pair; NaN wins."),
  two<BinaryOp::kMinimum>("minimum(input, other)", "The smaller of each pair; NaN wins."),
  two<BinaryOp::kAtan2>("atan2(input, other)", "Angle of the point (other, input), in radians."),
  two<BinaryOp::kHypot>("hypot(input, other)", "Root of the sum of squares."),
  two<BinaryOp::kCopysign>("copysign(input, other)", "Size of input with the sign of other."),
  two<BinaryOp::kLogaddexp>("logaddexp(input, other)", "log(exp(input) + exp(other)) without overflow."),
  two<BinaryOp::kNextafter>("nextafter(input, other)", "The next number from input towards other."),
  two<BinaryOp::kBitwiseAnd>("bitwise_and(input, other)", "Bits set in both; of bool, and."),
  two<BinaryOp::kBitwiseOr>("bitwise_or(input, other)", "Bits set in one at least; of bool, or."),
  two<BinaryOp::kBitwiseXor>("bitwise_xor(input, other)", "Bits set in exactly one."),
  two<BinaryOp::kShiftLeft>("bitwise_left_shift(input, other)", "Bits moved to higher places."),
  two<BinaryOp::kShiftRight>("bitwise_right_shift(input, other)", "Bits moved to lower places; the sign stays."),
  two<BinaryOp::kEq>("eq(input, other)", "True where the elements are equal."),
  two<BinaryOp::kNe>("ne(input, other)", "True where the elements differ."),
  two<BinaryOp::kNe>("not_equal(input, other)", "True where the elements differ."),
  two<BinaryOp::kLt>("lt(input, other)", "True where input < other."),
  two<BinaryOp::kLt>("less(input, other)", "True where input < other."),
  two<BinaryOp::kLe>("le(input, other)", "True where input <= other."),
  two<BinaryOp::kLe>("less_equal(input, other)", "True where input <= other."),
  two<BinaryOp::kGt>("gt(input, other)", "True where input > other."),
  two<BinaryOp::kGt>("greater(input, other)", "True where input > other."),
  two<BinaryOp::kGe>("ge(input, other)", "True where input >= other."),
  two<BinaryOp::kGe>("greater_equal(input, other)", "True where input >= other."),
  two<BinaryOp::kLogicalAnd>("logical_and(input, other)", "True where both are not 0."),
  two<BinaryOp::kLogicalOr>("logical_or(input, other)", "True where one at least is not 0."),
  two<BinaryOp::kLogicalXor>("logical_xor(input, other)", "True where exactly one is not 0."),
  {"where(condition, input=None, other=None)", where,
   "input where condition is true, else other; all three broadcast. Numbers are allowed.\n"
   "Without input and other, the places where it is true: an index tensor for each dimension.\n\n"
   "Example:\n    >>> import gpukit\n    >>> x = gpukit.tensor([-1.0, 2.0])\n    >>> gpukit.where(x > 0, x, 0.0)\n    tensor([0., 2.])\n", kFunction},
  {"clamp(input, min=None, max=None)", clamp,
   "Limited to [min, max]; NaN stays.\n\nExample:\n    >>> import gpukit\n    >>> gpukit.clamp(gpukit.tensor([-1.0, 5.0]), min=0, max=1)\n    tensor([0., 1.])\n"},
  {"clip(input, min=None, max=None)", clamp, "The same as clamp."},
  {"isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False)", isclose,
   "True where |input - other| <= atol + rtol * |other|."},
  {"allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False)", allclose,
   "True when all elements are close. Waits for the answer.", kBoth | kWaits, "bool"},
  {"equal(input, other)", equal, "True when shapes and all elements are equal. Waits for the answer.", kBoth | kWaits, "bool"},
};
// clang-format on

}  // namespace

FunctionTable& elementwise_functions() { return function_table<kElementwiseRows>(); }

}  // namespace gpukit::bindings
