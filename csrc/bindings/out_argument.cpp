#include "bindings/out_argument.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/error.h"
#include "bindings/gil.h"
#include "ops/elementwise.h"

namespace gpukit::bindings {

namespace {

// In alphabetical order.
constexpr std::array kNames = std::to_array<std::string_view>({
    "abs",
    "absolute",
    "acos",
    "acosh",
    "add",
    "addmm",
    "all",
    "amax",
    "amin",
    "any",
    "arange",
    "argmax",
    "argmin",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "bmm",
    "cat",
    "ceil",
    "clamp",
    "clip",
    "concat",
    "concatenate",
    "copysign",
    "cos",
    "cosh",
    "cumprod",
    "cumsum",
    "diag",
    "diff",
    "div",
    "divide",
    "dot",
    "empty",
    "eq",
    "erf",
    "exp",
    "expm1",
    "eye",
    "floor",
    "floor_divide",
    "full",
    "gather",
    "ge",
    "greater",
    "greater_equal",
    "gt",
    "hypot",
    "index_select",
    "isin",
    "le",
    "less",
    "less_equal",
    "linspace",
    "log",
    "log10",
    "log1p",
    "log2",
    "log_softmax",
    "logaddexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logsumexp",
    "lt",
    "masked_select",
    "matmul",
    "maximum",
    "mean",
    "minimum",
    "mm",
    "mul",
    "multiply",
    "mv",
    "ne",
    "neg",
    "negative",
    "nextafter",
    "nonzero",
    "norm",
    "not_equal",
    "ones",
    "outer",
    "pow",
    "prod",
    "rand",
    "randint",
    "randn",
    "randperm",
    "reciprocal",
    "remainder",
    "round",
    "rsqrt",
    "searchsorted",
    "sigmoid",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "softmax",
    "sqrt",
    "square",
    "stack",
    "std",
    "sub",
    "subtract",
    "sum",
    "take",
    "take_along_dim",
    "tan",
    "tanh",
    "tensordot",
    "tril",
    "triu",
    "true_divide",
    "trunc",
    "var",
    "where",
    "zeros",
});
static_assert(std::ranges::is_sorted(kNames));

std::string_view name_of(std::string_view signature) {
  return signature.substr(0, signature.find('('));
}

void check_out(std::string_view op, const Tensor& out, const Tensor& result) {
  GPUKIT_CHECK(!result.requires_grad() && !out.requires_grad(), AutogradError, op,
               ": out= cannot be used where gradients are recorded. Leave it out, or compute under "
               "gpukit.no_grad()");
  GPUKIT_CHECK(out.shape() == result.shape(), ShapeError, op, ": out is ", to_string(out.shape()),
               ", the result ", to_string(result.shape()), "; they must be equal");
  GPUKIT_CHECK(kind_of(result.dtype()) <= kind_of(out.dtype()), DTypeError, op, ": out is ",
               name(out.dtype()), ", which cannot hold the result's ", name(result.dtype()));
  GPUKIT_CHECK(out.device() == result.device(), DeviceMismatchError, op, ": out is on ",
               to_string(out.device()), ", the result on ", to_string(result.device()));
}

}  // namespace

bool takes_out(const FunctionRow& row) {
  return (row.where & kFunction) != 0 && std::ranges::binary_search(kNames, name_of(row.signature));
}

std::string signature_with_out(std::string_view signature) {
  const std::string_view open = signature.substr(0, signature.rfind(')'));
  const bool keywords = open.find('*') != std::string_view::npos;
  return concat(open, keywords ? ", out=None)" : ", *, out=None)");
}

PyObject* store_in_out(const Arguments& arguments, PyObject* (*call)(const Arguments& arguments),
                       PyObject* out) {
  const Tensor& target = to_tensor({arguments.op(), "out"}, out);
  const py::object made = py::reinterpret_steal<py::object>(call(arguments));
  const Tensor& result = tensor_of(made.ptr());
  check_out(arguments.op(), target, result);
  run(true, [&] { ops::copy_(target, result); });
  return Py_NewRef(out);
}

}  // namespace gpukit::bindings
