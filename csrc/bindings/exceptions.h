// C++ exceptions become Python exceptions here, once for all.
#pragma once

#include <pybind11/pybind11.h>

#include <utility>

namespace gpukit::bindings {

namespace py = pybind11;

/// Inside a catch block: sets the Python error that stands for the exception in flight. Needs the
/// GIL.
void set_python_error() noexcept;

/// Makes pybind11 functions translate gpukit's exceptions the same way.
void register_exceptions();

/// Calls `body` and turns an exception into a set Python error and `failure`: the frame of every C
/// slot.
template <class Result, class Body>
Result guarded_or(Result failure, Body&& body) noexcept {
  try {
    return std::forward<Body>(body)();
  } catch (...) {
    set_python_error();
    return failure;
  }
}

template <class Body>
PyObject* guarded(Body&& body) noexcept {
  return guarded_or<PyObject*>(nullptr, std::forward<Body>(body));
}

/// A new reference, or error_already_set when the C API call failed.
inline PyObject* checked(PyObject* result) {
  if (result == nullptr) throw py::error_already_set();
  return result;
}
inline void checked_status(int status) {
  if (status < 0) throw py::error_already_set();
}

}  // namespace gpukit::bindings
