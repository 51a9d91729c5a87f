// The C part of gpukit.nn.Module.
#pragma once

#include <pybind11/pybind11.h>

namespace gpukit::bindings {

/// Adds ModuleBase, whose call is forward.
void bind_module(pybind11::module_& module);

}  // namespace gpukit::bindings
