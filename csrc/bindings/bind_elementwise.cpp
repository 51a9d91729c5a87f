// Functions that work element by element, as functions and methods.
#include <pybind11/cast.h>

#include <algorithm>

#include "autograd/elementwise.h"
#include "autograd/grad_mode.h"
#include "autograd/record.h"
#include "autograd/training.h"
#include "base/check.h"
#include "base/error.h"
#include "bindings/elementwise_docs.h"
#include "bindings/row_texts.h"
#include "bindings/scaled_sum.h"
#include "bindings/signature.h"
#include "bindings/work.h"
#include "ops/compare.h"
#include "ops/creation.h"
#include "ops/elementwise_table.h"
#include "ops/promotion.h"

namespace gpukit::bindings {

namespace {

PyObject* unary(UnaryOp op, const Arguments& a) {
  const Tensor& input = a.tensor(0);
  return wrap(
      run(gil_rule(op).releases(input), [&] { return autograd::unary(op, input, a.out()); }));
}

/// `other` is a tensor or a number; `input` may be a number when `other` is a tensor. The result is
/// made in `out` if it fits. `call`: what errors name, "div(rounding_mode='floor')"; the operator
/// where empty.
PyObject* apply(BinaryOp op, const Arguments& a, PyObject* left, PyObject* right, const Tensor* out,
                std::string_view call = {}) {
  const bool left_number = is_number(left);
  if (is_number(right)) {
    const Tensor& tensor = to_tensor(a.argument(0), left);
    const Scalar scalar = to_scalar(a.argument(1), right, tensor.dtype());
    if (!call.empty()) ops::check_operands(op, tensor, scalar, call);
    const bool release = gil_rule(op).releases(tensor);
    return wrap(run(release, [&] { return autograd::binary(op, tensor, scalar, out); }));
  }
  const Tensor& other = to_tensor(a.argument(1), right);
  if (left_number) {
    const Scalar scalar = to_scalar(a.argument(0), left, other.dtype());
    if (!call.empty()) ops::check_operands(op, other, scalar, call);
    const bool release = gil_rule(op).releases(other);
    return wrap(run(release, [&] { return autograd::binary(op, scalar, other, out); }));
  }
  const Tensor& input = to_tensor(a.argument(0), left);
  if (!call.empty()) ops::check_operands(op, input, other, call);
  const bool release = releases_gil(op, input, other);
  return wrap(run(release, [&] { return autograd::binary(op, input, other, out); }));
}

/// add and sub: other is multiplied by alpha first.
PyObject* with_alpha(BinaryOp op, const Arguments& a) {
  return a.given(2) ? scaled_sum(op, a) : apply(op, a, a[0], a[1], a.out());
}

/// A step on the way to the result.
py::object applied(BinaryOp op, const Arguments& a, PyObject* left, PyObject* right,
                   std::string_view call = {}) {
  return py::reinterpret_steal<py::object>(apply(op, a, left, right, nullptr, call));
}

bool is_integer(PyObject* operand) {
  return is_tensor(operand) ? of_kind(kind_of(tensor_of(operand).dtype()), true, true, false, false)
                            : PyIndex_Check(operand) != 0;
}

/// The quotient of integers without its fraction: one more than the floor where that is negative
/// and there is a remainder.
PyObject* truncated_integers(const Arguments& a, std::string_view call) {
  const py::object floor = applied(BinaryOp::kFloorDivide, a, a[0], a[1], call);
  const py::object rest = applied(BinaryOp::kRemainder, a, a[0], a[1]);
  const py::object negative = applied(BinaryOp::kLt, a, floor.ptr(), py::int_(0).ptr());
  const py::object inexact = applied(BinaryOp::kLogicalAnd, a, negative.ptr(), rest.ptr());
  return apply(BinaryOp::kAdd, a, floor.ptr(), inexact.ptr(), a.out());
}

PyObject* rounded_quotient(const Arguments& a, std::string_view mode) {
  const std::string call = concat(a.op(), "(rounding_mode='", mode, "')");
  if (mode == "floor") return apply(BinaryOp::kFloorDivide, a, a[0], a[1], a.out(), call);
  if (is_integer(a[0]) && is_integer(a[1])) return truncated_integers(a, call);
  const py::object quotient = applied(BinaryOp::kDiv, a, a[0], a[1], call);
  const Tensor& exact = tensor_of(quotient.ptr());
  const bool release = gil_rule(UnaryOp::kTrunc).releases(exact);
  return wrap(run(release, [&] { return autograd::unary(UnaryOp::kTrunc, exact, a.out()); }));
}

/// A step function: its derivative is 0, also where the divisor is 0.
PyObject* without_slope(const Arguments& a, const py::object& quotient) {
  std::vector<Tensor> inputs;
  for (int i = 0; i < 2; ++i) {
    if (is_tensor(a[i])) inputs.push_back(tensor_of(a[i]));
  }
  const Tensor& value = tensor_of(quotient.ptr());
  const Tensor result = autograd::without_slope("DivBackward2", value, inputs);
  if (result.is_same(value)) return py::object(quotient).release().ptr();
  return wrap(result);
}

py::object unrecorded_quotient(const Arguments& a, std::string_view mode) {
  const autograd::NoGradScope scope;
  return py::reinterpret_steal<py::object>(rounded_quotient(a, mode));
}

/// True where the call has the parameter; true_divide has none, and may have `out` in that
/// position.
bool has_rounding_mode(const Arguments& a) {
  return a.size() > 2 && a.argument(2).name == "rounding_mode" && a.given(2);
}

PyObject* divide(const Arguments& a) {
  if (!has_rounding_mode(a)) return apply(BinaryOp::kDiv, a, a[0], a[1], a.out());
  const std::string mode = to_text(a.argument(2), a[2]);
  GPUKIT_CHECK(mode == "floor" || mode == "trunc", ValueError, a.op(),
               ": rounding_mode must be None, 'floor' or 'trunc', got '", mode, "'");
  return without_slope(a, unrecorded_quotient(a, mode));
}

PyObject* round(const Arguments& a) {
  if (a.integer(1, 0) == 0) return unary(UnaryOp::kRound, a);
  return imported("gpukit._operators.composed")
      .attr("round_to")(py::handle(a.self()), a.integer(1, 0))
      .release()
      .ptr();
}

/// With eps, of the input clamped first.
PyObject* logit(const Arguments& a) {
  if (!a.given(1)) return unary(UnaryOp::kLogit, a);
  const Tensor& input = a.tensor(0);
  const double eps = a.number(1, 0.0);
  return wrap(run(a.gil().releases(input), [&] {
    const Tensor clamped =
        autograd::clamp(input, Scalar::floating(eps), Scalar::floating(1.0 - eps));
    return autograd::unary(UnaryOp::kLogit, clamped, a.out());
  }));
}

PyObject* polygamma(const Arguments& a) {
  const int order = a.argument(0).name == "n" ? 0 : 1;
  const std::int64_t n = a.integer(order);
  GPUKIT_CHECK(n >= 0, ValueError, "polygamma: n must not be negative, got ", n);
  const Tensor& input = a.tensor(1 - order);
  const Scalar scalar = Scalar::floating(static_cast<double>(n));
  return wrap(run(a.gil().releases(input),
                  [&] { return autograd::binary(BinaryOp::kPolygamma, scalar, input, a.out()); }));
}

/// The function that a row of the table calls. Rows with more parameters have their own function.
template <UnaryOp op>
PyObject* call(const Arguments& a) {
  if constexpr (op == UnaryOp::kRound) return round(a);
  if constexpr (op == UnaryOp::kLogit) return logit(a);
  return unary(op, a);
}
template <BinaryOp op>
PyObject* call(const Arguments& a) {
  if constexpr (op == BinaryOp::kAdd || op == BinaryOp::kSub) return with_alpha(op, a);
  if constexpr (op == BinaryOp::kDiv) return divide(a);
  return apply(op, a, a[0], a[1], a.out());
}

PyObject* unary_in_place(UnaryOp op, const Arguments& a) {
  const Tensor& target = a.tensor(0);
  run(gil_rule(op).releases(target), [&] { autograd::unary_(op, target); });
  return Py_NewRef(a.self());
}

PyObject* binary_in_place(BinaryOp op, const Arguments& a) {
  const Tensor& target = a.tensor(0);
  const bool release = gil_rule(op).releases(target);
  if (is_number(a[1])) {
    const Scalar scalar = a.scalar(1, target.dtype());
    run(release, [&] { autograd::binary_(op, target, scalar); });
  } else {
    const Tensor& other = a.tensor(1);
    run(release, [&] { autograd::binary_(op, target, other); });
  }
  return Py_NewRef(a.self());
}

/// In place by way of a new tensor: target = call(a).
PyObject* assigned(PyObject* (*make)(const Arguments& a), const Arguments& a) {
  const Tensor& target = a.tensor(0);
  const py::object made = py::reinterpret_steal<py::object>(make(a));
  if (!made) throw_python_error();
  const Tensor& result = tensor_of(made.ptr());
  GPUKIT_CHECK(ops::can_store(result.dtype(), target.dtype()), DTypeError, a.op(),
               ": the result is ", name(result.dtype()), ", which cannot be stored in X of ",
               name(target.dtype()), ". Use the form that gives a new tensor.");
  GPUKIT_CHECK(result.shape() == target.shape(), ShapeError, a.op(), ": the result of shape ",
               to_string(result.shape()), " does not fit into X of shape ",
               to_string(target.shape()), ". Use the form that gives a new tensor.");
  run(a.gil().releases(target), [&] { autograd::copy_(target, result); });
  return Py_NewRef(a.self());
}

template <UnaryOp op>
PyObject* call_in_place(const Arguments& a) {
  if constexpr (op == UnaryOp::kRound) {
    if (a.integer(1, 0) != 0) return assigned(round, a);
  }
  if constexpr (op == UnaryOp::kLogit) {
    if (a.given(1)) return assigned(logit, a);
  }
  return unary_in_place(op, a);
}
template <BinaryOp op>
PyObject* call_in_place(const Arguments& a) {
  if constexpr (op == BinaryOp::kAdd || op == BinaryOp::kSub) {
    if (!a.given(2)) return binary_in_place(op, a);
    scaled_sum_(op, a);
    return Py_NewRef(a.self());
  }
  if constexpr (op == BinaryOp::kDiv) {
    if (has_rounding_mode(a)) return assigned(divide, a);
  }
  return binary_in_place(op, a);
}

/// A number beside tensors takes the tensors' dtype unless its kind is higher, as in any mixed
/// operation.
Tensor number_as_tensor(Argument argument, PyObject* value, const Tensor* other,
                        const Tensor& condition) {
  if (is_tensor(value)) return tensor_of(value);
  const Scalar scalar =
      to_scalar(argument, value, other != nullptr ? other->dtype() : DType::kInt64);
  const DType dtype =
      other != nullptr ? ops::result_dtype(*other, scalar) : ops::number_dtype(scalar);
  if (!is_half(dtype))
    check_fits(argument, scalar, dtype);  // half types take it as inf, as in torch
  const Device device = condition.device();
  return run(device.is_accelerator(),
             [&] { return ops::full(Shape(), scalar, dtype, device, "where"); });
}

const Tensor* tensor_or_null(PyObject* value) {
  return is_tensor(value) ? &tensor_of(value) : nullptr;
}

PyObject* where(const Arguments& a) {
  const Tensor& condition = a.tensor(0);
  if (!a.given(1) && !a.given(2)) {
    return imported("gpukit._operators.composed")
        .attr("nonzero_indices")(py::handle(a.self()))
        .release()
        .ptr();
  }
  GPUKIT_CHECK(a.given(1) && a.given(2), TypeError,
               "where: give input and other, for the elements where condition is true and where it "
               "is not; or neither of them, for the indices where it is true");
  GPUKIT_CHECK(condition.dtype() == DType::kBool, DTypeError, "where: condition must be bool, got ",
               name(condition.dtype()), ". Use condition != 0");
  const Tensor left = number_as_tensor(a.argument(1), a[1], tensor_or_null(a[2]), condition);
  const Tensor right = number_as_tensor(a.argument(2), a[2], tensor_or_null(a[1]), condition);
  const std::int64_t count = std::max(condition.count(), std::max(left.count(), right.count()));
  const bool release = a.gil().releases(condition, count);
  return wrap(run(release, [&] { return autograd::where(condition, left, right, a.out()); }));
}

PyObject* clamp(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  if ((a.given(1) && is_tensor(a[1])) || (a.given(2) && is_tensor(a[2]))) {
    const py::object function = imported("gpukit._operators.composed").attr("clamp");
    return function(**a.as_keywords()).release().ptr();
  }
  const auto low = a.optional_scalar(1, input.dtype()), high = a.optional_scalar(2, input.dtype());
  GPUKIT_CHECK(low.has_value() || high.has_value(), ValueError,
               "clamp: at least one of min and max is needed");
  check_bounds(a.op(), input.dtype(), low, high);
  return wrap(
      run(a.gil().releases(input), [&] { return autograd::clamp(input, low, high, a.out()); }));
}

PyObject* isclose(const Arguments& a) {
  const Tensor &input = a.tensor(0), &other = a.tensor(1);
  const double rtol = a.number(2, 1e-5), atol = a.number(3, 1e-8);
  const bool equal_nan = a.boolean(4, false);
  const bool release = a.gil().releases(input, broadcast_count(input, other));
  return wrap(run(release, [&] { return ops::isclose(input, other, rtol, atol, equal_nan); }));
}

PyObject* allclose(const Arguments& a) {
  const Tensor &input = a.tensor(0), &other = a.tensor(1);
  const double rtol = a.number(2, 1e-5), atol = a.number(3, 1e-8);
  const bool equal_nan = a.boolean(4, false);
  const bool release = a.gil().releases(input, broadcast_count(input, other));
  return PyBool_FromLong(
      run(release, [&] { return ops::allclose(input, other, rtol, atol, equal_nan); }));
}

template <class Op>
constexpr RowCost row_cost(Op op) {
  return cost::of(op);
}
constexpr unsigned where_is(Forms forms) { return ops::is_public(forms) ? kBoth : kNowhere; }
constexpr unsigned in_place_where(Forms forms) {
  return ops::has_in_place(forms) ? kMethod : kNowhere;
}
constexpr Out out_of(Forms forms) { return ops::has_out(forms) ? Out::kDirect : Out::kNone; }

// clang-format off
constexpr const char* example_of(UnaryOp op) {
  switch (op) {
#define GK_UNARY(code, name, parameters, domain, sign, cost, forms, sampled, value, derivative, meaning, example) \
  case UnaryOp::code: return example;
#include "kernels/elementwise.def"
    case UnaryOp::kCount: break;
  }
  return nullptr;
}

/// Without a rounding_mode the example of div is another one.
constexpr const char* example_of(BinaryOp op, std::string_view parameters) {
  if (op == BinaryOp::kDiv && !rounds(parameters))
    return ">>> gpukit.div(gpukit.tensor([1.0, 2.0]), 2)\n" "tensor([0.5000, 1.0000])";
  switch (op) {
#define GK_BINARY(code, name, parameters, domain, sign, cost, forms, left, right, value, derivative, meaning, example) \
  case BinaryOp::code: return example;
#include "kernels/elementwise.def"
    case BinaryOp::kCount: break;
  }
  return nullptr;
}

/// A comparison in place stores 1 and 0.
constexpr const char* in_place_example_of(BinaryOp op, std::string_view parameters) {
  switch (op) {
    case BinaryOp::kEq: return ">>> gpukit.eq(gpukit.tensor([1, 2]), 2)\ntensor([0, 1])";
    case BinaryOp::kNe: return ">>> gpukit.ne(gpukit.tensor([1, 2]), 2)\ntensor([1, 0])";
    case BinaryOp::kLt: return ">>> gpukit.lt(gpukit.tensor([1, 2]), 2)\ntensor([1, 0])";
    case BinaryOp::kLe: return ">>> gpukit.le(gpukit.tensor([1, 2]), 2)\ntensor([1, 1])";
    case BinaryOp::kGt: return ">>> gpukit.gt(gpukit.tensor([1, 2]), 2)\ntensor([0, 0])";
    case BinaryOp::kGe: return ">>> gpukit.ge(gpukit.tensor([1, 2]), 2)\ntensor([0, 1])";
    default: return example_of(op, parameters);
  }
}

/// The function and its form in place, of a row or of another name of it.
#define GPUKIT_UNARY_ROWS(name, of, code, parameters, meaning, in_place_meaning) \
  {.signature = #name "(" parameters ")", .call = call<UnaryOp::code>, .cost = row_cost(UnaryOp::code), .doc = meaning, \
   .docs = docs_of(UnaryOp::code), \
   .example = example_of(UnaryOp::code), .example_of = #of, \
   .where = where_is(ops::forms_of(UnaryOp::code)), .out = out_of(ops::forms_of(UnaryOp::code))}, \
  {.signature = #name "_(" parameters ")", .call = call_in_place<UnaryOp::code>, .cost = row_cost(UnaryOp::code), .doc = in_place_meaning, \
   .docs = in_place_docs_of(UnaryOp::code), \
   .example = example_of(UnaryOp::code), .example_of = #of, \
   .where = in_place_where(ops::forms_of(UnaryOp::code))},
#define GPUKIT_BINARY_ROWS(name, of, code, parameters, meaning, in_place_meaning) \
  {.signature = #name "(" parameters ")", .call = call<BinaryOp::code>, .cost = row_cost(BinaryOp::code), .doc = meaning, \
   .docs = docs_of(BinaryOp::code, parameters), \
   .example = example_of(BinaryOp::code, parameters), .example_of = #of, \
   .where = where_is(ops::forms_of(BinaryOp::code)), .out = out_of(ops::forms_of(BinaryOp::code)), \
   .input_type = "Tensor | Number"}, \
  {.signature = #name "_(" parameters ")", .call = call_in_place<BinaryOp::code>, .cost = row_cost(BinaryOp::code), .doc = in_place_meaning, \
   .docs = in_place_docs_of(BinaryOp::code, parameters), \
   .example = in_place_example_of(BinaryOp::code, parameters), .example_of = #of, \
   .where = in_place_where(ops::forms_of(BinaryOp::code))},

constexpr FunctionRow kElementwiseRows[] = {
#define GK_UNARY(code, name, parameters, domain, sign, cost, forms, sampled, value, derivative, meaning, example) \
  GPUKIT_UNARY_ROWS(name, name, code, parameters, meaning, "In place: " meaning)
#define GK_BINARY(code, name, parameters, domain, sign, cost, forms, left, right, value, derivative, meaning, example) \
  GPUKIT_BINARY_ROWS(name, name, code, parameters, meaning, "In place: " meaning)
#define GK_UNARY_ALIAS(alias, code, name, parameters) \
  GPUKIT_UNARY_ROWS(alias, name, code, parameters, "The same as " #name ".", "The same as " #name "_.")
#define GK_BINARY_ALIAS(alias, code, name, parameters) \
  GPUKIT_BINARY_ROWS(alias, name, code, parameters, "The same as " #name ".", "The same as " #name "_.")
#include "kernels/elementwise.def"
  {.signature = "zeta(input: Tensor | Number, other: Tensor | Number)", .call = call<BinaryOp::kZeta>, .cost = row_cost(BinaryOp::kZeta),
   .doc = "Hurwitz's zeta function: the sum of (other + k) ** -input over k = 0, 1, 2 and so on.",
   .docs = docs_of(BinaryOp::kZeta, ""),
   .example = ">>> gpukit.zeta(gpukit.tensor([2.0]), gpukit.tensor([1.0]))\n" "tensor([1.6449])",
   .where = kFunction, .out = Out::kDirect},
  {.signature = "polygamma(n: int, input: Tensor)", .call = polygamma, .cost = row_cost(BinaryOp::kPolygamma),
   .doc = "Derivative of order n of digamma.",
   .docs = kPolygammaDocs,
   .example = ">>> gpukit.polygamma(1, gpukit.tensor([1.0, 2.0]))\n" "tensor([1.6449, 0.6449])",
   .where = kFunction, .out = Out::kDirect},
  {.signature = "polygamma(input, n: int)", .call = polygamma, .cost = row_cost(BinaryOp::kPolygamma),
   .doc = "Derivative of order n of digamma.",
   .docs = kPolygammaDocs,
   .example = ">>> gpukit.tensor([1.0, 2.0]).polygamma(1)\n" "tensor([1.6449, 0.6449])",
   .where = kMethod},
  {.signature = "where(condition: Tensor, input: Tensor | Number | None = None, other=None)", .call = where, .cost = cost::kGather,
   .doc = "input where condition is true, else other; all three broadcast. Numbers are allowed.\nWithout input and other, the indices where it is true: an index tensor for each dimension.",
   .docs = kWhereDocs,
   .example = ">>> x = gpukit.tensor([-1.0, 2.0])\n" ">>> gpukit.where(x > 0, x, 0.0)\n" "tensor([0., 2.])",
   .where = kFunction, .out = Out::kDirect,
   .overloads = "(condition: Tensor) -> tuple[Tensor, ...]\n" "(condition: Tensor, input: Tensor | Number, other, *, out=None) -> Tensor"},
  {.signature = "clamp(input, min: Number | Tensor | None = None, max: Number | Tensor | None = None)", .call = clamp, .cost = cost::kArithmetic,
   .doc = "Limited to [min, max]; NaN stays.",
   .docs = {.parameters = "min: the lower bound, a number or a tensor that broadcasts; None is no bound.\nmax: the upper bound, likewise; it wins where min is above it.\n",
             .returns = "input's shape; the dtype that input and the bounds have in common.",
             .raises = "ValueError: neither min nor max is given.\nRangeError: a bound does not fit into the dtype.\n"},
   .example = ">>> gpukit.clamp(gpukit.tensor([-1.0, 5.0]), min=0, max=1)\n" "tensor([0., 1.])",
   .out = Out::kDirect},
  {.signature = "clip", .same_as = "clamp",
   .example = ">>> gpukit.clip(gpukit.tensor([-2, 0, 7]), 0, 5)\ntensor([0, 0, 5])"},
  {.signature = "isclose(input, other: Tensor, rtol=1e-05, atol=1e-08, equal_nan=False)", .call = isclose, .cost = cost::kPasses,
   .doc = "True where |input - other| <= atol + rtol * |other|.",
   .docs = {.parameters = "other: a tensor that broadcasts with input.\nrtol: tolerance relative to |other|.\natol: absolute tolerance.\nequal_nan: whether NaN is close to NaN.\n",
             .returns = "the broadcast shape; bool.",
             .raises = GPUKIT_RAISES_BROADCAST "DTypeError: uint64 with signed integers.\n"},
   .example = ">>> gpukit.isclose(gpukit.tensor([1.0, 2.0]), gpukit.tensor([1.0, 2.1]))\n" "tensor([ True, False])"},
  {.signature = "allclose(input, other: Tensor, rtol=1e-05, atol=1e-08, equal_nan=False) -> bool", .call = allclose, .cost = cost::kPasses,
   .doc = "True when all elements are close. Waits for the result.",
   .docs = {.parameters = "other: a tensor that broadcasts with input.\nrtol: tolerance relative to |other|.\natol: absolute tolerance.\nequal_nan: whether NaN is close to NaN.\n",
             .returns = "a Python bool: whether all are close.",
             .raises = GPUKIT_RAISES_BROADCAST "DTypeError: uint64 with signed integers.\n"},
   .example = ">>> gpukit.allclose(gpukit.ones(2), gpukit.ones(2) + 1e-7)\n" "True",
   .where = kBoth | kWaits},
  {.signature = "equal(input, other: Tensor) -> bool",
   .call = [](const Arguments& a) {
     const Tensor &input = a.tensor(0), &other = a.tensor(1);
     return PyBool_FromLong(run(a.gil().releases(input), [&] { return ops::equal(input, other); }));
   },
   .cost = cost::kArithmetic,
   .doc = "True when shapes and all elements are equal. Waits for the result.",
   .docs = {.parameters = "other: a tensor of any shape.\n",
             .returns = "a Python bool.",
             .raises = GPUKIT_RAISES_DEVICES "DTypeError: uint64 with signed integers.\n"},
   .example = ">>> gpukit.equal(gpukit.tensor([1, 2]), gpukit.tensor([1, 2]))\n" "True",
   .where = kBoth | kWaits},
};
// clang-format on

}  // namespace

template <>
FunctionTable& functions<Family::kElementwise>() {
  return function_table<kElementwiseRows>();
}

}  // namespace gpukit::bindings
