// The graph as Python sees it: what tensor.grad_fn gives.
#pragma once

#include <Python.h>

#include "autograd/node.h"

namespace gpukit::bindings {

/// A new reference to the Python object of the node; None for null.
PyObject* graph_object(autograd::NodePtr node);

}  // namespace gpukit::bindings
