// The Python object of a Tensor, and the way between the two.
#pragma once

#include "bindings/python.h"
#include "core/scalar.h"
#include "tensor/tensor.h"

namespace gpukit::bindings {

struct TensorObject {
  PyObject_HEAD
      /// Counted, except while impl()->owns_python_object is true.
      Tensor tensor;
  PyObject* dict;
  PyObject* weak_references;
  bool is_result;  ///< of the exact type, and track() was not called: the collector has not seen it
};

/// gpukit.Tensor; set by make_tensor_type().
inline PyTypeObject* tensor_type = nullptr;

inline bool is_tensor(PyObject* object) noexcept {
  return Py_TYPE(object) == tensor_type || PyType_IsSubtype(Py_TYPE(object), tensor_type) != 0;
}

/// The object must be a Tensor and outlive the reference.
inline const Tensor& tensor_of(PyObject* object) noexcept {
  return reinterpret_cast<TensorObject*>(object)->tensor;
}

/// The tensor's living Python object, or a new one of the exact type. A new reference; an undefined
/// tensor is None.
PyObject* wrap(Tensor tensor);
/// A new object of a subclass for a tensor that has none yet.
PyObject* wrap_as(PyTypeObject* type, Tensor tensor);

/// Says that cycles through the object are possible from now on (it got attributes, a gradient or a
/// hook).
void track(PyObject* object) noexcept;

/// Creates the type and its metaclass. Called once, at import.
void make_tensor_type();

/// The value of a tensor with one element; waits for its device without the GIL.
Scalar read_value(const Tensor& tensor);
/// The matrix product, with the GIL rules of bindings.
Tensor matmul(const Tensor& left, const Tensor& right);

inline py::object to_python(Tensor tensor) {
  return py::reinterpret_steal<py::object>(wrap(std::move(tensor)));
}

}  // namespace gpukit::bindings
