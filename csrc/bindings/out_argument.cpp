#include "bindings/out_argument.h"

#include "base/check.h"
#include "base/error.h"
#include "bindings/named_pair.h"
#include "bindings/work.h"
#include "ops/elementwise.h"

namespace gpukit::bindings {

namespace {

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
  if (target.requires_grad()) return false;
  for (int i = 0; i < arguments.size(); ++i) {
    PyObject* value = arguments[i];
    if (value != nullptr && is_tensor(value) && tensor_of(value).requires_grad()) return false;
  }
  return true;
}

void store(std::string_view op, const Tensor& target, const Tensor& result) {
  check_out(op, target, result);
  static const GilRule copy_rule(cost::kCopy);
  run(copy_rule.releases(target), [&] { ops::copy_(target, result); });
}

/// Several results, in as many tensors.
PyObject* store_several(const Arguments& arguments, const ParsedRow& row, PyObject* out) {
  const std::vector<Tensor> targets = to_tensors({arguments.op(), "out"}, out);
  const py::object made = py::reinterpret_steal<py::object>(row.call(arguments));
  if (!made) throw_python_error();
  GPUKIT_CHECK(PyTuple_Check(made.ptr()) != 0, TypeError, arguments.op(),
               ": called like this it gives one tensor, so out must be one. Pass dim= for values "
               "and indices");
  const Py_ssize_t count = PyTuple_GET_SIZE(made.ptr());
  GPUKIT_CHECK(static_cast<Py_ssize_t>(targets.size()) == count, TypeError, arguments.op(),
               ": out must be ", count, " tensors, one for each result, got ", describe_value(out));
  std::vector<Tensor> results;
  for (Py_ssize_t i = 0; i < count; ++i) {
    results.push_back(tensor_of(PyTuple_GET_ITEM(made.ptr(), i)));
    check_out(arguments.op(), targets[static_cast<std::size_t>(i)], results.back());
  }
  for (std::size_t i = 0; i < results.size(); ++i) store(arguments.op(), targets[i], results[i]);
  return named_results(arguments.op(), targets);
}

}  // namespace

PyObject* store_in_out(const Arguments& arguments, const ParsedRow& row, PyObject* out) {
  if (PyTuple_Check(out) != 0 || PyList_Check(out) != 0) return store_several(arguments, row, out);
  const Tensor& target = to_tensor({arguments.op(), "out"}, out);
  const bool direct = row.out == Out::kDirect && may_write_directly(arguments, target);
  const py::object made =
      py::reinterpret_steal<py::object>(row.call(direct ? arguments.with_out(target) : arguments));
  if (!made) throw_python_error();
  GPUKIT_CHECK(
      is_tensor(made.ptr()), TypeError, arguments.op(), ": called like this it gives a ",
      Py_TYPE(made.ptr())->tp_name,
      ", not a tensor, so out cannot be a tensor. Give a tuple of tensors, or leave out= away");
  const Tensor& result = tensor_of(made.ptr());
  if (result.is_same(target)) {
    target.storage()->bump_version();
    return Py_NewRef(out);
  }
  store(arguments.op(), target, result);
  return Py_NewRef(out);
}

}  // namespace gpukit::bindings
