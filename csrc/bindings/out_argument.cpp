#include "bindings/out_argument.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/error.h"
#include "bindings/gil.h"
#include "ops/elementwise.h"
#include "ops/elementwise_table.h"
#include "ops/out_target.h"

namespace gpukit::bindings {

namespace {

/// A function that takes out, beside those of elementwise.def. `direct`: of one step, so that its
/// result may be written to out while the inputs are read.
struct OutFunction {
  std::string_view name;
  bool direct = false;
};

// In alphabetical order.
constexpr std::array kFunctions = std::to_array<OutFunction>({
    {"addmm", true},  {"all", true},    {"amax", true},   {"amin", true},     {"any", true},
    {"arange"},       {"argmax", true}, {"argmin", true}, {"bmm", true},      {"cat"},
    {"clamp", true},  {"clip", true},   {"concat"},       {"concatenate"},    {"cumprod", true},
    {"cumsum", true}, {"diag"},         {"diff"},         {"dot", true},      {"empty"},
    {"eye"},          {"full"},         {"gather"},       {"index_select"},   {"isin"},
    {"linspace"},     {"log_softmax"},  {"logsumexp"},    {"masked_select"},  {"matmul", true},
    {"mean", true},   {"mm", true},     {"mv", true},     {"nonzero"},        {"norm"},
    {"ones"},         {"outer", true},  {"prod", true},   {"rand"},           {"randint"},
    {"randn"},        {"randperm"},     {"searchsorted"}, {"softmax"},        {"stack"},
    {"std"},          {"sum", true},    {"take"},         {"take_along_dim"}, {"tensordot"},
    {"tril"},         {"triu"},         {"var"},          {"where", true},    {"zeros"},
});
static_assert(std::ranges::is_sorted(kFunctions, {}, &OutFunction::name));

const OutFunction* find_function(std::string_view name) noexcept {
  const auto* const row = std::ranges::lower_bound(kFunctions, name, {}, &OutFunction::name);
  return row != kFunctions.end() && row->name == name ? row : nullptr;
}

bool is_elementwise_with_out(std::string_view name) {
  const ops::ElementwiseName* found = ops::find_elementwise(name);
  return found != nullptr && !found->in_place && ops::has_out(found->row->forms);
}

bool writes_directly(std::string_view name) {
  const OutFunction* function = find_function(name);
  return function != nullptr ? function->direct : is_elementwise_with_out(name);
}

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

/// Nothing is written to out that is refused afterwards, as results that record gradients are.
bool may_write_directly(const Arguments& arguments, const Tensor& target) {
  if (target.requires_grad() || !writes_directly(arguments.op())) return false;
  for (int i = 0; i < arguments.size(); ++i) {
    PyObject* value = arguments[i];
    if (value != nullptr && is_tensor(value) && tensor_of(value).requires_grad()) return false;
  }
  return true;
}

py::object made_for(const Tensor* target, const Arguments& arguments,
                    PyObject* (*call)(const Arguments& arguments)) {
  if (target == nullptr) return py::reinterpret_steal<py::object>(call(arguments));
  const ops::OutTarget scope(*target);
  return py::reinterpret_steal<py::object>(call(arguments));
}

}  // namespace

bool takes_out(const FunctionRow& row) {
  const std::string_view name = name_of(row.signature);
  return (row.where & kFunction) != 0 &&
         (find_function(name) != nullptr || is_elementwise_with_out(name));
}

std::string signature_with_out(std::string_view signature) {
  const std::string_view open = signature.substr(0, signature.rfind(')'));
  const bool keywords = open.find('*') != std::string_view::npos;
  return concat(open, keywords ? ", out=None)" : ", *, out=None)");
}

PyObject* store_in_out(const Arguments& arguments, PyObject* (*call)(const Arguments& arguments),
                       PyObject* out) {
  const Tensor& target = to_tensor({arguments.op(), "out"}, out);
  const py::object made =
      made_for(may_write_directly(arguments, target) ? &target : nullptr, arguments, call);
  if (!made) throw_python_error();
  GPUKIT_CHECK(is_tensor(made.ptr()), TypeError, arguments.op(), ": called like this it gives a ",
               Py_TYPE(made.ptr())->tp_name,
               " and not one tensor, so there is nothing that out could hold. Leave out= away");
  const Tensor& result = tensor_of(made.ptr());
  if (result.is_same(target)) {
    target.storage()->bump_version();
    return Py_NewRef(out);
  }
  check_out(arguments.op(), target, result);
  run(true, [&] { ops::copy_(target, result); });
  return Py_NewRef(out);
}

}  // namespace gpukit::bindings
