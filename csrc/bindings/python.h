// Python's objects in C++: the C API and pybind11's handles. All that a file needs which defines no
// pybind11 function (pybind11.h costs several times as much to compile). A file that
// calls Python includes <pybind11/cast.h> too.
#pragma once

#include <pybind11/pytypes.h>

namespace gpukit::bindings {

namespace py = pybind11;

/// Throws the Python error that is set as error_already_set.
[[noreturn]] void throw_python_error();

/// A new reference; throws when the C API call failed.
inline PyObject* checked(PyObject* result) {
  if (result == nullptr) throw_python_error();
  return result;
}
inline void checked_status(int status) {
  if (status < 0) throw_python_error();
}

/// checked() in a handle that drops the reference.
inline py::object owned(PyObject* result) {
  return py::reinterpret_steal<py::object>(checked(result));
}

/// The Python module, imported if need be.
inline py::object imported(const char* module) { return owned(PyImport_ImportModule(module)); }

/// True for an instance that has the attribute; a class names what its instances have.
inline bool has_attribute(PyObject* object, const char* name) noexcept {
  return PyType_Check(object) == 0 && PyObject_HasAttrString(object, name) != 0;
}

}  // namespace gpukit::bindings
