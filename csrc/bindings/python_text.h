// Python's text in messages.
#pragma once

#include <string>

#include "bindings/python.h"

namespace gpukit::bindings {

/// A str as UTF-8. Lone surrogates, which have no UTF-8, are written as "\ud800".
inline std::string readable_text(PyObject* text) {
  Py_ssize_t size = 0;
  if (const char* data = PyUnicode_AsUTF8AndSize(text, &size); data != nullptr)
    return {data, static_cast<std::size_t>(size)};
  PyErr_Clear();
  const auto bytes = py::reinterpret_steal<py::object>(
      PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace"));
  if (!bytes) {
    PyErr_Clear();
    return "?";
  }
  return {PyBytes_AS_STRING(bytes.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.ptr()))};
}

}  // namespace gpukit::bindings
