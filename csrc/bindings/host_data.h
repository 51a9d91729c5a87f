// Values of Python and arrays of other libraries as CPU tensors, and back.
#pragma once

#include <optional>

#include "bindings/arguments.h"
#include "core/dtype.h"
#include "tensor/tensor.h"

namespace gpukit::bindings {

/// A number, nested lists or tuples of numbers, a buffer (NumPy array) or an array-like: copied
/// into a new CPU tensor, converted to `dtype` when given. A Tensor is copied on its device.
Tensor tensor_from_data(Argument argument, PyObject* data, std::optional<DType> dtype);

/// A CPU tensor that shares the memory of a buffer (NumPy array). Nothing when the object has no
/// buffer, or its elements lie at odd addresses. Throws DTypeError for element types that gpukit
/// does not have.
std::optional<Tensor> share_buffer(Argument argument, PyObject* object);

/// A 1-d CPU tensor over the bytes of a buffer from `offset` on; count -1 is all of them. Throws
/// TypeError, ValueError.
Tensor tensor_over_bytes(Argument argument, PyObject* object, DType dtype, std::int64_t count,
                         std::int64_t offset);

/// The same memory as a signed integer dtype, for libraries that lack the tensor's own. A new
/// reference.
PyObject* bits_of(const Tensor& tensor);

/// For __array__: raises the Ctrl-C that its caller's attempt at the buffer protocol has just lost.
void raise_dropped_interrupt(const Tensor& tensor);

/// A new CPU tensor of the shape whose elements are these bytes, row by row. Throws ValueError for
/// a wrong size.
Tensor tensor_from_bytes(std::string_view bytes, DType dtype, const Shape& shape);

/// Nested lists of Python numbers (one number for a 0-d tensor) of a contiguous CPU tensor.
PyObject* to_nested_list(const Tensor& tensor);

}  // namespace gpukit::bindings
