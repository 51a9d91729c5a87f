#include "bindings/python.h"

#include <pybind11/cast.h>

namespace gpukit::bindings {

void throw_python_error() { throw py::error_already_set(); }

}  // namespace gpukit::bindings
