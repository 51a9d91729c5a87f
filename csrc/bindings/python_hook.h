// Hooks that are Python callables. Their call and their end take the GIL; nothing else does.
#pragma once

#include <Python.h>

#include <memory>

#include "autograd/hooks.h"

namespace gpukit::bindings {

/// Keeps the callable. When it raises, the exception goes through the backward pass as it is.
std::shared_ptr<autograd::TensorHook> python_hook(PyObject* callable);

/// The same for a leaf's stored gradient: called with the tensor's object, for as long as that
/// lives.
std::shared_ptr<autograd::TensorHook> python_stored_hook(PyObject* tensor, PyObject* callable);

/// The hook of a node, called with tuples of gradients.
std::shared_ptr<autograd::NodeHook> python_node_hook(PyObject* callable);

/// For tp_traverse: visits the callables of hooks that nothing else holds.
int visit_hooks(const autograd::HookList& hooks, visitproc visit, void* arg);

}  // namespace gpukit::bindings
