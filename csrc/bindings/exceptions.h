// C++ exceptions become Python exceptions here, once for all.
#pragma once

#include <utility>

#include "base/error.h"
#include "bindings/python.h"

namespace gpukit::bindings {

/// Inside a catch block: sets the Python error for the exception in flight. Needs the
/// GIL.
void set_python_error() noexcept;

/// The details of an error as Python has them.
py::dict details_dict(const Details& details);

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

}  // namespace gpukit::bindings
