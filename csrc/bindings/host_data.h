// Values of Python and arrays of other libraries as CPU tensors, and back.
#pragma once

#include <pybind11/pybind11.h>

#include <optional>

#include "bindings/arguments.h"
#include "core/dtype.h"
#include "tensor/tensor.h"

namespace gpukit::bindings {

/// A number, nested lists or tuples of numbers, a buffer (NumPy array) or an array-like: copied
/// into a new CPU tensor, converted to `dtype` when given. A Tensor is copied on its device.
Tensor tensor_from_data(Place place, PyObject* data, std::optional<DType> dtype);

/// A CPU tensor that shares the memory of a buffer (NumPy array). Nothing when the object has no
/// buffer. Throws DTypeError for element types that gpukit does not have.
std::optional<Tensor> share_buffer(Place place, PyObject* object);

/// A new CPU tensor of the shape whose elements are these bytes, row by row. Throws ValueError for
/// a wrong size.
Tensor tensor_from_bytes(std::string_view bytes, DType dtype, const Shape& shape);

/// Nested lists of Python numbers (one number for a 0-d tensor) of a contiguous CPU tensor.
PyObject* to_nested_list(const Tensor& tensor);

}  // namespace gpukit::bindings
