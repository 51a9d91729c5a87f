// gpukit._core.Chain: what gpukit.compile runs groups of elementwise operators with.
#pragma once

#include <pybind11/pybind11.h>

#include "bindings/python.h"

namespace gpukit::bindings {

void bind_chain(py::module_& module);

}  // namespace gpukit::bindings
