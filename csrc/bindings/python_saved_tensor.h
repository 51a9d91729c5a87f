// Tensors saved for a backward pass, in Python's hands: what gpukit.autograd.graph is made of.
#pragma once

#include "bindings/bind.h"

namespace gpukit::bindings {

/// Adds `SavedTensor`, and the functions that push and pop hooks, to the module.
void bind_saved_tensors(py::module_& module);

}  // namespace gpukit::bindings
