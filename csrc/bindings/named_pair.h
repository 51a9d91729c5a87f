// Results with a name: max(dim), sort and topk give (values, indices) as a named tuple.
#pragma once

#include <Python.h>

#include <string_view>

#include "bindings/python.h"
#include "tensor/tensor.h"

namespace gpukit::bindings {

/// A structure of `values` and `indices` that prints as torch's return types. A new reference.
PyObject* named_pair(std::string_view name, Tensor values, Tensor indices);

/// The type of what the function of that name gives; None for a function without such a result.
py::object named_pair_type(std::string_view name);

}  // namespace gpukit::bindings
