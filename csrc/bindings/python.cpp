#include "bindings/python.h"

#include <pybind11/cast.h>
#include <string>

// <pybind11/pytypes.h> alone, as python.h has it, calls this conversion and does not define it.
template std::string pybind11::handle::cast<std::string>() const;

namespace gpukit::bindings {

void throw_python_error() { throw py::error_already_set(); }

}  // namespace gpukit::bindings
