// Results with a name: max(dim), sort and topk give (values, indices) as a named tuple, svd
// (U, S, V).
#pragma once

#include <Python.h>

#include <string_view>
#include <vector>

#include "bindings/python.h"
#include "tensor/tensor.h"

namespace gpukit::bindings {

/// A structure of `values` and `indices` that prints as torch's return types. A new reference.
PyObject* named_pair(std::string_view name, Tensor values, Tensor indices);

/// The same with the fields that torch's function of that name has.
PyObject* named_results(std::string_view name, std::vector<Tensor> results);

/// The type of what the function of that name gives; None for a function without such a result.
py::object named_pair_type(std::string_view name);

}  // namespace gpukit::bindings
