// Where a Python program is: the innermost line that is the user's own.
#pragma once

#include <string>
#include <vector>

#include "bindings/python.h"

namespace gpukit::bindings {

struct PythonPlace {
  std::string file;  ///< "<no Python>" on a thread without a Python frame
  std::string function;
  int line = 0;
};

/// The innermost line outside the inner folders; else the innermost one. Needs the GIL.
PythonPlace current_python_place();
/// The frame that Python runs now, or null; what it holds lives as long. Needs the GIL.
py::object current_python_frame();
/// The same as current_python_place, from this frame outwards.
PythonPlace python_place_of(py::object frame);

/// Frames of files under these folders are not the user's own: gpukit's, IPython's. Needs the GIL.
void set_inner_folders(std::vector<std::string> folders);

}  // namespace gpukit::bindings
