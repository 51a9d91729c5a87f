// The C part of gpukit.nn.Module.
#pragma once

#include "bindings/python.h"

namespace gpukit::bindings {

/// Adds ModuleBase, whose call is forward.
void bind_module(const py::object& module);

}  // namespace gpukit::bindings
