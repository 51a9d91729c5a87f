// The graph as Python sees it: what tensor.grad_fn gives.
#pragma once

#include <Python.h>

#include <span>

#include "autograd/node.h"

namespace gpukit::bindings {

/// A new reference to the Python object of the node; None for null.
PyObject* graph_object(autograd::NodePtr node);

/// Names the node that a composed call gave its result, unless the result is one of `arguments`
/// or has none. `name` lives as long as the process.
void name_node(const Tensor& result, const char* name, std::span<PyObject* const> arguments);

}  // namespace gpukit::bindings
