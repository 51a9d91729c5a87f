#include "bindings/source_location.h"

#include <pybind11/cast.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "bindings/python_text.h"

namespace gpukit::bindings {

namespace {

std::vector<std::string>& inner_folders() {
  static auto* const folders = new std::vector<std::string>;
  return *folders;
}

bool is_inner(PyObject* file) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(file, &size);
  if (text == nullptr) PyErr_Clear();  // a name of other bytes is the user's
  const std::string_view name(text == nullptr ? "" : text, static_cast<std::size_t>(size));
  return std::any_of(inner_folders().begin(), inner_folders().end(),
                     [&](const std::string& folder) { return name.starts_with(folder); });
}

PyFrameObject* as_frame(const py::object& frame) {
  return reinterpret_cast<PyFrameObject*>(frame.ptr());
}

py::object code_of(const py::object& frame) {
  return py::reinterpret_steal<py::object>(
      reinterpret_cast<PyObject*>(PyFrame_GetCode(as_frame(frame))));
}

/// The innermost frame outside the inner folders, from this one outwards; else this one.
py::object frame_in_program(const py::object& innermost) {
  for (py::object frame = innermost; frame;) {
    const py::object file = code_of(frame).attr("co_filename");
    if (!is_inner(file.ptr())) return frame;
    frame = py::reinterpret_steal<py::object>(
        reinterpret_cast<PyObject*>(PyFrame_GetBack(as_frame(frame))));
  }
  return innermost;
}

}  // namespace

SourceLocation current_source_location() { return source_location_of(current_python_frame()); }

py::object current_python_frame() {
  return py::reinterpret_steal<py::object>(
      reinterpret_cast<PyObject*>(PyThreadState_GetFrame(PyThreadState_Get())));
}

SourceLocation source_location_of(const py::object& frame) {
  if (!frame) return {"<no Python>", "", 0};
  const py::object found = frame_in_program(frame), code = code_of(found);
  const py::object file = code.attr("co_filename"), function = code.attr("co_name");
  return {readable_text(file.ptr()), readable_text(function.ptr()),
          PyFrame_GetLineNumber(as_frame(found))};
}

py::tuple place_in_program(const py::object& frame) {
  if (!frame) return py::make_tuple("<no Python>", 0, "");
  const py::object found = frame_in_program(frame), code = code_of(found);
  return py::make_tuple(code.attr("co_filename"), PyFrame_GetLineNumber(as_frame(found)),
                        code.attr("co_name"));
}

void set_inner_folders(std::vector<std::string> folders) { inner_folders() = std::move(folders); }

}  // namespace gpukit::bindings
