// Where a Python program is: the innermost line that is the user's own.
#pragma once

#include <string>
#include <vector>

#include "bindings/python.h"

namespace gpukit::bindings {

struct SourceLocation {
  std::string file;  ///< "<no Python>" on a thread without a Python frame
  std::string function;
  int line = 0;
};

/// The innermost line outside the inner folders; else the innermost one. Needs the GIL.
SourceLocation current_source_location();
/// The frame that Python runs now, or null; what it holds lives as long. Needs the GIL.
py::object current_python_frame();
/// The same as current_source_location, from this frame outwards.
SourceLocation source_location_of(const py::object& frame);
/// (file, line, function) of the same, in less time: nothing is copied.
py::tuple place_in_program(const py::object& frame);

/// Frames of files under these folders are not the user's own: gpukit's, IPython's. Needs the GIL.
void set_inner_folders(std::vector<std::string> folders);

}  // namespace gpukit::bindings
