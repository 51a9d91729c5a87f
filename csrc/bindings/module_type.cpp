// Base of gpukit.nn.Module: a call goes straight to forward, or to what runs the module's hooks
// around it, and an error from inside gets the name of the layer.
#include "bindings/module_type.h"

#include <pybind11/cast.h>

#include "base/observer.h"
#include "bindings/exceptions.h"
#include "bindings/operator_call.h"

namespace gpukit::bindings {

namespace {

constexpr Py_ssize_t kFewArguments = 7;

/// The error in flight gets the layer's name when it is one of gpukit's.
void name_layer(PyObject* self, PyObject* args) {
  py::error_already_set error;
  if (error.matches(imported("gpukit.errors").attr("GpukitError"))) {
    imported("gpukit.nn._errors")
        .attr("name_layer")(py::handle(self), error.value(), py::handle(args));
  }
  error.restore();
}

/// What runs a module's hooks around its forward, borrowed; null for a module without hooks.
PyObject* hooked_call(PyObject* self) {
  static PyObject* const name = PyUnicode_InternFromString("_gpukit_hooks");
  const auto fields = owned(PyObject_GenericGetDict(self, nullptr));
  return PyDict_GetItemWithError(fields.ptr(), name);
}

PyObject* call_forward(PyObject* self, PyObject* args, PyObject* kwargs) {
  static PyObject* const forward = PyUnicode_InternFromString("forward");
  if (PyObject* hooked = hooked_call(self)) [[unlikely]]
    return PyObject_Call(py::reinterpret_borrow<py::object>(hooked).ptr(), args, kwargs);
  const Py_ssize_t count = PyTuple_GET_SIZE(args);
  if (kwargs == nullptr && count < kFewArguments) {
    PyObject* stack[kFewArguments] = {self};
    for (Py_ssize_t i = 0; i < count; ++i) stack[i + 1] = PyTuple_GET_ITEM(args, i);
    return PyObject_VectorcallMethod(forward, stack, static_cast<std::size_t>(count) + 1, nullptr);
  }
  const auto method = owned(PyObject_GetAttr(self, forward));
  return PyObject_Call(method.ptr(), args, kwargs);
}

PyObject* forward_or_named_error(PyObject* self, PyObject* args, PyObject* kwargs) {
  PyObject* result = call_forward(self, args, kwargs);
  if (result == nullptr) [[unlikely]] {
    name_layer(self, args);
    throw_python_error();
  }
  return result;
}

PyTypeObject* module_base = nullptr;

[[gnu::cold, gnu::noinline]] PyObject* observed_module(PyObject* self, PyObject* args,
                                                       PyObject* kwargs) {
  const Operator& called = operator_of(
      OperatorKind::kModule, "module(module, args, kwargs)",
      [](PyObject* const* values, int) {
        return forward_or_named_error(values[0], values[1],
                                      values[2] == Py_None ? nullptr : values[2]);
      },
      0,
      [](PyObject* const* values) {
        return PyObject_TypeCheck(values[0], module_base) && PyTuple_Check(values[1]) != 0 &&
               (values[2] == Py_None || PyDict_Check(values[2]) != 0);
      });
  return observed_call(called, {self, args, kwargs != nullptr ? kwargs : Py_None});
}

PyObject* call(PyObject* self, PyObject* args, PyObject* kwargs) {
  if (is_observed(Observed::kOperators)) [[unlikely]]
    return observed_module(self, args, kwargs);
  return guarded([&] { return forward_or_named_error(self, args, kwargs); });
}

}  // namespace

void bind_module(const py::object& module) {
  static PyType_Slot slots[] = {
      {Py_tp_call, reinterpret_cast<void*>(call)},
      {Py_tp_doc, const_cast<char*>("Calls forward; an error from inside gets the layer's name.")},
      {0, nullptr}};
  static PyType_Spec spec = {"gpukit._core.ModuleBase", 0, 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  module_base = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&spec)));
  module.attr("ModuleBase") = py::handle(reinterpret_cast<PyObject*>(module_base));
}

}  // namespace gpukit::bindings
