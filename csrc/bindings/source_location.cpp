#include "bindings/source_location.h"

#include <algorithm>
#include <utility>

#include "bindings/python_text.h"

namespace gpukit::bindings {

namespace {

std::vector<std::string>& inner_folders() {
  static auto* const folders = new std::vector<std::string>;
  return *folders;
}

bool is_inner(const std::string& file) {
  return std::any_of(inner_folders().begin(), inner_folders().end(),
                     [&](const std::string& folder) { return file.starts_with(folder); });
}

SourceLocation source_location_of(PyFrameObject* frame) {
  const auto code =
      py::reinterpret_steal<py::object>(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
  const py::object file = code.attr("co_filename"), function = code.attr("co_name");
  return {readable_text(file.ptr()), readable_text(function.ptr()), PyFrame_GetLineNumber(frame)};
}

}  // namespace

SourceLocation current_source_location() { return source_location_of(current_python_frame()); }

py::object current_python_frame() {
  return py::reinterpret_steal<py::object>(
      reinterpret_cast<PyObject*>(PyThreadState_GetFrame(PyThreadState_Get())));
}

SourceLocation source_location_of(py::object frame) {
  if (!frame) return {"<no Python>", "", 0};
  const SourceLocation innermost =
      source_location_of(reinterpret_cast<PyFrameObject*>(frame.ptr()));
  while (frame) {
    auto* const at = reinterpret_cast<PyFrameObject*>(frame.ptr());
    SourceLocation location = source_location_of(at);
    if (!is_inner(location.file)) return location;
    frame = py::reinterpret_steal<py::object>(reinterpret_cast<PyObject*>(PyFrame_GetBack(at)));
  }
  return innermost;
}

void set_inner_folders(std::vector<std::string> folders) { inner_folders() = std::move(folders); }

}  // namespace gpukit::bindings
