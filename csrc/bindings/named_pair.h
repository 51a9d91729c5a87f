// Results with a name: max(dim), sort and topk give (values, indices) as a named tuple.
#pragma once

#include <Python.h>

#include <string_view>

#include "tensor/tensor.h"

namespace gpukit::bindings {

/// A structure of `values` and `indices` that prints as torch's return types. A new reference.
PyObject* named_pair(std::string_view name, Tensor values, Tensor indices);

}  // namespace gpukit::bindings
