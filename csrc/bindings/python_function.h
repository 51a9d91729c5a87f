// Operations whose derivative is a Python callable: what gpukit.autograd.Function records.
#pragma once

#include "bindings/bind.h"

namespace gpukit::bindings {

/// Adds `record_function` to the module.
void bind_python_function(py::module_& module);

}  // namespace gpukit::bindings
